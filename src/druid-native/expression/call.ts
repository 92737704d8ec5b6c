// What a function of Druid's expression language is made with.

import type { TimeRange } from '../../druid-time/bucket-sql.ts'
import type { Sql } from '../../lib/sql-text.ts'
import type { Typed } from '../values/typed.ts'
import type { BinaryOperator } from './syntax.ts'

/** One use of a function. */
export interface Call {
  readonly range: TimeRange
  /** The value of a constant argument, null for `null` or none; undefined where it is no constant. */
  literal(index: number): string | number | bigint | null | undefined
  /** The milliseconds of an argument that is a constant time, like `timestamp('2024-01-03')`; null where it is none. */
  constantMs(index: number): number | null
  /** Whether an argument is the time column itself, whose range is known. */
  isTime(index: number): boolean
  /** Whether an argument is the name of a column. */
  isColumn(index: number): boolean
  compare(operator: BinaryOperator, left: Typed, right: Typed): Typed
  refuse(message: string): never
  unsupported(what: string): never
}

export interface ExpressionFunction {
  /** The least and the most arguments. */
  readonly args: readonly [number, number]
  compile(args: readonly Typed[], call: Call): Typed
}

export type FunctionTable = Readonly<Record<string, ExpressionFunction>>

/** A constant argument that must be a text. */
export function literalText(call: Call, index: number, what: string): string {
  const value = call.literal(index)
  return value === null || value === undefined ? call.refuse(`the ${what} must be a constant text`) : String(value)
}

/** A constant argument that must be a whole number. */
export function literalWhole(call: Call, index: number, what: string): number {
  const value = call.literal(index)
  const whole = typeof value === 'string' || value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isSafeInteger(whole) ? whole : call.refuse(`the ${what} must be a constant whole number`)
}

export type UnarySql = (value: Sql) => Sql
