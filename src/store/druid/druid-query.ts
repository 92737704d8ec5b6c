import { hidingIn, rowDeletions } from '../../algebra/hidden-rows.ts'
import type { DruidClient } from '../../druid-client/druid-client.ts'
import { asProblem, asRefusal, DruidFailure } from '../../druid-client/druid-failure.ts'
import { jsonElements } from '../../druid-client/json-elements.ts'
import { withExactLongs } from '../../lib/json-with-longs.ts'
import type { HiddenRows } from '../../model/deletion.ts'
import { hideRows, type NativeBody } from './hide-rows.ts'
import type { ColumnValues, GroupBy, NativeAggregation, Scan } from './native-query.ts'

/** Rows of one part of a response, each an array of column values. */
export type RawRows = readonly (readonly unknown[])[]

/** The first and the last date of rows. */
export interface Bounds {
  readonly minMs: number
  readonly maxMs: number
}

/** The data source that a query reads. Aborting the signal ends the query. */
export interface QueryTarget {
  readonly client: Pick<DruidClient, 'query'>
  readonly dataSource: string
  /** Rows and values that deletions hide. */
  readonly hidden: readonly HiddenRows[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Rows in one part of a scan: few, so that the first part arrives soon. */
const scanBatchRows = 4096

/**
 * The groups of a query. `longs` are the indexes of columns with integers of any size: values that a double cannot hold exactly are returned as strings of
 * digits.
 */
export async function* groupBy(target: QueryTarget, query: GroupBy, longs: readonly number[]): AsyncGenerator<RawRows> {
  if (query.intervals.length === 0) return
  const { limit, period = null, ...rest } = query
  const limitSpec = limit === null ? {} : { limitSpec: { type: 'default', limit } }
  const granularity = period === null ? 'all' : inUtc(period)
  const body = { queryType: 'groupBy', granularity, ...rest, ...limitSpec, context: { resultAsArray: true } }
  for await (const text of elements(target, body)) yield exactRows(text, listIn(JSON.parse(text)), longs, listIn)
}

/** The aggregations over all rows; an empty array when Druid returns none. */
export async function oneRow(
  target: QueryTarget,
  intervals: readonly string[],
  filter: GroupBy['filter'],
  aggregations: readonly NativeAggregation[],
): Promise<readonly unknown[]> {
  const query = { intervals, filter, virtualColumns: [], dimensions: [], aggregations, limit: null }
  for await (const rows of groupBy(target, query, [])) for (const row of rows) return row
  return []
}

/** The aggregations of a query without dimensions, by buckets of a period. Each row is the start of the bucket, then the aggregations. */
export async function* timeseries(
  target: QueryTarget,
  { intervals, filter, virtualColumns, aggregations }: GroupBy,
  period: string,
): AsyncGenerator<RawRows> {
  if (intervals.length === 0) return
  const granularity = inUtc(period)
  const context = { skipEmptyBuckets: true }
  const body = { queryType: 'timeseries', granularity, intervals, filter, virtualColumns, aggregations, context }
  const names = aggregations.map((aggregation) => nameOf(aggregation))
  for await (const text of elements(target, body)) {
    yield listIn(JSON.parse(text)).map((bucket) => {
      const result = memberOf(bucket, 'result')
      return [instantOf(memberOf(bucket, 'timestamp')), ...names.map((name) => memberOf(result, name))]
    })
  }
}

function inUtc(period: string): object {
  return { type: 'period', period, timeZone: 'UTC' }
}

function nameOf(aggregation: NativeAggregation): string {
  return String(aggregation['name'] ?? memberOf(aggregation['aggregator'], 'name'))
}

/** The rows of a scan, in no particular order. */
export async function* scan(target: QueryTarget, query: Scan, longs: readonly number[]): AsyncGenerator<RawRows> {
  if (query.intervals.length === 0) return
  const { limit, ...rest } = query
  const limited = limit === null ? {} : { limit }
  const format = { resultFormat: 'compactedList', batchSize: scanBatchRows }
  const body = { queryType: 'scan', ...rest, ...limited, ...format }
  for await (const text of elements(target, body)) yield exactRows(text, eventsIn(JSON.parse(text)), longs, eventsIn)
}

/** The first values of a string column after `after`, in Druid's order of strings (see `runTags`). Null is never among them. */
export async function* columnValues(
  target: QueryTarget,
  { column, intervals, filter, after, limit }: ColumnValues,
): AsyncGenerator<string> {
  if (intervals.length === 0) return
  const dimension = { type: 'default', dimension: column, outputName: ':value' }
  const metric = { type: 'dimension', ordering: 'lexicographic', ...(after === null ? {} : { previousStop: after }) }
  const aggregations = [{ type: 'count', name: ':rows' }]
  const body = {
    queryType: 'topN',
    granularity: 'all',
    intervals,
    filter,
    dimension,
    metric,
    threshold: limit,
    aggregations,
  }
  for await (const text of elements(target, body)) {
    for (const element of listIn(JSON.parse(text))) {
      for (const row of listIn(memberOf(element, 'result'))) yield String(memberOf(row, ':value'))
    }
  }
}

/**
 * First and last date of the visible rows; null when there are none. Druid knows the dates of its segments without reading them, so the query carries
 * deletions only where they may hide the result: first those that apply to the two dates found, then all.
 */
export async function timeBoundary(target: QueryTarget): Promise<Bounds | null> {
  // Deletions that only make a metric read as null do not matter here.
  const taking = rowDeletions(target.hidden)
  let tried: readonly HiddenRows[] = []
  for (;;) {
    const found = await boundaryOf({ ...target, hidden: tried })
    if (found === null || tried.length === taking.length) return found
    const near = new Set([found.minMs, found.maxMs].flatMap((ms) => hidingIn(taking, ms, ms)))
    if ([...near].every((one) => tried.includes(one))) return found
    tried = tried.length === 0 ? [...near] : taking
  }
}

async function boundaryOf(target: QueryTarget): Promise<Bounds | null> {
  for await (const text of elements(target, { queryType: 'timeBoundary' })) {
    for (const element of listIn(JSON.parse(text))) {
      const result = memberOf(element, 'result')
      return { minMs: instantOf(memberOf(result, 'minTime')), maxMs: instantOf(memberOf(result, 'maxTime')) }
    }
  }
  return null
}

async function* elements(
  { client, dataSource, hidden, timeoutMs, signal }: QueryTarget,
  body: NativeBody,
): AsyncGenerator<string> {
  try {
    yield* jsonElements(client.query('native', { ...hideRows(body, hidden), dataSource }, { signal, timeoutMs }))
  } catch (error) {
    const problem = asProblem(error)
    throw problem instanceof DruidFailure ? asRefusal(problem, null) : problem
  }
}

/** Numbers that a double cannot hold exactly are parsed a second time, digit for digit. */
function exactRows(text: string, rows: RawRows, longs: readonly number[], read: (value: unknown) => RawRows): RawRows {
  if (!longs.some((column) => rows.some((row) => isUnsafe(row[column])))) return rows
  return read(JSON.parse(withExactLongs(text)))
}

function isUnsafe(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}

function listIn(value: unknown): RawRows {
  if (Array.isArray(value)) return value
  throw new Error('Druid answered something other than a list')
}

function eventsIn(batches: unknown): RawRows {
  return listIn(batches).flatMap((batch) => listIn(memberOf(batch, 'events')))
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) throw new Error(`Druid answered nothing that could have "${name}"`)
  return Reflect.get(value, name)
}

function instantOf(value: unknown): number {
  // Druid writes years before 1 and after 9999 with fewer digits than ECMAScript reads.
  const text = String(value).replace(/^([+-])(\d{4,6})-/, (_, sign, year) => `${sign}${String(year).padStart(6, '0')}-`)
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new Error(`Druid answered ${JSON.stringify(value)} for an instant`)
  return ms
}
