import type { TimeBuckets } from '../../../algebra/aggregation.ts'
import { inOrder } from '../../../lib/sort-in-slices.ts'
import { type ColumnVector, nullCode } from '../../../model/column.ts'
import type { AveragePlan } from '../../../model/plan.ts'
import { resultTooLarge, tooManyBuckets } from '../../limits.ts'
import type { ResultBatch } from '../../series-store.ts'
import { collectGroups } from '../aggregate/collect-groups.ts'
import type { GroupRows } from '../aggregate/group-rows.ts'
import { columnsOf, type Grouping } from '../aggregate/grouping.ts'
import { nulls } from './batch-columns.ts'
import { type FieldAccessor, type FieldKey, sameTags } from './field-accessor.ts'
import { batchRows } from './item-batches.ts'
import { orderByTime } from './order-by-time.ts'
import { orderWithin } from './order-within.ts'
import type { PlanRun } from './plan-run.ts'

/** Means by bucket, tag and fields. */
export async function* runAverage(
  plan: AveragePlan,
  run: PlanRun,
  buckets: TimeBuckets | null,
): AsyncGenerator<ResultBatch> {
  const { tags, fields, metrics, quality } = plan.selection
  const { fromMs } = plan.range
  const keys = [...(plan.byTag ? run.tags : []), ...run.fields]
  const named = [...tags, ...fields, ...metrics]
  const accessors = [...run.tags, ...run.fields, ...run.metrics]
  const accessorOf = (wanted: string): FieldAccessor =>
    wanted === quality?.field.name && run.quality !== null
      ? run.quality.accessor
      : accessors[named.findIndex(({ name }) => name === wanted)]
  const grouping: Grouping = {
    ranges: [plan.range],
    filter: run.quality?.condition ?? null,
    granularity: plan.granularity,
    keys: [...(plan.byTag ? tags : []), ...fields],
    aggregates: metrics.map((field) => ({ kind: 'mean', field })),
    unitsMax: Number.POSITIVE_INFINITY,
    countsItems: true,
    isOfGood: quality?.words.every((word) => word === 'good') === true,
    limits: {
      groups: run.limits.resultRows,
      buckets: run.limits.buckets,
      passed: (limit) =>
        limit === 'groups' ? resultTooLarge(run.limits.resultRows, null) : tooManyBuckets(run.limits.buckets),
    },
  }
  const columns = columnsOf(grouping, accessorOf)
  const found = { accessorOf, columns, computed: null, computedValueOf: () => null, buckets, numbers: columns }
  const groups = await collectGroups(grouping, run, found)
  if (plan.granularity.kind === 'all') {
    const startMs = fromMs === Number.NEGATIVE_INFINITY ? (groups.items?.firstMs ?? fromMs) : fromMs
    groups.bucketsMs.values.fill(startMs, 0, groups.length)
  }
  const order = await orderGroups(groups, plan, run)
  for (let start = 0; start < groups.length; start += batchRows) {
    const end = Math.min(groups.length, start + batchRows)
    yield answer(groups, keys, order.subarray(start, end))
    if (run.pacer.spend((end - start) * run.metrics.length)) await run.pacer.rest()
  }
}

/** Groups with tags were made tag by tag in the order of the tags, so only times and fields are sorted. */
async function orderGroups(groups: GroupRows, { byTag }: AveragePlan, run: PlanRun): Promise<Int32Array> {
  const tags = byTag ? run.tags : []
  const times = groups.bucketsMs.values.subarray(0, groups.length)
  const order = (await orderByTime(times, run.pacer)) ?? inOrder(groups.length)
  if (run.fields.length === 0) return order
  const { series } = groups
  const areSame = sameTags(tags)
  const same = (left: number, right: number): boolean =>
    times[left] === times[right] && areSame(series[left], series[right])
  await orderWithin(order, same, (left, right) => groups.compare(left, right, tags.length), run.pacer)
  return order
}

function answer(groups: GroupRows, keys: readonly FieldAccessor[], order: Int32Array): ResultBatch {
  const rows = order.length
  const times = new Float64Array(rows)
  for (let place = 0; place < rows; place++) times[place] = groups.bucketsMs.values[order[place]]
  const columns: ColumnVector[] = [{ type: 'timestamp', values: times }]
  for (const [at, key] of keys.entries()) columns.push(keyColumn(key, rows, (place) => groups.key(order[place], at)))
  for (const accumulator of groups.accumulators) {
    const values = new Float64Array(rows)
    for (let place = 0; place < rows; place++) values[place] = Number(accumulator.value(order[place]) ?? Number.NaN)
    columns.push({ type: 'double', values })
  }
  return { rows, columns }
}

function keyColumn(accessor: FieldAccessor, rows: number, keyOf: (place: number) => FieldKey): ColumnVector {
  if (accessor.kind === 'time') throw new Error('the time field is no dimension')
  if (accessor.type === 'string') {
    const codes = new Int32Array(rows)
    for (let place = 0; place < rows; place++) codes[place] = Number(keyOf(place) ?? nullCode)
    return { type: 'string', codes, dictionary: accessor.dictionary.strings }
  }
  const column = nulls(accessor.type, rows, accessor.dictionary)
  if (column.type === 'string') throw new Error('the codes of texts are made above')
  let exact: BigInt64Array | null = null
  for (let place = 0; place < rows; place++) {
    const key = keyOf(place)
    if (key === null) continue
    column.values[place] = Number(key)
    if (typeof key !== 'bigint') continue
    exact ??= new BigInt64Array(rows)
    exact[place] = key
  }
  if (column.type !== 'long' || exact === null) return column
  for (let place = 0; place < rows; place++) {
    const value = column.values[place]
    if (Math.abs(value) < 2 ** 53) exact[place] = BigInt(value)
  }
  return { type: 'long', values: column.values, exact }
}
