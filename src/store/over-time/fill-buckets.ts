// Adds rows for empty buckets, on both engines.

import type { TimeBuckets } from '../../algebra/aggregation.ts'
import { type Cuts, cutsOf } from '../../druid-time/cuts.ts'
import { addTo } from '../../lib/add-to.ts'
import type { Pacer } from '../../lib/pacer.ts'
import { type Value, valueAt } from '../../model/column.ts'
import { addDuration } from '../../model/duration.ts'
import {
  type BucketedPlan,
  emptyValue,
  type Fill,
  outputFields,
  type PlanLimits,
  type Range,
  valueColumns,
} from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import { tooManyBuckets } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'

/** A row of a result: the start of its bucket, its keys and its values. */
type Row = Value[]

interface Filling {
  readonly range: Range
  readonly fill: Fill
  readonly cuts: Cuts
  readonly limits: PlanLimits
  readonly pacer: Pacer
}

interface FillingRun extends Pick<Filling, 'limits' | 'pacer'> {
  readonly buckets: TimeBuckets | null
}

/** The rows of a plan, ordered by bucket. If the plan has a `fill`, each series gets a row for each bucket between the ends of the range. */
export function filledBuckets(
  batches: AsyncGenerator<ResultBatch>,
  plan: BucketedPlan,
  { buckets, limits, pacer }: FillingRun,
): AsyncGenerator<ResultBatch> {
  const { fill, granularity, range } = plan
  // The single bucket of `all` is not empty.
  if (fill === undefined || granularity.kind === 'all') return batches
  const isOpen = range.toMs === Number.POSITIVE_INFINITY
  // Over time, a bucket that starts at the end of the range, or later than now, has no length.
  const toMs = plan.kind === 'average' || isOpen ? range.toMs : Math.min(range.toMs, plan.values.nowMs) - 1
  const filled = { fromMs: range.fromMs, toMs }
  return withFilled(batches, plan, { range: filled, fill, cuts: cutsOf(granularity, buckets), limits, pacer })
}

async function* withFilled(
  batches: AsyncGenerator<ResultBatch>,
  plan: BucketedPlan,
  filling: Filling,
): AsyncGenerator<ResultBatch> {
  const { limits, pacer, fill, cuts } = filling
  const output = outputFields(plan)
  const values = valueColumns(plan)
  const keys = output.length - values.length
  const answer = new AnswerRows(
    output.map(({ type }) => type),
    limits,
  )
  const empty = values.map(emptyValue)
  for (const rows of await bySeries(batches, keys, pacer)) {
    const whole = await withEmptyRows(rows, empty, filling)
    for (const [index, { whenEmpty }] of values.entries()) {
      if (whenEmpty !== 'filled' || fill.kind === 'null') continue
      fillColumn(whole, keys + index, fill, cuts)
      if (pacer.spend(whole.length)) await pacer.rest()
    }
    await answer.addAll(whole, pacer)
  }
  const order = await answer.inOrderOf(
    Array.from({ length: keys }, (_, index) => index),
    pacer,
  )
  yield* answer.batches(order, output.length, pacer)
}

/** The rows of each combination of keys, by time. */
async function bySeries(batches: AsyncIterable<ResultBatch>, keys: number, pacer: Pacer): Promise<Iterable<Row[]>> {
  const series = new Map<string, Row[]>()
  for await (const { rows, columns } of batches) {
    for (let place = 0; place < rows; place++) {
      const row = columns.map((column) => valueAt(column, place))
      const key = JSON.stringify(row.slice(1, keys).map((value) => (typeof value === 'bigint' ? [`${value}`] : value)))
      addTo(series, key, row)
    }
    if (pacer.spend(rows * columns.length)) await pacer.rest()
  }
  return series.values()
}

async function withEmptyRows(
  rows: readonly Row[],
  empty: Row,
  { range, cuts, limits, pacer }: Filling,
): Promise<Row[]> {
  const [first] = rows
  if (first === undefined) return []
  const keys = first.slice(1, first.length - empty.length)
  const firstMs = range.fromMs === Number.NEGATIVE_INFINITY ? Number(first[0]) : cuts.startOf(range.fromMs)
  const lastMs = range.toMs === Number.POSITIVE_INFINITY ? Number(rows.at(-1)?.[0]) : range.toMs
  const whole: Row[] = []
  let next = 0
  for (let startMs = firstMs; startMs <= lastMs; startMs = cuts.nextOf(startMs)) {
    // Where clocks are set back over midnight, a day occurs twice: its other rows start between those of the walk.
    while (next < rows.length && Number(rows[next][0]) < startMs) whole.push(rows[next++])
    const row = rows[next]
    if (row?.[0] === startMs) next++
    whole.push(row?.[0] === startMs ? row : [startMs, ...keys, ...empty])
    if (whole.length > limits.buckets) throw tooManyBuckets(limits.buckets)
    if (pacer.spend(empty.length)) await pacer.rest()
  }
  return [...whole, ...rows.slice(next)]
}

/** Replaces the nulls of a column with the known value before them, or with values between the known ones before and after them. */
function fillColumn(rows: readonly Row[], column: number, fill: Fill, cuts: Cuts): void {
  let known = -1
  for (let place = 0; place < rows.length; place++) {
    if (rows[place][column] === null) continue
    if (fill.kind === 'linear' && known !== -1) fillBetween(rows, column, [known, place], fill, cuts)
    if (fill.kind === 'previous' && known !== -1) fillFrom(rows, column, [known, place], fill, cuts)
    known = place
  }
  if (fill.kind === 'previous' && known !== -1) fillFrom(rows, column, [known, rows.length], fill, cuts)
}

type Gap = readonly [known: number, end: number]

/** The last bucket start to fill in a gap, which begins at the end of a known bucket. */
function filledUntil(rows: readonly Row[], known: number, { maxGap }: Fill, cuts: Cuts): number {
  return maxGap === null ? Number.POSITIVE_INFINITY : addDuration(cuts.nextOf(Number(rows[known][0])), maxGap, 1)
}

function fillFrom(rows: readonly Row[], column: number, [known, end]: Gap, fill: Fill, cuts: Cuts): void {
  const untilMs = filledUntil(rows, known, fill, cuts)
  for (let place = known + 1; place < end && Number(rows[place][0]) <= untilMs; place++) {
    rows[place][column] = rows[known][column]
  }
}

function fillBetween(rows: readonly Row[], column: number, [known, end]: Gap, fill: Fill, cuts: Cuts): void {
  const untilMs = filledUntil(rows, known, fill, cuts)
  const [fromMs, toMs] = [Number(rows[known][0]), Number(rows[end][0])]
  const [from, to] = [Number(rows[known][column]), Number(rows[end][column])]
  for (let place = known + 1; place < end && Number(rows[place][0]) <= untilMs; place++) {
    const share = (Number(rows[place][0]) - fromMs) / (toMs - fromMs)
    rows[place][column] = from * (1 - share) + to * share
  }
}
