import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'
import { aggregate } from '../compile/aggregate.ts'
import { dimensionValue } from '../compile/extraction.ts'
import type { Relation } from '../compile/relation.ts'
import type { Rows } from '../compile/result-rows.ts'
import type { Source } from '../compile/source-rows.ts'
import type { TopNMetric, TopNQuery } from '../parse/native-query-types.ts'
import type { DimensionSpec } from '../parse/query-nodes.ts'
import { orderBy, sortKeys } from '../values/ordering.ts'
import { elementOf, toText } from '../values/typed.ts'
import { topNBuckets } from './filled-buckets.ts'
import { type JsonItem, jsonText, listEntry, mapped, type OutputColumn, RowWriter } from './json-text.ts'
import { msOf, outputs, type Session, sourceOf, timestampWriter } from './session.ts'

/** The sort keys of a metric, and the condition on ranked rows (null: none). */
function ranking(
  metric: TopNMetric,
  rows: Rows,
  dimension: string,
  inverted = false,
): { readonly order: readonly Sql[]; readonly where: Sql | null } {
  if (metric.kind === 'inverted') return ranking(metric.metric, rows, dimension, !inverted)
  const value = rows.column(dimension)
  if (metric.kind === 'numeric') {
    // Nulls are last in both directions; ties are in the order of the dimension.
    const by = rows.column(metric.metric).sql
    return {
      order: [inverted ? sql`${by} ASC NULLS LAST` : sql`${by} DESC NULLS LAST`, ...orderBy([value.sql], false)],
      where: null,
    }
  }
  const keys = sortKeys(value, metric.ordering)
  // Nulls stay first when the order is inverted.
  const order = inverted ? keys.map((key) => sql`${key} DESC NULLS FIRST`) : orderBy(keys, false)
  if (metric.previousStop === null) return { order, where: null }
  const stop = sortKeys({ type: 'STRING', sql: sql`CAST(${metric.previousStop} AS VARCHAR)` }, metric.ordering)
  const own = sortKeys({ type: 'STRING', sql: toText(value) }, metric.ordering)
  // The engine treats null as the greatest value, so nulls are marked explicitly.
  const row = (all: readonly Sql[]): Sql => sql`ROW(${sql.list(all.flatMap((key) => [sql`${key} IS NOT NULL`, key]))})`
  const beyond = sql`${row(own)} ${inverted ? sql`<` : sql`>`} ${row(stop)}`
  return { order, where: sql`(${value.sql} IS NOT NULL AND ${beyond})` }
}

export interface TopNResult {
  readonly columns: readonly OutputColumn[]
  /** Each row: start of its bucket, rank, values of the columns. */
  readonly rows: readonly EngineRow[]
}

export async function topNRows(query: TopNQuery, relation: Relation, session: Session): Promise<TopNResult> {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const { type, isMulti } = source.column(query.dimension.dimension)
  if (elementOf(type) !== null && !isMulti)
    throw invalidRequest('dimension', `"${query.dimension.dimension}" is an array: use a groupBy to group by arrays`)
  const made = aggregate(
    {
      ...query,
      dimensions: [query.dimension],
      grouped: new Set([query.dimension.outputName]),
      // Unlike a groupBy, a topN has no group for the values that its dimension spec drops.
      ...(query.dimension.keep === null ? {} : { also: (rows: Source) => isKept(query.dimension, rows) }),
    },
    source,
  )
  const names = [
    query.dimension.outputName,
    ...[...query.aggregations, ...query.postAggregations].map(({ name }) => name!),
  ]
  const values = names.map((name) => made.rows.column(name))
  const bucket = query.granularity.kind === 'all' ? sql`CAST(0 AS BIGINT)` : sql`"b"`
  const { order, where } = ranking(query.metric, made.rows, query.dimension.outputName)
  const condition = where === null ? sql.empty : sql` WHERE ${where}`
  const cut = sql.long(query.threshold)
  const by = sql.list(order)
  const select = (rank: Sql): Sql =>
    sql`SELECT ${sql.list([sql`${bucket} AS "t"`, sql`${rank} AS "k"`, ...outputs(values)])} FROM ${made.relation} AS r${condition}`
  const ranked = sql`row_number() OVER (PARTITION BY ${bucket} ORDER BY ${by})`
  const statement =
    query.granularity.kind === 'all'
      ? sql`${select(sql.long(0))} ORDER BY ${by} LIMIT ${cut}`
      : sql`SELECT * FROM (${select(ranked)}) AS u WHERE "k" <= ${cut} ORDER BY "t", "k"`
  const columns = names.map((name, index) => ({ name, type: values[index]!.type }))
  return { columns, rows: await session.rows(statement) }
}

export async function* runTopN(query: TopNQuery, relation: Relation, session: Session): AsyncGenerator<JsonItem> {
  const { columns, rows } = await topNRows(query, relation, session)
  const { granularity, intervals } = query
  const buckets = granularity.kind === 'all' ? null : granularity
  const timestamp = timestampWriter(query)
  const writer = new RowWriter(columns, 2)
  const byBucket = rows.map((values) => ({ bucketMs: msOf(values[0]), values }))
  for (const { startMs, found } of topNBuckets(relation, { intervals, buckets }, byBucket, session.limits.bucketsMax)) {
    yield listEntry(
      jsonText(timestamp(startMs)),
      mapped(found, ({ values }) => writer.object(values)),
    )
  }
}

/** Whether the dimension spec keeps a row's value. A null is kept if the allowlist contains it, or the denylist does not. */
function isKept(spec: DimensionSpec, source: Source): Sql {
  const isThere = sql`${dimensionValue(spec, source).sql} IS NOT NULL`
  const { keep } = spec
  const keepsNull = keep !== null && 'values' in keep && keep.values.includes(null) === keep.listed
  if (!keepsNull) return isThere
  return sql`(${isThere} OR ${dimensionValue({ ...spec, keep: null }, source).sql} IS NULL)`
}
