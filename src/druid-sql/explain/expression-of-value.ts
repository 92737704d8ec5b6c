// Values and conditions of rows in Druid's expression language.

import type { EntityField } from '../../model/entity.ts'
import type { RowFilter, ValueBounds } from '../../model/row-condition.ts'
import { type RowValue, typeOfValue } from '../../model/row-value.ts'

/** `nameOf` says what a field is called there. */
export function expressionOfValue(value: RowValue, nameOf: (field: EntityField) => string): string {
  const text = (one: RowValue | null): string => (one === null ? 'null' : expressionOfValue(one, nameOf))
  switch (value.kind) {
    case 'field':
      return nameLiteral(nameOf(value.field))
    case 'number':
      return numberText(value.type, value.value)
    case 'text':
      return textLiteral(value.value)
    case 'arithmetic':
      return `(${text(value.left)} ${value.operator} ${text(value.right)})`
    case 'unary':
      return value.operator === 'double' || value.operator === 'long'
        ? `cast(${text(value.operand)},'${value.operator.toUpperCase()}')`
        : `${value.operator}(${text(value.operand)})`
    case 'rounded':
      return `round(${text(value.operand)},${value.places})`
    case 'choice': {
      const branches = value.branches.map((one) => `${expressionOfFilter(one.passes, nameOf)},${text(one.value)}`)
      return `case_searched(${[...branches, text(value.otherwise)].join(',')})`
    }
  }
}

/** Of a condition: true, false, or null where it is unknown. */
function expressionOfFilter(filter: RowFilter, nameOf: (field: EntityField) => string): string {
  if (filter.kind === 'constant') return filter.value ? '(1 == 1)' : '(1 == 0)'
  if ('filters' in filter) {
    const parts = filter.filters.map((part) => expressionOfFilter(part, nameOf))
    return `(${parts.join(filter.kind === 'and' ? ' && ' : ' || ')})`
  }
  const column = nameLiteral(nameOf(filter.field))
  if (filter.kind === 'null') return `${filter.isNegated ? 'notnull' : 'isnull'}(${column})`
  const condition = conditionText(column, filter)
  return filter.isNegated ? `!${condition}` : condition
}

type OneCondition = Exclude<RowFilter, { kind: 'and' | 'or' | 'constant' | 'null' }>

function conditionText(column: string, filter: OneCondition): string {
  switch (filter.kind) {
    case 'texts':
      return anyOf(filter.values.map((value) => `${column} == ${textLiteral(value)}`))
    case 'numbers':
      return anyOf(filter.values.map((value) => `${column} == ${constantText(value)}`))
    case 'like': {
      const escapedBy = filter.escapedBy === null ? '' : `,${textLiteral(filter.escapedBy)}`
      return `like(${column},${textLiteral(filter.pattern)}${escapedBy})`
    }
    case 'textRange':
      return rangeText(column, filter, textLiteral)
    case 'numberRange':
      return rangeText(column, filter, constantText)
  }
}

const anyOf = (conditions: readonly string[]): string => `(${conditions.join(' || ')})`

function rangeText<Bound>(column: string, bounds: ValueBounds<Bound>, textOf: (bound: Bound) => string): string {
  const { lower, upper, isLowerOpen, isUpperOpen } = bounds
  const above = lower === null ? [] : [`${column} ${isLowerOpen ? '>' : '>='} ${textOf(lower)}`]
  const below = upper === null ? [] : [`${column} ${isUpperOpen ? '<' : '<='} ${textOf(upper)}`]
  return `(${[...above, ...below].join(' && ')})`
}

const constantText = (value: number): string => numberText(Number.isInteger(value) ? 'long' : 'double', value)

/** A number as an expression writes it. */
export function numberText(type: 'long' | 'double', value: number | bigint): string {
  const digits = String(value)
  const text = type === 'double' && /^-?\d+$/.test(digits) ? `${digits}.0` : digits.replace('e+', 'E').replace('e', 'E')
  return text.startsWith('-') ? `(${text})` : text
}

const escaped = (text: string, quote: string): string => text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
export const nameLiteral = (name: string): string => `"${escaped(name, '"')}"`
export const textLiteral = (text: string): string => `'${escaped(text, "'")}'`

/** The type of a virtual column. */
export const nativeType = (value: RowValue): string => typeOfValue(value).toUpperCase()
