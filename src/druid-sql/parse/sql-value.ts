// The values of parameters. They become literals of the tree, never text of the query.
import type { SqlParameter } from '../../lib/sql-text.ts'
import type { Place } from './sql-problem.ts'
import type { Expression } from './syntax.ts'

export type SqlValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'text'; readonly value: string }
  /** In SQL's notation, with an optional minus. A whole number without point and exponent is a BIGINT; others are DOUBLEs. */
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** In local time of the query's zone: `2026-01-31 12:00:00`, or only the day. */
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

/** Doubles that are not safe integers get an exponent, so that none is shown as a whole number of more digits than it has. */
const numberDigits = (value: number | bigint): string =>
  typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : value.toExponential()
