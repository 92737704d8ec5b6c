// Sums and counts of values by bucket and keys. Druid adds up rows; where newer rows replace older ones, items are added up here.
import { timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import type { AveragePlan, Range } from '../../model/plan.ts'
import { resultTooLarge } from '../limits.ts'
import { bucketStarts } from './bucket-columns.ts'
import type { DruidRun } from './druid-run.ts'
import { groupsIn, slicesOf } from './groups.ts'
import { columnText, isNull, type NativeAggregation, type NativeColumn, not } from './native-query.ts'
import { items } from './selected-items.ts'
import { selectionFilter } from './selection-filter.ts'

/** The start of a bucket (null with granularity `all`), the keys, the sums, the counts, and, if requested, the date of the first item. */
export type SummedRow = readonly unknown[]

/** Sums of values, each multiplied by `factor`. */
export type Sums = (factor: number) => AsyncGenerator<readonly SummedRow[]>

/** The factor for values whose sum overflows: a power of two, so nothing is rounded. */
export const overflowScale = 2 ** -64

/** Scales a mean of scaled values back. The result is clamped, because rounding may slightly exceed the largest double. */
export function unscaled(mean: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, mean / overflowScale))
}

export const keysOf = ({ selection, byTag }: AveragePlan): readonly EntityField[] => [
  ...(byTag ? selection.tags : []),
  ...selection.fields,
]

/** Whether the timestamp of the bucket is the date of the first item. */
export const needsFirst = ({ granularity, range }: AveragePlan): boolean =>
  granularity.kind === 'all' && range.fromMs === Number.NEGATIVE_INFINITY

/** Sums over the rows of a range, or over its items where newer rows replace older ones. */
export function sumsOfRows(plan: AveragePlan, range: Range, run: DruidRun): Sums {
  return (factor) =>
    run.replacedBy === null ? summedRows(plan, range, factor, run) : summedItems(plan, range, factor, run)
}

async function* summedRows(
  plan: AveragePlan,
  range: Range,
  factor: number,
  run: DruidRun,
): AsyncGenerator<readonly SummedRow[]> {
  const { selection, granularity } = plan
  const { metrics } = selection
  // With only one metric, every item has a value of it.
  const counts = metrics.map(({ name }, index): NativeAggregation => {
    const count = { type: 'count', name: `:count${index}` }
    return metrics.length === 1 ? count : { type: 'filtered', filter: not(isNull(name)), aggregator: count }
  })
  const sums = metrics.map(({ name }, index): NativeAggregation => {
    return { type: 'doubleSum', name: `:sum${index}`, fieldName: factor === 1 ? name : scaledName(index) }
  })
  const first = needsFirst(plan) ? [{ type: 'longMin', name: ':first', fieldName: timeColumn }] : []
  const { buckets, limits } = run
  const bounds = (): ReturnType<DruidRun['bounds']> => run.bounds('now')
  const source = {
    target: run.target,
    slices: await slicesOf(range, { granularity, buckets, bucketsMax: limits.buckets, bounds }),
    filter: selectionFilter(selection),
    columns: factor === 1 ? [] : metrics.map(({ name }, index) => scaled(columnText(name), index, factor)),
    aggregations: [...sums, ...counts, ...first],
    longs: [],
  }
  yield* groupsIn(source, keysOf(plan), limits.resultRows + 1, run)
}

const scaledName = (index: number): string => `:s${index}`

function scaled(value: string, index: number, factor: number): NativeColumn {
  return { type: 'expression', name: scaledName(index), expression: `${value} * ${factor}`, outputType: 'DOUBLE' }
}

/** Sums over items, where newer rows replace older ones. */
async function* summedItems(
  plan: AveragePlan,
  range: Range,
  factor: number,
  run: DruidRun,
): AsyncGenerator<readonly SummedRow[]> {
  const { selection, granularity, byTag } = plan
  const { metrics, tags } = selection
  const startOf = bucketStarts(granularity, run.buckets)
  const keysFrom = byTag ? 1 : 1 + tags.length
  const metricsFrom = 1 + tags.length + selection.fields.length
  const groups = new Map<string, unknown[]>()
  for await (const rows of items({ selection, ranges: [range], filter: null, limit: null }, run)) {
    for (const row of rows) {
      const ms = Number(row[0])
      const keys = [startOf(ms), ...row.slice(keysFrom, metricsFrom)]
      const key = JSON.stringify(keys)
      const group = groups.get(key) ?? [...keys, ...metrics.map(() => 0), ...metrics.map(() => 0), ms]
      groups.set(key, group)
      group[group.length - 1] = Math.min(Number(group.at(-1)), ms)
      for (let index = 0; index < metrics.length; index++) {
        const value = row[metricsFrom + index] ?? null
        if (value === null) continue
        add(group, keys.length + index, Number(value) * factor)
        add(group, keys.length + metrics.length + index, 1)
      }
    }
    if (groups.size > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, null)
  }
  yield [...groups.values()]
}

function add(group: unknown[], at: number, value: number): void {
  group[at] = Number(group[at]) + value
}
