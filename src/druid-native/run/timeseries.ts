import { type Sql, sql } from '../../lib/sql-text.ts'
import type { EngineRow, EngineValue } from '../../sql-engine/sql-engine.ts'
import { type Aggregated, aggregate, bucketOf } from '../compile/aggregate.ts'
import type { Relation } from '../compile/relation.ts'
import type { TimeseriesQuery } from '../parse/native-query-types.ts'
import { filledBuckets, stampOfAll } from './filled-buckets.ts'
import { type JsonValue, jsonText, type OutputColumn, RowWriter, timeseriesEntry } from './json-text.ts'
import { msOf, outputs, type Session, sourceOf, timestampWriter } from './session.ts'

export interface TimeseriesRow {
  readonly ms: number
  /** From the third on: the values of the columns. */
  readonly values: readonly EngineValue[]
}

export interface TimeseriesResult {
  readonly columns: readonly OutputColumn[]
  readonly rows: readonly TimeseriesRow[]
}

interface Options {
  /** Nothing, where no row passes. */
  readonly empty?: boolean
  /** Only rows of the buckets that start within these, both of them included. */
  readonly between?: readonly [number, number]
  readonly total?: boolean
  /** Of no bucket at all. */
  readonly ofNothing?: boolean
}

function compile(
  query: TimeseriesQuery,
  relation: Relation,
  { empty, between, total, ofNothing = false }: Options,
): { statement: Sql; columns: readonly OutputColumn[] } {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const bucketed = query.granularity.kind !== 'all' && empty !== true && total !== true
  const made: Aggregated = aggregate(
    {
      granularity: bucketed ? query.granularity : { kind: 'all' },
      dimensions: [],
      grouped: new Set(),
      aggregations: query.aggregations,
      postAggregations: query.postAggregations,
      filter: query.filter,
      ofNothing,
      ...(empty === true ? { also: () => sql`FALSE` } : {}),
      ...(between === undefined ? {} : { also: () => startsWithin(bucketOf(query.granularity, source), between) }),
    },
    source,
  )
  const names = [...query.aggregations, ...query.postAggregations].map(({ name }) => name!)
  const values = names.map((name) => made.rows.column(name))
  const first = bucketed ? sql`"b"` : sql`CAST(0 AS BIGINT) AS "b"`
  const statement = sql`SELECT ${sql.list([first, sql`"n"`, ...outputs(values)])} FROM ${made.relation} AS r`
  return { statement, columns: names.map((name, index) => ({ name, type: values[index]!.type })) }
}

/** By starts and not by times: where clocks change, rows of a bucket may lie before its start and behind that of the next one. */
function startsWithin(start: Sql | null, [firstMs, lastMs]: readonly [number, number]): Sql {
  if (start === null) throw new Error('one bucket holds all')
  return sql`${start} BETWEEN ${sql.long(firstMs)} AND ${sql.long(lastMs)}`
}

/** The rows in the order asked for, with the empty buckets that Druid fills. */
export async function timeseriesRows(
  query: TimeseriesQuery,
  relation: Relation,
  session: Session,
): Promise<TimeseriesResult> {
  const { statement, columns } = compile(query, relation, {})
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
  // Rows without a time lie in the bucket of 1970, whether or not the intervals do.
  if (starts.every((ms) => byStart.has(ms))) return starts.map((ms) => ({ ms, values: byStart.get(ms)! }))
  const [nothing] = await session.rows(compile(query, relation, { empty: true }).statement)
  return starts.map((ms) => ({ ms, values: byStart.get(ms) ?? nothing! }))
}

/** The total over the rows that are shown, one at least. */
async function totalOf(
  query: TimeseriesQuery,
  relation: Relation,
  session: Session,
  rows: readonly TimeseriesRow[],
  all: boolean,
): Promise<readonly EngineValue[]> {
  const { granularity } = query
  if (all || granularity.kind === 'all') {
    const [total] = await session.rows(compile(query, relation, { total: true }).statement)
    return total!
  }
  const times = rows.map(({ ms }) => ms)
  const between = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))] as const
  const [total] = await session.rows(compile(query, relation, { total: true, between }).statement)
  return total!
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
  if (rows.length === 0) {
    const { statement } = compile(query, relation, { empty: true, ofNothing: true })
    const [nothing] = await session.rows(statement)
    yield entry(null, nothing!)
  } else yield entry(null, await totalOf(query, relation, session, rows, query.limit === 0))
}
