// Compiles aggregators to SQL aggregates and to the expressions that finish them.

import { wrapped } from '../../druid-sql/functions/numbers.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { meanInRange, scaled, squaredMax, sumInRange } from '../../lib/sums-in-range.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { Aggregator, FieldInput } from '../parse/query-nodes.ts'
import {
  convert,
  doubleValue,
  elementOf,
  longValue,
  type Typed,
  toDouble,
  toFloat,
  toLong,
  toText,
} from '../values/typed.ts'
import { dimensionValue } from './extraction.ts'
import { compileFilter } from './filter.ts'
import { compileAt, type Source } from './source-rows.ts'

/** An aggregator, with its filter applied. */
export interface Aggregation {
  readonly name: string
  readonly raw: Sql
  /** A second aggregate, where one is not enough. */
  readonly also: Sql | null
  /** Computes the value from the aggregates. */
  finish(raw: Sql, also: Sql): Typed
  /** Input of a sketch's post-aggregators: its values, and the filter that they passed. */
  readonly sketch: {
    readonly kind: 'distinct' | 'quantiles' | 'variance'
    readonly values: Sql
    readonly filter: Sql | null
  } | null
}

function inputOf(input: FieldInput, source: Source): Typed {
  if (input.expression !== null) {
    const path = `${input.path}.expression`
    return single(compileAt(path, input.expression, source), path)
  }
  return single(source.column(input.fieldName!), `${input.path}.fieldName`)
}

function single(value: Typed, path: string): Typed {
  if (elementOf(value.type) !== null) throw unsupported(path, 'aggregating an array')
  return value
}

const filtered = (aggregate: Sql, filter: Sql | null): Sql =>
  filter === null ? aggregate : sql`${aggregate} FILTER (WHERE ${filter})`

type Body = Omit<Aggregation, 'name' | 'raw'> & { readonly aggregate: Sql }

const plain = (aggregate: Sql, finish: (raw: Sql) => Typed): Body => ({ aggregate, also: null, finish, sketch: null })

/** An aggregate of doubles that is correct even if an intermediate sum overflows. */
function ofDoubles(
  aggregate: (values: Sql) => Sql,
  input: Typed,
  inRange: typeof sumInRange,
  finish: (value: Sql) => Typed,
): Body {
  const values = toDouble(input)
  if (input.type === 'LONG' || input.type === 'FLOAT') return plain(aggregate(values), finish)
  return {
    aggregate: aggregate(values),
    also: aggregate(scaled(values)),
    finish: (raw, also) => finish(inRange(raw, also)),
    sketch: null,
  }
}

/** `grouped` contains the columns that rows are grouped by, for the aggregator `grouping`. */
export function compileAggregator(
  aggregator: Aggregator,
  source: Source,
  grouped: ReadonlySet<string>,
  filter: Sql | null = null,
): Aggregation {
  if (aggregator.kind === 'filtered') {
    const own = compileFilter(aggregator.filter, source)
    const both = filter === null ? own : sql`(${filter} AND ${own})`
    return { ...compileAggregator(aggregator.aggregator, source, grouped, both), name: aggregator.name }
  }
  const { aggregate, also, finish, sketch } = body(aggregator, source, grouped, filter)
  return {
    name: aggregator.name,
    raw: filtered(aggregate, filter),
    also: also === null ? null : filtered(also, filter),
    finish,
    sketch,
  }
}

function body(
  aggregator: Exclude<Aggregator, { kind: 'filtered' }>,
  source: Source,
  grouped: ReadonlySet<string>,
  filter: Sql | null,
): Body {
  const field = (name: string): Typed => single(source.column(name), `${aggregator.path}.fieldName`)
  switch (aggregator.kind) {
    case 'count':
      return plain(sql`count(*)`, longValue)
    case 'sum':
      return sum(aggregator.type, inputOf(aggregator.input, source))
    case 'min':
    case 'max': {
      const value = convert(inputOf(aggregator.input, source), aggregator.type)
      return plain(aggregator.kind === 'min' ? sql`min(${value.sql})` : sql`max(${value.sql})`, (raw) => ({
        type: aggregator.type,
        sql: raw,
      }))
    }
    case 'mean':
      return ofDoubles(
        (values) => sql`avg(${values})`,
        field(aggregator.fieldName),
        meanInRange,
        (mean) => doubleValue(sql`coalesce(${mean}, 0e0)`),
      )
    case 'first':
    case 'last':
    case 'any':
      return moment(aggregator, source)
    case 'cardinality':
      return cardinality(aggregator, source)
    case 'distinct':
      return distinct(aggregator, field(aggregator.fieldName), filter)
    case 'quantiles': {
      const values = toDouble(field(aggregator.fieldName))
      return { ...plain(sql`count(${values})`, longValue), sketch: { kind: 'quantiles', values, filter } }
    }
    case 'variance': {
      const values = toDouble(field(aggregator.fieldName))
      return {
        ...variance(values, aggregator.population),
        finish: (raw, also) => doubleValue(varianceInRange(raw, also)),
        sketch: { kind: 'variance', values, filter },
      }
    }
    case 'grouping': {
      const bits = aggregator.groupings.reduce((all, name) => all * 2 + (grouped.has(name) ? 0 : 1), 0)
      return plain(sql`any_value(${sql.long(bits)})`, (raw) => longValue(sql`coalesce(${raw}, ${sql.long(bits)})`))
    }
  }
}

function distinct(
  { sketch, round }: Extract<Aggregator, { kind: 'distinct' }>,
  field: Typed,
  filter: Sql | null,
): Body {
  // The empty text is not counted. hyperUnique can only merge stored sketches, which no entity has, so it always counts nothing.
  const texts = sql`nullif(${toText(field)}, '')`
  const values = sketch === 'hyperUnique' ? sql`CASE WHEN FALSE THEN ${texts} END` : texts
  return { ...plain(sql`count(DISTINCT ${values})`, countOf({ round })), sketch: { kind: 'distinct', values, filter } }
}

function sum(type: 'LONG' | 'DOUBLE' | 'FLOAT', input: Typed): Body {
  // Longs are summed in 128 bits and then wrapped to 64, with the same result as a sum in 64 bits.
  if (type === 'LONG') return plain(sql`sum(${toLong(input)})`, (raw) => longValue(wrapped(raw)))
  if (type === 'DOUBLE') return ofDoubles((values) => sql`sum(${values})`, input, sumInRange, doubleValue)
  return plain(sql`sum(CAST(${toFloat(input)} AS DOUBLE))`, (raw) => ({
    type: 'FLOAT',
    sql: toFloat(doubleValue(raw)),
  }))
}

/** The variance of the values that can be squared, and the largest absolute value: the result is null if that cannot be squared. */
export function variance(values: Sql, population: boolean): { readonly aggregate: Sql; readonly also: Sql } {
  const small = sql`CASE WHEN abs(${values}) <= ${sql.double(squaredMax)} THEN ${values} END`
  return {
    aggregate: population ? sql`var_pop(${small})` : sql`var_samp(${small})`,
    also: sql`max(abs(${values}))`,
  }
}

export const varianceInRange = (ofSmall: Sql, largest: Sql): Sql =>
  sql`CASE WHEN ${largest} <= ${sql.double(squaredMax)} THEN ${ofSmall} END`

function moment(aggregator: Aggregator & { kind: 'first' | 'last' | 'any' }, source: Source): Body {
  const { type, kind } = aggregator
  const column = single(source.column(aggregator.fieldName), `${aggregator.path}.fieldName`)
  const value =
    type === 'STRING' ? sql`left(${toText(column)}, ${sql.long(aggregator.maxBytes)})` : convert(column, type).sql
  const finish = (raw: Sql): Typed => ({ type, sql: raw })
  if (kind === 'any') return plain(sql`any_value(${value})`, finish)
  const { timeColumn } = aggregator
  const order = source.orderBy(toLong(source.column(timeColumn)), timeColumn === '__time')
  return plain(kind === 'first' ? sql`arg_min_null(${value}, ${order})` : sql`arg_max_null(${value}, ${order})`, finish)
}

/** Counts that are estimates in Druid are doubles there, unless rounded. */
const countOf = ({ round }: { readonly round: boolean }) =>
  round ? longValue : (raw: Sql): Typed => doubleValue(sql`CAST(${raw} AS DOUBLE)`)

/** Exact counts instead of estimates: of row combinations with `byRow`, otherwise of the values of all fields together. Null and '' are not counted. */
function cardinality(aggregator: Aggregator & { kind: 'cardinality' }, source: Source): Body {
  const values = aggregator.fields.map((field) => sql`nullif(${toText(dimensionValue(field, source))}, '')`)
  const finish = countOf(aggregator)
  if (values.length === 0) return plain(sql`count(DISTINCT NULL)`, finish)
  if (aggregator.byRow && values.length > 1) return plain(sql`count(DISTINCT ROW(${sql.list(values)}))`, finish)
  if (values.length === 1) return plain(sql`count(DISTINCT ${values[0]!})`, finish)
  return plain(sql`list(DISTINCT [${sql.list(values)}])`, (raw) =>
    finish(sql`CAST(coalesce(list_unique(flatten(${raw})), 0) AS BIGINT)`),
  )
}
