import { timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import { type AveragePlan, outputFields } from '../../model/plan.ts'
import { resultTooLarge, tooManyBuckets } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { AnswerRows } from './answer-rows.ts'
import { type BucketStretch, bucketStretches } from './bucket-columns.ts'
import { groupBy, type RawRows, timeseries } from './druid-query.ts'
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

/** Druid goes through every bucket of a period, be there rows in it or not: finer ones are put to each row. */
const coarsePeriod = /^P(\d+[DWM]|T\d+[HM])$/

/** The stretches of time that are asked one by one; the buckets of `all` need no column. */
async function stretchesOf({ selection, range, granularity }: AveragePlan, run: DruidRun): Promise<Stretch[]> {
  const fromMs = startMs(selection, range.fromMs)
  if (granularity.kind === 'all') return [{ fromMs, toMs: range.toMs, expression: null, period: null }]
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
  const period = stretch.period !== null && coarsePeriod.test(stretch.period) ? stretch.period : null
  const bucketColumn: NativeColumn[] =
    expression === null || period !== null ? [] : [{ type: 'expression', name: bucket, expression, outputType: 'LONG' }]
  const buckets = bucketColumn.map(
    ({ name }) => ({ type: 'default', dimension: name, outputName: ':b', outputType: 'LONG' }) as const,
  )
  const sums = selection.metrics.map((metric, index) => sumOf(metric, index, factor))
  // All items have a value where there is one metric.
  const counts = selection.metrics.map(({ name }, index): NativeAggregation => {
    const count = { type: 'count', name: `:count${index}` }
    return selection.metrics.length === 1 ? count : { type: 'filtered', filter: not(isNull(name)), aggregator: count }
  })
  const needsFirst = plan.granularity.kind === 'all' && plan.range.fromMs === Number.NEGATIVE_INFINITY
  const query = {
    period,
    intervals: intervalsOf(stretch.fromMs, stretch.toMs),
    filter: selectionFilter(selection),
    virtualColumns: [...bucketColumn, ...virtualColumns, ...sums.flatMap(({ columns }) => columns)],
    dimensions: [...buckets, ...dimensions],
    aggregations: [
      ...sums.map(({ aggregation }) => aggregation),
      ...counts,
      ...(needsFirst ? [{ type: 'longMin', name: ':first', fieldName: timeColumn }] : []),
    ],
    limit: limits.resultRows + 1,
  }
  const groups: Group[] = []
  const bucketsInRow = expression === null ? 0 : 1
  const longs = longsIn(keyFields).map((index) => index + bucketsInRow)
  const isSeries = dimensions.length === 0 && period !== null
  for await (const rows of isSeries ? timeseries(target, query, period) : groupBy(target, query, longs)) {
    for (const group of groupsIn(rows, bucketsInRow, dimensions.length, selection.metrics.length)) {
      groups.push(group)
    }
    if (groups.length > limits.resultRows) throw resultTooLarge(limits.resultRows, null)
    if (pacer.spend(rows.length * query.aggregations.length)) await pacer.rest()
  }
  return groups
}

interface MetricSum {
  readonly columns: readonly NativeColumn[]
  readonly aggregation: NativeAggregation
}

/** The sum of a metric's values, each times `factor`. */
function sumOf({ name }: EntityField, index: number, factor: number): MetricSum {
  const sum = { type: 'doubleSum', name: `:sum${index}` }
  if (factor === 1) return { columns: [], aggregation: { ...sum, fieldName: name } }
  const scaled = `:s${index}`
  const expression = `${columnText(name)} * ${factor}`
  return {
    columns: [{ type: 'expression', name: scaled, expression, outputType: 'DOUBLE' }],
    aggregation: { ...sum, fieldName: scaled },
  }
}

/** Rows of the bucket, if there is one, the keys, the sums, the counts, and the date of the first item where it was asked for. */
function groupsIn(rows: RawRows, buckets: number, keys: number, metrics: number): Group[] {
  const groups: Group[] = []
  const sumsFrom = buckets + keys
  for (const row of rows) {
    const means: (number | null)[] = []
    for (let metric = sumsFrom; metric < sumsFrom + metrics; metric++) {
      const count = Number(row[metric + metrics])
      means.push(count === 0 ? null : Number(row[metric]) / count)
    }
    // Without keys Druid answers one row even when there is nothing.
    if (means.every((mean) => mean === null)) continue
    const bucketMs = buckets === 0 ? null : Number(row[0])
    const firstMs = Number(row[sumsFrom + 2 * metrics] ?? Number.POSITIVE_INFINITY)
    groups.push({ bucketMs, keys: row.slice(buckets, sumsFrom), means, firstMs })
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
