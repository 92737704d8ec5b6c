// Groups the rows of one data source by bucket and keys. Druid computes the aggregations.
import type { TimeBuckets } from '../../algebra/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Granularity, ZonedGranularity } from '../../model/granularity.ts'
import type { Range } from '../../model/plan.ts'
import { type BucketRange, bucketSlices, zonedRanges } from './bucket-columns.ts'
import type { Bounds } from './druid-query.ts'
import { groupBy, type QueryTarget, type RawRows, timeseries } from './druid-query.ts'
import { type DruidRun, groupKeys, longsIn } from './druid-run.ts'
import { intervalsOf, type NativeAggregation, type NativeColumn, type NativeFilter } from './native-query.ts'

const bucket = ':bucket'

type Slice = Omit<BucketRange, 'expression'> & { readonly expression: string | null }

/** Druid visits every bucket of a period, even empty ones. Finer buckets are therefore computed for each row. */
const coarsePeriod = /^P(\d+[DWM]|T\d+[HM])$/

export interface BucketRequest {
  readonly granularity: Granularity | ZonedGranularity
  /** The buckets of a granularity in the local time of a zone. */
  readonly buckets: TimeBuckets | null
  readonly bucketsMax: number
  /** First and last date of the rows; null when there are none. */
  readonly bounds: () => Promise<Bounds | null>
}

/** The ranges of time that are queried one by one. The buckets of `all` need no column. */
export async function slicesOf(
  { fromMs, toMs }: Range,
  { granularity, buckets, bucketsMax, bounds }: BucketRequest,
): Promise<readonly Slice[]> {
  if (granularity.kind === 'all') return [{ fromMs, toMs, expression: null, period: null }]
  if (granularity.kind !== 'compound' && granularity.kind !== 'zoned') return bucketSlices(granularity, fromMs, toMs)
  const there = await bounds()
  if (there === null) return []
  const known = { fromMs: Math.max(fromMs, there.minMs), toMs: Math.min(toMs, there.maxMs) }
  if (granularity.kind === 'compound') return bucketSlices(granularity, known.fromMs, known.toMs)
  if (buckets === null) throw new Error('buckets by the clocks of a zone are given')
  return zonedRanges(buckets, known, bucketsMax)
}

/** The rows to group, and their aggregations. */
export interface GroupSource {
  readonly target: QueryTarget
  readonly slices: readonly Slice[]
  readonly filter: NativeFilter | null
  readonly columns: readonly NativeColumn[]
  readonly aggregations: readonly NativeAggregation[]
  /** The indexes of the aggregations whose values a double may not hold exactly. */
  readonly longs: readonly number[]
}

/** Each row is the start of its bucket (null with granularity `all`), the keys, then the aggregations. With keys, a slice has at most `limit` groups. */
export async function* groupsIn(
  source: GroupSource,
  keys: readonly EntityField[],
  limit: number,
  { pacer }: Pick<DruidRun, 'pacer'>,
): AsyncGenerator<RawRows> {
  for (const slice of source.slices) {
    for await (const rows of groupsOf(source, slice, keys, limit)) {
      yield slice.expression === null ? rows.map((row) => [null, ...row]) : rows
      if (pacer.spend(rows.length * source.aggregations.length)) await pacer.rest()
    }
  }
}

function groupsOf(
  { target, filter, columns, aggregations, longs }: GroupSource,
  { fromMs, toMs, expression, period: asked }: Slice,
  keys: readonly EntityField[],
  limit: number,
): AsyncGenerator<RawRows> {
  const { dimensions, virtualColumns } = groupKeys(keys)
  const period = asked !== null && coarsePeriod.test(asked) ? asked : null
  const bucketColumn: NativeColumn[] =
    expression === null || period !== null ? [] : [{ type: 'expression', name: bucket, expression, outputType: 'LONG' }]
  const buckets = bucketColumn.map(
    ({ name }) => ({ type: 'default', dimension: name, outputName: ':b', outputType: 'LONG' }) as const,
  )
  const query = {
    period,
    intervals: intervalsOf(fromMs, toMs),
    filter,
    virtualColumns: [...bucketColumn, ...virtualColumns, ...columns],
    dimensions: [...buckets, ...dimensions],
    aggregations,
    limit,
  }
  if (dimensions.length === 0 && period !== null && longs.length === 0) return timeseries(target, query, period)
  const keysFrom = expression === null ? 0 : 1
  const ofAggregations = longs.map((index) => keysFrom + keys.length + index)
  return groupBy(target, query, [...longsIn(keys).map((index) => index + keysFrom), ...ofAggregations])
}
