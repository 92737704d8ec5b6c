// The sums and counts of an average when rows have expired: from kept hours, and from the rows that remain.
import { qualityCondition } from '../../../algebra/quality-condition.ts'
import { isNumericField } from '../../../model/field.ts'
import type { AveragePlan, Range } from '../../../model/plan.ts'
import { hourMetric } from '../../hours/hour-row.ts'
import { requireRows } from '../../hours/needed-rows.ts'
import { areOfWholeHours } from '../../hours/whole-hours.ts'
import { timeBoundary } from '../druid-query.ts'
import type { DruidRun } from '../druid-run.ts'
import { groupsIn, slicesOf } from '../groups.ts'
import { keysOf, needsFirst, type SummedRow, type Sums, sumsOfRows } from '../means.ts'
import type { NativeAggregation, NativeColumn } from '../native-query.ts'
import { tagFilter } from '../selection-filter.ts'
import { hourCount, hourSum, partText } from './hour-columns.ts'
import { type KeptHours, rangesOf, requireWholeHours } from './kept-hours.ts'

/** Null where rows alone suffice. Throws Problem `rows_expired` when expired rows are needed. */
export function sumsOverHours(plan: AveragePlan, run: DruidRun): readonly Sums[] | null {
  const { kept } = run
  if (kept === null) return null
  if (!isOfHours(plan, run)) return requireRows(kept, plan.range)
  const ranges = rangesOf(kept, plan.range)
  if (ranges === null) return null
  return [
    (factor) => summedHours(plan, ranges.hours, factor, kept, run),
    sumsOfRows(plan, ranges.rows, { ...run, target: kept.rows, bounds: () => timeBoundary(kept.rows) }),
  ]
}

/** Whether kept hours contain the result: by whole hours and tags, of good values or of all. */
function isOfHours(plan: AveragePlan, { buckets }: DruidRun): boolean {
  const { granularity, selection } = plan
  const { quality, metrics } = selection
  const takesAll = quality === undefined || qualityCondition(quality) === null
  // Hours record the date of the first good value only.
  const isEnough = isOfGood(plan) || (takesAll && (quality === undefined || !needsFirst(plan)))
  const areTags = keysOf(plan).every(({ role }) => role === 'tag')
  return areOfWholeHours(granularity, buckets) && isEnough && areTags && metrics.every(isNumericField)
}

const isOfGood = ({ selection: { quality } }: AveragePlan): boolean =>
  quality?.words.every((word) => word === 'good') === true

async function* summedHours(
  plan: AveragePlan,
  range: Range,
  factor: number,
  kept: KeptHours,
  run: DruidRun,
): AsyncGenerator<readonly SummedRow[]> {
  const { granularity, selection } = plan
  const { buckets, limits } = run
  const bounds = await timeBoundary(kept.hours)
  if (bounds === null) return
  const there = { fromMs: Math.max(range.fromMs, bounds.minMs), toMs: Math.min(range.toMs, bounds.maxMs) }
  requireWholeHours(kept, granularity, buckets, there, limits.buckets)
  const metrics = selection.metrics.map(hourMetric)
  const columns = metrics.flatMap((metric, index): NativeColumn[] => [
    column(`:s${index}`, `${hourSum(metric, isOfGood(plan))} * ${factor}`),
    column(`:c${index}`, hourCount(metric, isOfGood(plan))),
  ])
  const firstMs = `least(${metrics.map((metric) => partText(metric, 'first_ms')).join(', ')})`
  const summed = (name: string): NativeAggregation[] =>
    metrics.map((_, index) => ({ type: 'doubleSum', name: `:${name}${index}`, fieldName: `:${name[0]}${index}` }))
  const first = needsFirst(plan) ? [{ type: 'doubleMin', name: ':first', fieldName: ':f' }] : []
  const source = {
    target: kept.hours,
    slices: await slicesOf(there, {
      granularity,
      buckets,
      bucketsMax: limits.buckets,
      bounds: async () => bounds,
    }),
    filter: tagFilter(selection),
    columns: needsFirst(plan) ? [...columns, column(':f', firstMs)] : columns,
    aggregations: [...summed('sum'), ...summed('count'), ...first],
    longs: [],
  }
  yield* groupsIn(source, keysOf(plan), limits.resultRows + 1, run)
}

const column = (name: string, expression: string): NativeColumn => ({
  ...{ type: 'expression', name, expression, outputType: 'DOUBLE' },
})
