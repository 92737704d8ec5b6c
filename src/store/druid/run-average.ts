import { timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import { type AveragePlan, outputFields } from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import { resultTooLarge, tooManyBuckets } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { type BucketStretch, bucketStretches, zonedStretches } from './bucket-columns.ts'
import { groupBy, type RawRows, timeseries } from './druid-query.ts'
import { type DruidRun, groupKeys, longsIn, startMs } from './druid-run.ts'
import { type MeanRow, type Means, overflowScale, replacedMeans, unscaled } from './means.ts'
import { columnText, intervalsOf, isNull, type NativeAggregation, type NativeColumn, not } from './native-query.ts'
import { selectionFilter } from './selection-filter.ts'

const bucket = ':bucket'

/** Means by bucket, tag and fields: Druid sums and counts. */
export async function* runAverage(plan: AveragePlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { selection, range, granularity } = plan
  const { rows, firstMs } = await (run.replacedBy === null ? summedMeans(plan, run) : replacedMeans(plan, run))
  if (granularity.kind === 'all') {
    const fromMs = range.fromMs === Number.NEGATIVE_INFINITY ? firstMs : range.fromMs
    for (const row of rows) row[0] = fromMs
  } else checkBuckets(rows, run.limits.buckets)
  const output = outputFields(plan)
  const answer = new AnswerRows(
    output.map(({ type }) => type),
    run.limits,
  )
  answer.add(rows)
  const keys = output.length - selection.metrics.length
  const order = await answer.inOrderOf(
    Array.from({ length: keys }, (_, index) => index),
    run.pacer,
  )
  yield* answer.batches(order, output.length, run.pacer)
}

function checkBuckets(rows: readonly MeanRow[], bucketsMax: number): void {
  if (rows.length <= bucketsMax) return
  if (new Set(rows.map(([bucketMs]) => bucketMs)).size > bucketsMax) throw tooManyBuckets(bucketsMax)
}

async function summedMeans(plan: AveragePlan, run: DruidRun): Promise<Means> {
  const rows: MeanRow[] = []
  let firstMs = Number.POSITIVE_INFINITY
  for (const stretch of await stretchesOf(plan, run)) {
    const some = await collect(plan, run, stretch, 1)
    if (some.hasOverflow) mendOverflow(plan, some, await collect(plan, run, stretch, overflowScale))
    for (const row of some.rows) rows.push(row)
    firstMs = Math.min(firstMs, some.firstMs)
    if (rows.length > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, null)
  }
  return { rows, firstMs }
}

type Stretch = Omit<BucketStretch, 'expression'> & { readonly expression: string | null }

/** Druid goes through every bucket of a period, be there rows in it or not: finer ones are put to each row. */
const coarsePeriod = /^P(\d+[DWM]|T\d+[HM])$/

/** The stretches of time that are asked one by one; the buckets of `all` need no column. */
async function stretchesOf({ selection, range, granularity }: AveragePlan, run: DruidRun): Promise<Stretch[]> {
  const fromMs = startMs(selection, range.fromMs)
  if (granularity.kind === 'all') return [{ fromMs, toMs: range.toMs, expression: null, period: null }]
  if (granularity.kind !== 'compound' && granularity.kind !== 'zoned')
    return bucketStretches(granularity, fromMs, range.toMs)
  const bounds = await run.bounds('now')
  if (bounds === null) return []
  const known = { fromMs: Math.max(fromMs, bounds.minMs), toMs: Math.min(range.toMs, bounds.maxMs) }
  if (granularity.kind === 'compound') return bucketStretches(granularity, known.fromMs, known.toMs)
  if (run.buckets === null) throw new Error('buckets by the clocks of a zone are given')
  return zonedStretches(run.buckets, known, run.limits.buckets)
}

async function collect(
  plan: AveragePlan,
  { target, limits, pacer }: DruidRun,
  stretch: Stretch,
  factor: number,
): Promise<SummedMeans> {
  const { selection, byTag } = plan
  const keyFields = [...(byTag ? selection.tags : []), ...selection.fields]
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
  const found: SummedMeans = { rows: [], firstMs: Number.POSITIVE_INFINITY, hasOverflow: false }
  const bucketsInRow = expression === null ? 0 : 1
  const longs = longsIn(keyFields).map((index) => index + bucketsInRow)
  const isSeries = dimensions.length === 0 && period !== null
  for await (const rows of isSeries ? timeseries(target, query, period) : groupBy(target, query, longs)) {
    addMeans(found, rows, { bucketsInRow, keys: dimensions.length, metrics: selection.metrics.length })
    if (found.rows.length > limits.resultRows) throw resultTooLarge(limits.resultRows, null)
    if (pacer.spend(rows.length * query.aggregations.length)) await pacer.rest()
  }
  return found
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

interface SummedMeans extends Means {
  /** Whether the sum of finite values was none. */
  hasOverflow: boolean
}

interface SummedRow {
  /** 1, or 0 where all rows fall into one bucket. */
  readonly bucketsInRow: number
  readonly keys: number
  readonly metrics: number
}

/**
 * Each of `rows` holds the bucket (if there is one), the keys, the sums, the counts, and the date of the first item if it was asked for.
 */
function addMeans(found: SummedMeans, rows: RawRows, { bucketsInRow, keys, metrics }: SummedRow): void {
  const sumsFrom = bucketsInRow + keys
  for (const row of rows) {
    const mean: MeanRow = row.slice(0, sumsFrom + metrics)
    let values = 0
    for (let at = sumsFrom; at < sumsFrom + metrics; at++) {
      const count = Number(row[at + metrics])
      const value = count === 0 ? null : Number(row[at]) / count
      mean[at] = value
      values += count
      if (value !== null && !Number.isFinite(value)) found.hasOverflow = true
    }
    // Without keys Druid answers one row even when there is nothing.
    if (values === 0) continue
    if (bucketsInRow === 0) mean.unshift(null)
    found.rows.push(mean)
    found.firstMs = Math.min(found.firstMs, Number(row[sumsFrom + 2 * metrics] ?? Number.POSITIVE_INFINITY))
  }
}

/** Each mean that overflowed becomes the one of the scaled values. */
function mendOverflow({ selection }: AveragePlan, { rows }: Means, scaled: Means): void {
  const keyOf = (row: MeanRow): string => JSON.stringify(row.slice(0, -selection.metrics.length))
  const byKey = new Map(scaled.rows.map((row) => [keyOf(row), row]))
  for (const row of rows) {
    const other = byKey.get(keyOf(row))
    for (let at = row.length - selection.metrics.length; at < row.length; at++) {
      const mean = row[at]
      if (mean === null || Number.isFinite(mean)) continue
      const again = other?.[at] ?? null
      row[at] = again === null ? null : unscaled(Number(again))
    }
  }
}
