import { type AveragePlan, outputFields } from '../../model/plan.ts'
import { rowsExpired } from '../../model/rows-expired.ts'
import { AnswerRows } from '../answer-rows.ts'
import { resultTooLarge, tooManyBuckets } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { type DruidRun, startMs } from './druid-run.ts'
import { sumsOverHours } from './hours/sums-of-hours.ts'
import { keysOf, overflowScale, type SummedRow, type Sums, sumsOfRows, unscaled } from './means.ts'

/** Means by bucket, tag and fields, from sums and counts that Druid computes. */
export async function* runAverage(plan: AveragePlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { selection, range, granularity } = plan
  const { rows, firstMs } = await meansOf(plan, run)
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

/** The start of a bucket (null with granularity `all`), the keys, then the means. */
type MeanRow = unknown[]

function checkBuckets(rows: readonly MeanRow[], bucketsMax: number): void {
  if (rows.length <= bucketsMax) return
  if (new Set(rows.map(([bucketMs]) => bucketMs)).size > bucketsMax) throw tooManyBuckets(bucketsMax)
}

interface Means {
  readonly rows: MeanRow[]
  /** The date of the first item, if it was requested. */
  readonly firstMs: number
}

async function meansOf(plan: AveragePlan, run: DruidRun): Promise<Means> {
  const { selection, range } = plan
  const rows = { fromMs: startMs(selection, range.fromMs), toMs: range.toMs }
  const sums = sumsOverHours(plan, run) ?? [sumsOfRows(plan, rows, run)]
  const means = dividedSums(plan, await collected(plan, sums, 1, run))
  const first = keysOf(plan).length + 1
  if (means.rows.some((row) => row.slice(first).some(isBeyond)))
    mendOverflow(plan, means, dividedSums(plan, await collected(plan, sums, overflowScale, run)))
  if (run.kept !== null && means.rows.some((row) => row.slice(first).some(isBeyond)))
    throw rowsExpired(run.kept, 'only the hours of earlier rows are kept, and a sum exceeds the range of doubles')
  return means
}

const isBeyond = (mean: unknown): boolean => mean !== null && !Number.isFinite(mean)

/** The groups of all sums, merged by key. */
async function collected(
  plan: AveragePlan,
  sums: readonly Sums[],
  factor: number,
  { limits }: DruidRun,
): Promise<readonly SummedRow[]> {
  const keys = keysOf(plan).length + 1
  const firstAt = keys + 2 * plan.selection.metrics.length
  const found: SummedRow[] = []
  const places = new Map<string, number>()
  for (const one of sums) {
    for await (const rows of one(factor)) {
      for (const row of rows) {
        // The groups of a single source are already distinct.
        const key = sums.length === 1 ? '' : JSON.stringify(row.slice(0, keys))
        const known = key === '' ? undefined : places.get(key)
        if (known === undefined) places.set(key, found.push(row) - 1)
        else found[known] = joined(found[known]!, row, keys, firstAt)
      }
      if (found.length > limits.resultRows) throw resultTooLarge(limits.resultRows, null)
    }
  }
  return found
}

function joined(left: SummedRow, right: SummedRow, keys: number, firstAt: number): SummedRow {
  return left.map((value, at) => {
    if (at < keys) return value
    return at === firstAt ? least(value, right[at]) : Number(value) + Number(right[at])
  })
}

const least = (left: unknown, right: unknown): unknown =>
  isNothing(left) || isNothing(right) ? (left ?? right) : Math.min(Number(left), Number(right))

const isNothing = (value: unknown): boolean => value === null || value === undefined

function dividedSums(plan: AveragePlan, summed: readonly SummedRow[]): Means {
  const keys = keysOf(plan).length + 1
  const metrics = plan.selection.metrics.length
  const rows: MeanRow[] = []
  let firstMs = Number.POSITIVE_INFINITY
  for (const row of summed) {
    const mean: MeanRow = row.slice(0, keys + metrics)
    let values = 0
    for (let at = keys; at < keys + metrics; at++) {
      const count = Number(row[at + metrics])
      mean[at] = count === 0 ? null : Number(row[at]) / count
      values += count
    }
    // Without keys Druid returns one row even if there is no input.
    if (values === 0) continue
    rows.push(mean)
    firstMs = Math.min(firstMs, Number(row[keys + 2 * metrics] ?? Number.POSITIVE_INFINITY))
  }
  return { rows, firstMs }
}

/** Replaces each mean that overflowed by the mean of the scaled values. */
function mendOverflow({ selection }: AveragePlan, { rows }: Means, scaled: Means): void {
  const keyOf = (row: MeanRow): string => JSON.stringify(row.slice(0, -selection.metrics.length))
  const byKey = new Map(scaled.rows.map((row) => [keyOf(row), row]))
  for (const row of rows) {
    const other = byKey.get(keyOf(row))
    for (let at = row.length - selection.metrics.length; at < row.length; at++) {
      if (!isBeyond(row[at])) continue
      const again = other?.[at] ?? null
      row[at] = again === null ? null : unscaled(Number(again))
    }
  }
}
