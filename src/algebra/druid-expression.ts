// Expressions in Druid's native language, for EXPLAIN.

import { functions, type ScalarFunction, type ScalarType, type ScalarValue } from './functions.ts'
import type { Scalar } from './scalar.ts'

/** Returns the name of a field or a cell in the expression. */
export type NameOf = (leaf: Extract<Scalar, { kind: 'field' | 'cell' }>) => string

export function druidExpression(scalar: Scalar, nameOf: NameOf): string {
  const text = (one: Scalar): string => druidExpression(one, nameOf)
  switch (scalar.kind) {
    case 'field':
    case 'cell':
      return `"${escaped(nameOf(scalar), '"')}"`
    case 'literal':
      return literalText(scalar.type, scalar.value)
    case 'case': {
      const branches = scalar.branches.map(({ when, result }) => `${text(when)},${text(result)}`)
      return `case_searched(${[...branches, text(scalar.otherwise)].join(',')})`
    }
    case 'call': {
      const [only] = scalar.operands
      // A boolean is a number in Druid.
      if (scalar.name === 'toLong' && only?.type === 'boolean') return text(only)
      const { druid }: ScalarFunction = functions[scalar.name]
      return druid(...scalar.operands.map(text))
    }
  }
}

/** Druid's type for values of a type. */
export const druidType = (type: ScalarType) => druidTypes[type]

const druidTypes = { string: 'STRING', double: 'DOUBLE', long: 'LONG', boolean: 'LONG', timestamp: 'LONG' } as const

function literalText(type: ScalarType, value: ScalarValue): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return value ? '(1 == 1)' : '(1 == 0)'
  if (typeof value === 'string') return `'${escaped(value, "'")}'`
  const digits = String(value)
  const text = type === 'double' && /^-?\d+$/.test(digits) ? `${digits}.0` : digits.replace('e+', 'E').replace('e', 'E')
  return text.startsWith('-') ? `(${text})` : text
}

const escaped = (text: string, quote: string): string => text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
