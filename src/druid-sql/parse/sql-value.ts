// The values of parameters: they become literals of the tree, never text of the query.
import type { SqlParameter } from '../../lib/sql-text.ts'
import type { Place } from './sql-problem.ts'
import type { Expression } from './syntax.ts'

export type SqlValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'text'; readonly value: string }
  /** As SQL writes it, perhaps with a minus: a whole number without point and exponent is a BIGINT, others are DOUBLEs. */
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** As the clocks of the query's zone show it: `2026-01-31 12:00:00`, or the day alone. */
  | { readonly kind: 'time'; readonly type: 'TIMESTAMP' | 'DATE'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly SqlValue[] }

export function valueNode(value: SqlValue, place: Place): Expression {
  switch (value.kind) {
    case 'number': {
      const { digits } = value
      const number: Expression = { kind: 'number', digits: digits.replace(/^-/, ''), place }
      return digits.startsWith('-') ? { kind: 'negate', operand: number, place } : number
    }
    case 'array':
      return { kind: 'array', items: value.items.map((item) => valueNode(item, place)), place }
    default:
      return { ...value, place }
  }
}

/** The value of a parameter that the service itself writes. */
export function sqlValue(value: SqlParameter): SqlValue {
  switch (typeof value) {
    case 'string':
      return { kind: 'text', value }
    case 'boolean':
      return { kind: 'boolean', value }
    default:
      return value === null ? { kind: 'null' } : { kind: 'number', digits: numberDigits(value) }
  }
}

/** A double that digits would show as a whole number beyond its own has an exponent. */
const numberDigits = (value: number | bigint): string =>
  typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : value.toExponential()
