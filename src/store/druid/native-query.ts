// The parts of Druid's native queries that plans are translated to. They are plain data, so a value cannot be mistaken for syntax.
import { earliestMs, formatInstant, latestMs } from '../../model/instant.ts'
import type { Range } from '../../model/plan.ts'

export type NativeFilter = Readonly<Record<string, unknown>>

export interface NativeColumn {
  readonly type: 'expression'
  readonly name: string
  readonly expression: string
  readonly outputType: 'LONG' | 'DOUBLE' | 'STRING'
}

export interface NativeDimension {
  readonly type: 'default'
  readonly dimension: string
  readonly outputName: string
  readonly outputType: 'LONG' | 'DOUBLE' | 'STRING'
}

export type NativeAggregation = Readonly<Record<string, unknown>>

/**
 * A groupBy over all of its intervals. Each row of the result is an array: the start of the period if there is one, the dimensions, then the
 * aggregations.
 */
export interface GroupBy {
  /** An ISO 8601 period to group by as well; faster than an expression evaluated for each row. */
  readonly period?: string | null
  readonly intervals: readonly string[]
  readonly filter: NativeFilter | null
  readonly virtualColumns: readonly NativeColumn[]
  readonly dimensions: readonly NativeDimension[]
  readonly aggregations: readonly NativeAggregation[]
  /** The most groups returned. */
  readonly limit: number | null
}

/** Distinct values of a column. */
export interface ColumnValues {
  readonly column: string
  readonly intervals: readonly string[]
  readonly filter: NativeFilter | null
  readonly after: string | null
  readonly limit: number
}

/** A scan in no particular order. Each row is an array of the columns. */
export interface Scan {
  readonly intervals: readonly string[]
  readonly filter: NativeFilter | null
  readonly columns: readonly string[]
  readonly limit: number | null
}

/** The ends of Druid's interval for all of time. */
const beginning = '-146136543-09-08T08:23:32.096Z'
const end = '146140482-04-24T15:36:27.903Z'

/** The interval of a range. Both ends are included, as in a plan's range; an empty range has no interval. */
export function intervalsOf(fromMs: number, toMs: number): readonly string[] {
  if (fromMs > toMs || toMs === Number.NEGATIVE_INFINITY) return []
  const from = fromMs < earliestMs ? beginning : formatInstant(fromMs)
  const to = toMs >= latestMs ? end : formatInstant(toMs + 1)
  return [`${from}/${to}`]
}

/** The range of an interval that `intervalsOf` returned. */
export function rangeOfInterval(interval: string): Range {
  const [from, to] = interval.split('/')
  return {
    fromMs: from === beginning ? Number.NEGATIVE_INFINITY : Date.parse(from!),
    toMs: to === end ? Number.POSITIVE_INFINITY : Date.parse(to!) - 1,
  }
}

/** All of the filters that are not null; null if there are none. */
export function allOf(filters: readonly (NativeFilter | null)[]): NativeFilter | null {
  const fields = filters.filter((filter) => filter !== null)
  return fields.length < 2 ? (fields[0] ?? null) : { type: 'and', fields }
}

/** Any of the filters; an empty list passes nothing. */
export function anyOf(fields: readonly NativeFilter[]): NativeFilter {
  if (fields.length === 0) return { type: 'false' }
  return fields.length === 1 ? fields[0] : { type: 'or', fields }
}

export function not(field: NativeFilter): NativeFilter {
  return { type: 'not', field }
}

export function isNull(column: string): NativeFilter {
  return { type: 'null', column }
}

/** Whether a string column has one of these values, which may include null. */
export function isOneOf(dimension: string, values: readonly (string | null)[]): NativeFilter {
  if (values.length === 0) return { type: 'false' }
  return { type: 'in', dimension, values }
}

/** A column in an expression. Names contain no quotes. */
export function columnText(name: string): string {
  return `"${name}"`
}
