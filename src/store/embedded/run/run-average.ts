import { inOrder } from '../../../lib/sort-in-slices.ts'
import type { ColumnVector } from '../../../model/column.ts'
import type { AveragePlan } from '../../../model/plan.ts'
import type { ResultBatch } from '../../series-store.ts'
import { batchRows } from './answer-items.ts'
import { nulls } from './batch-columns.ts'
import { collectMeans } from './collect-means.ts'
import { Combinations } from './combinations.ts'
import { type AbsentAccessor, type FieldAccessor, type FieldKey, sameTags, type TagAccessor } from './field-accessor.ts'
import type { MeanGroups } from './mean-groups.ts'
import { orderByTime } from './order-by-time.ts'
import { orderWithin } from './order-within.ts'
import type { PlanRun } from './plan-run.ts'

/** Means by bucket, tag and fields. */
export async function* runAverage(plan: AveragePlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const combined = run.fields.length > 0 ? new Combinations(run.fields) : null
  const groups = await collectMeans(plan, run, combined)
  const open = plan.granularity.kind === 'all'
  if (open) {
    const startMs = plan.range.fromMs === Number.NEGATIVE_INFINITY ? groups.firstMs : plan.range.fromMs
    groups.bucketsMs.values.fill(startMs, 0, groups.length)
  }
  const order = await orderGroups(groups, plan.byTag ? run.tags : [], combined, run)
  for (let start = 0; start < groups.length; start += batchRows) {
    const end = Math.min(groups.length, start + batchRows)
    yield answer(plan, run, groups, combined, order.subarray(start, end))
    if (run.pacer.spend((end - start) * run.metrics.length)) await run.pacer.rest()
  }
}

/** Groups were made tag by tag, in the order of the tags. */
async function orderGroups(
  groups: MeanGroups,
  tags: PlanRun['tags'],
  combined: Combinations | null,
  { pacer }: PlanRun,
): Promise<Int32Array> {
  const times = groups.bucketsMs.values.subarray(0, groups.length)
  const order = (await orderByTime(times, pacer)) ?? inOrder(groups.length)
  if (combined === null) return order
  const series = groups.series.values
  const areSame = sameTags(tags)
  const same = (left: number, right: number): boolean =>
    times[left] === times[right] && areSame(series[left], series[right])
  const combinations = groups.combinations.values
  await orderWithin(order, same, (left, right) => combined.compare(combinations[left], combinations[right]), pacer)
  return order
}

function answer(
  plan: AveragePlan,
  run: PlanRun,
  groups: MeanGroups,
  combined: Combinations | null,
  order: Int32Array,
): ResultBatch {
  const columns: ColumnVector[] = [{ type: 'timestamp', values: pick(groups.bucketsMs.values, order) }]
  for (const tag of plan.byTag ? run.tags : []) columns.push(tagColumn(tag, groups.series.values, order))
  for (let field = 0; field < run.fields.length; field++) {
    const keyOf = (place: number): FieldKey =>
      combined === null ? null : combined.key(groups.combinations.values[order[place]], field)
    columns.push(keyColumn(run.fields[field], order.length, keyOf))
  }
  for (const sums of groups.sums) {
    const values = new Float64Array(order.length)
    for (let place = 0; place < values.length; place++) values[place] = sums.mean(order[place])
    columns.push({ type: 'double', values })
  }
  return { rows: order.length, columns }
}

function tagColumn(accessor: TagAccessor | AbsentAccessor, series: Int32Array, order: Int32Array): ColumnVector {
  if (accessor.kind === 'absent') return nulls(accessor.type, order.length, accessor.dictionary)
  const bySeries = accessor.tag.codes.values
  const codes = new Int32Array(order.length)
  for (let place = 0; place < order.length; place++) codes[place] = bySeries[series[order[place]]]
  return { type: 'string', codes, dictionary: accessor.dictionary.strings }
}

function pick(values: Float64Array, order: Int32Array): Float64Array {
  const picked = new Float64Array(order.length)
  for (let place = 0; place < picked.length; place++) picked[place] = values[order[place]]
  return picked
}

/** The values of a field of the combinations as a column. */
function keyColumn(accessor: FieldAccessor, rows: number, keyOf: (place: number) => FieldKey): ColumnVector {
  if (accessor.kind === 'time') throw new Error('the time field is no dimension')
  const column = nulls(accessor.type, rows, accessor.dictionary)
  let exact: BigInt64Array | null = null
  for (let place = 0; place < rows; place++) {
    const key = keyOf(place)
    if (key === null) continue
    if (column.type === 'string') column.codes[place] = Number(key)
    else column.values[place] = Number(key)
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
