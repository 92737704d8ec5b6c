import { timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import { type AveragePlan, outputFields } from '../../model/plan.ts'
import { resultTooLarge, tooManyBuckets } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { AnswerRows } from './answer-rows.ts'
import { type BucketStretch, bucketStretches } from './bucket-columns.ts'
import { groupBy, type RawRows } from './druid-query.ts'
import { type DruidRun, groupKeys, longsIn, startMs } from './druid-run.ts'
import { collectReplaced, type Group, overflowScale, unscaled } from './means.ts'
import { columnText, intervalsOf, isNull, type NativeAggregation, type NativeColumn, not } from './native-query.ts'
import { selectionFilter } from './selection-filter.ts'

const bucket = ':bucket'

/** Means by bucket, tag and fields: Druid sums and counts. */
export async function* runAverage(plan: AveragePlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { selection, range, granularity } = plan
  const groups: Group[] = []
  if (run.replacedBy !== null) for (const group of await collectReplaced(plan, run)) groups.push(group)
  else
    for (const stretch of await stretchesOf(plan, run)) {
      let some = await collect(plan, run, stretch, 1)
      if (some.some(({ means }) => means.some((mean) => mean !== null && !Number.isFinite(mean)))) {
        some = withScaled(some, await collect(plan, run, stretch, overflowScale))
      }
      for (const group of some) groups.push(group)
      if (groups.length > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, null)
    }
  const firstMs = groups.reduce((first, group) => Math.min(first, group.firstMs), Number.POSITIVE_INFINITY)
  const allMs = range.fromMs === Number.NEGATIVE_INFINITY ? firstMs : range.fromMs
  const output = outputFields(plan)
  const rows = new AnswerRows(
    output.map(({ type }) => type),
    run.limits,
  )
  rows.add(groups.map(({ bucketMs, keys, means }) => [bucketMs ?? allMs, ...keys, ...means]))
  if (granularity.kind !== 'all') checkBuckets(groups, run.limits.buckets)
  const keys = output.length - selection.metrics.length
  const order = await rows.inOrderOf(
    Array.from({ length: keys }, (_, index) => index),
    run.pacer,
  )
  yield* rows.batches(order, output.length, run.pacer)
}

function checkBuckets(groups: readonly Group[], bucketsMax: number): void {
  if (groups.length <= bucketsMax) return
  if (new Set(groups.map(({ bucketMs }) => bucketMs)).size > bucketsMax) throw tooManyBuckets(bucketsMax)
}

type Stretch = Omit<BucketStretch, 'expression'> & { readonly expression: string | null }

/** The stretches of time that are asked one by one; the buckets of `all` need no column. */
async function stretchesOf({ selection, range, granularity }: AveragePlan, run: DruidRun): Promise<Stretch[]> {
  const fromMs = startMs(selection, range.fromMs)
  if (granularity.kind === 'all') return [{ fromMs, toMs: range.toMs, expression: null }]
  if (granularity.kind !== 'compound') return bucketStretches(granularity, fromMs, range.toMs)
  const bounds = await run.bounds('now')
  if (bounds === null) return []
  return bucketStretches(granularity, Math.max(fromMs, bounds.minMs), Math.min(range.toMs, bounds.maxMs))
}

async function collect(
  plan: AveragePlan,
  { target, limits, pacer }: DruidRun,
  stretch: Stretch,
  factor: number,
): Promise<Group[]> {
  const { selection, byTag } = plan
  const keyFields = [...(byTag ? [selection.tag] : []), ...selection.fields]
  const { dimensions, virtualColumns } = groupKeys(keyFields)
  const { expression } = stretch
  const bucketColumn: NativeColumn[] =
    expression === null ? [] : [{ type: 'expression', name: bucket, expression, outputType: 'LONG' }]
  const buckets = bucketColumn.map(
    ({ name }) => ({ type: 'default', dimension: name, outputName: ':b', outputType: 'LONG' }) as const,
  )
  const sums = selection.metrics.flatMap((metric, index) => sumOf(metric, index, factor))
  const query = {
    intervals: intervalsOf(stretch.fromMs, stretch.toMs),
    filter: selectionFilter(selection),
    virtualColumns: [...bucketColumn, ...virtualColumns, ...sums.flatMap(({ columns }) => columns)],
    dimensions: [...buckets, ...dimensions],
    aggregations: [
      ...sums.flatMap(({ aggregations }) => aggregations),
      { type: 'longMin', name: ':first', fieldName: timeColumn },
    ],
    limit: limits.resultRows + 1,
  }
  const groups: Group[] = []
  const longs = longsIn(keyFields).map((index) => index + buckets.length)
  for await (const rows of groupBy(target, query, longs)) {
    for (const group of groupsIn(rows, buckets.length, dimensions.length, selection.metrics.length)) {
      groups.push(group)
    }
    if (groups.length > limits.resultRows) throw resultTooLarge(limits.resultRows, null)
    if (pacer.spend(rows.length * query.aggregations.length)) await pacer.rest()
  }
  return groups
}

interface MetricSum {
  readonly columns: readonly NativeColumn[]
  readonly aggregations: readonly NativeAggregation[]
}

/** The sum of a metric's values, each times `factor`, and how many there are. */
function sumOf({ name }: EntityField, index: number, factor: number): MetricSum[] {
  const scaled = `:s${index}`
  const expression = `${columnText(name)} * ${factor}`
  const columns: NativeColumn[] =
    factor === 1 ? [] : [{ type: 'expression', name: scaled, expression, outputType: 'DOUBLE' }]
  return [
    {
      columns,
      aggregations: [
        { type: 'doubleSum', name: `:sum${index}`, fieldName: factor === 1 ? name : scaled },
        { type: 'filtered', filter: not(isNull(name)), aggregator: { type: 'count', name: `:count${index}` } },
      ],
    },
  ]
}

function groupsIn(rows: RawRows, buckets: number, keys: number, metrics: number): Group[] {
  const groups: Group[] = []
  for (const row of rows) {
    const first = buckets + keys
    const means: (number | null)[] = []
    for (let metric = 0; metric < metrics; metric++) {
      const count = Number(row[first + metric * 2 + 1])
      means.push(count === 0 ? null : Number(row[first + metric * 2]) / count)
    }
    // Without keys Druid answers one row even when there is nothing.
    if (means.every((mean) => mean === null)) continue
    const bucketMs = buckets === 0 ? null : Number(row[0])
    groups.push({ bucketMs, keys: row.slice(buckets, first), means, firstMs: Number(row[first + metrics * 2]) })
  }
  return groups
}

/** Of each mean that overflowed, the one of the scaled values. */
function withScaled(groups: readonly Group[], scaled: readonly Group[]): Group[] {
  const byKey = new Map(scaled.map((group) => [keyOf(group), group]))
  return groups.map((group) => {
    const other = byKey.get(keyOf(group))
    const means = group.means.map((mean, index) => {
      if (mean === null || Number.isFinite(mean)) return mean
      const again = other?.means[index] ?? null
      return again === null ? null : unscaled(again)
    })
    return { ...group, means }
  })
}

function keyOf({ bucketMs, keys }: Group): string {
  return JSON.stringify([bucketMs, ...keys])
}
