// Shared by timeseries, topN and groupBy: rows are assigned to time buckets and groups, aggregated, and finished.
// Tested by `test/druid-native/agreement.test.ts`.

import { floorToBucket } from '../../druid-time/bucket-sql.ts'
import type { NativeGranularity } from '../../druid-time/native-granularity.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { Aggregator, DimensionSpec, Filter, PostAggregator } from '../parse/query-nodes.ts'
import { typedNull } from '../values/typed.ts'
import { type Aggregation, compileAggregator } from './aggregator.ts'
import { compileDimension } from './extraction.ts'
import { compileFilter } from './filter.ts'
import { Rows } from './result-rows.ts'
import type { Source } from './source-rows.ts'

export interface Aggregated {
  /** The SQL of the rows, in parentheses: `b` is the start of the bucket (absent for `all`), `n` the number of rows in it. */
  readonly relation: Sql
  readonly rows: Rows
}

export interface Aggregating {
  readonly granularity: NativeGranularity
  readonly dimensions: readonly DimensionSpec[]
  /** The names of the dimensions to group by; the others are null. */
  readonly grouped: ReadonlySet<string>
  readonly aggregations: readonly Aggregator[]
  readonly postAggregations: readonly PostAggregator[]
  readonly filter: Filter | null
  /** Aggregates over no buckets: they are null, except distinct counts. */
  readonly ofNothing?: boolean
  /** An additional condition on rows. */
  readonly also?: (source: Source) => Sql
}

export function bucketOf(granularity: NativeGranularity, source: Source): Sql | null {
  if (granularity.kind === 'all') return null
  const bucket = floorToBucket(source.time().sql, granularity, source.range)
  if (bucket === null) throw unsupported('granularity', 'a period of several units with this many buckets')
  return bucket
}

/** Druid's value of an aggregate over no buckets: null, except for distinct counts. */
function ofNothing(aggregation: Aggregation, aggregator: Aggregator): Aggregation {
  if (countsDifferent(aggregator)) return aggregation
  return {
    ...aggregation,
    finish: (raw, also) => {
      const made = aggregation.finish(raw, also)
      return { ...made, sql: typedNull(made.type) }
    },
  }
}

function countsDifferent(aggregator: Aggregator): boolean {
  if (aggregator.kind === 'filtered') return countsDifferent(aggregator.aggregator)
  return aggregator.kind === 'cardinality' || (aggregator.kind === 'distinct' && aggregator.sketch !== 'theta')
}

export function aggregate(query: Aggregating, source: Source): Aggregated {
  const { grouped } = query
  const bucket = bucketOf(query.granularity, source)
  const dimensions = query.dimensions.map((spec) =>
    compileDimension(spec, source, grouped.has(spec.outputName) ? (list) => source.explode(list) : null),
  )
  // Druid's `grouping` aggregator names the dimensions' columns, not the dimensions.
  const columns = query.dimensions.filter(({ outputName }) => grouped.has(outputName)).map((spec) => spec.dimension)
  const groupedColumns = new Set(columns)
  const aggregations = query.aggregations.map((aggregator) => compileAggregator(aggregator, source, groupedColumns))
  const rows = new Rows()
  dimensions.forEach((dimension, index) => {
    const key = grouped.has(dimension.name) ? sql.id(`g${index}`) : typedNull(dimension.key.type)
    rows.set(dimension.name, dimension.finish(key))
  })
  aggregations.forEach((aggregation, index) => {
    const made = query.ofNothing === true ? ofNothing(aggregation, query.aggregations[index]!) : aggregation
    rows.setAggregation(made, sql.id(`a${index}`), sql.id(`s${index}`))
  })
  for (const post of query.postAggregations) rows.setPostAggregator(post)
  const keys = [
    ...(bucket === null ? [] : [sql`${bucket} AS "b"`]),
    ...dimensions.flatMap(({ name, key }, index) =>
      grouped.has(name) ? [sql`${key.sql} AS ${sql.id(`g${index}`)}`] : [],
    ),
  ]
  const values = [
    sql`count(*) AS "n"`,
    ...aggregations.flatMap(({ raw, also }, index) => [
      sql`${raw} AS ${sql.id(`a${index}`)}`,
      ...(also === null ? [] : [sql`${also} AS ${sql.id(`s${index}`)}`]),
    ]),
    ...rows.hidden,
  ]
  const conditions = [
    ...(query.filter === null ? [] : [compileFilter(query.filter, source, source.index)]),
    ...(query.also === undefined ? [] : [query.also(source)]),
  ]
  const from = source.rows(conditions.length === 0 ? null : sql.join(conditions, ' AND '))
  const grouping = keys.length === 0 ? sql.empty : sql` GROUP BY ${sql.positions(keys.length)}`
  const statement = sql`(SELECT ${sql.list([...keys, ...values])} FROM ${from}${grouping})`
  return { relation: rows.around(statement), rows }
}
