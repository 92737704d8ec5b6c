import { type Sql, sql } from '../../lib/sql-text.ts'
import type { EngineRow, EngineValue } from '../../sql-engine/sql-engine.ts'
import { type Aggregating, aggregate, bucketOf } from '../compile/aggregate.ts'
import type { Relation } from '../compile/relation.ts'
import type { TimeseriesQuery } from '../parse/native-query-types.ts'
import { filledBuckets, stampOfAll } from './filled-buckets.ts'
import { type JsonValue, jsonText, type OutputColumn, RowWriter, timeseriesEntry } from './json-text.ts'
import { msOf, outputs, type Session, sourceOf, timestampWriter } from './session.ts'

export interface TimeseriesRow {
  readonly ms: number
  /** The values of the columns start at index 2. */
  readonly values: readonly EngineValue[]
}

export interface TimeseriesResult {
  readonly columns: readonly OutputColumn[]
  readonly rows: readonly TimeseriesRow[]
}

/** Options for aggregating all matching rows into one row, ignoring buckets. */
type Whole = Pick<Aggregating, 'also' | 'ofNothing'>

const nothing: Whole = { also: () => sql`FALSE` }

function compile(
  query: TimeseriesQuery,
  relation: Relation,
  whole: Whole | null,
): { statement: Sql; columns: readonly OutputColumn[] } {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const { granularity } = whole === null ? query : { granularity: { kind: 'all' } as const }
  const { relation: grouped, rows } = aggregate(
    { ...query, ...whole, granularity, dimensions: [], grouped: new Set() },
    source,
  )
  const names = [...query.aggregations, ...query.postAggregations].map(({ name }) => name!)
  const values = names.map((name) => rows.column(name))
  const first = granularity.kind === 'all' ? sql`CAST(0 AS BIGINT) AS "b"` : sql`"b"`
  const statement = sql`SELECT ${sql.list([first, sql`"n"`, ...outputs(values)])} FROM ${grouped} AS r`
  return { statement, columns: names.map((name, index) => ({ name, type: values[index]!.type })) }
}

/** Compares bucket starts, not row times: at clock changes, rows of a bucket may lie before its start and after the start of the next. */
function startsWithin(start: Sql | null, [firstMs, lastMs]: readonly [number, number]): Sql {
  if (start === null) throw new Error('one bucket holds all')
  return sql`${start} BETWEEN ${sql.long(firstMs)} AND ${sql.long(lastMs)}`
}

/** The rows in the requested order, including the empty buckets that Druid fills. */
export async function timeseriesRows(
  query: TimeseriesQuery,
  relation: Relation,
  session: Session,
): Promise<TimeseriesResult> {
  const { statement, columns } = compile(query, relation, null)
  const found = await session.rows(statement)
  const rows =
    query.granularity.kind === 'all'
      ? allRows(query, relation, found)
      : await bucketRows(query, relation, session, found)
  if (query.descending) rows.reverse()
  return { columns, rows: query.limit === 0 ? rows : rows.slice(0, query.limit) }
}

function allRows(
  query: TimeseriesQuery,
  relation: Relation,
  found: readonly (readonly EngineValue[])[],
): TimeseriesRow[] {
  const [only] = found
  if (only === undefined || (query.context.skipEmptyBuckets && only[1] === 0n)) return []
  return [{ ms: stampOfAll(relation, query.intervals, query.descending), values: only }]
}

async function bucketRows(
  query: TimeseriesQuery,
  relation: Relation,
  session: Session,
  found: readonly (readonly EngineValue[])[],
): Promise<TimeseriesRow[]> {
  const byStart = new Map(found.map((values) => [msOf(values[0]), values]))
  const { granularity, context } = query
  if (granularity.kind === 'all') throw new Error('one bucket holds all')
  if (context.skipEmptyBuckets) return [...byStart].sort(([a], [b]) => a - b).map(([ms, values]) => ({ ms, values }))
  const starts = filledBuckets(relation, query.intervals, granularity, session.limits.bucketsMax)
  // Rows without a time lie in the bucket of 1970, whether or not the intervals include it.
  if (starts.every((ms) => byStart.has(ms))) return starts.map((ms) => ({ ms, values: byStart.get(ms)! }))
  const [empty] = await session.rows(compile(query, relation, nothing).statement)
  return starts.map((ms) => ({ ms, values: byStart.get(ms) ?? empty! }))
}

/** Options for the total over the rows that are returned, of which there is at least one. */
function shownRows({ granularity, limit }: TimeseriesQuery, rows: readonly TimeseriesRow[]): Whole {
  if (limit === 0 || granularity.kind === 'all') return {}
  const times = rows.map(({ ms }) => ms)
  const between = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))] as const
  return { also: (source) => startsWithin(bucketOf(granularity, source), between) }
}

export async function* runTimeseries(
  query: TimeseriesQuery,
  relation: Relation,
  session: Session,
): AsyncGenerator<string> {
  const { columns, rows } = await timeseriesRows(query, relation, session)
  const timestamp = timestampWriter(query)
  const writer = new RowWriter(columns, 2)
  const entry = (time: JsonValue, values: EngineRow): string => timeseriesEntry(jsonText(time), writer.object(values))
  for (const { ms, values } of rows) yield entry(timestamp(ms), values)
  if (!query.context.grandTotal) return
  const whole = rows.length === 0 ? { ...nothing, ofNothing: true } : shownRows(query, rows)
  const [total] = await session.rows(compile(query, relation, whole).statement)
  yield entry(null, total!)
}
