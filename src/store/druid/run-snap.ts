import { timeColumn } from '../../model/druid-row.ts'
import type { Selection, SnapPlan } from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import { resultTooLarge } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { type BucketRange, bucketRanges, constant } from './bucket-columns.ts'
import { groupBy } from './druid-query.ts'
import { type DruidRun, itemColumns, startMs } from './druid-run.ts'
import { itemsAt } from './items-at.ts'
import { intervalsOf } from './native-query.ts'
import { nearestItems } from './nearest-items.ts'
import { items } from './selected-items.ts'
import { selectionFilter } from './selection-filter.ts'
import { type TagKey, TagKeys } from './tag-keys.ts'

/** The newest date of each tag in the interval before each tick, by the index of the tick. */
type NewestAtTicks = Map<TagKey, Map<number, number>>

/** Ticks of a tag that are processed between two checks of the clock. */
const ticksAtOnce = 1024

/** Each tag's state at each tick: its state at the first tick, then the changes between consecutive ticks. */
export async function* runSnap({ selection, ticksMs }: SnapPlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  if (ticksMs.length === 0) return
  const fromMs = startMs(selection, Number.NEGATIVE_INFINITY)
  const [atFirst, newest] = await Promise.all([
    nearestItems(selection, { fromMs, toMs: ticksMs[0] }, 'backwards', 0, run),
    run.replacedBy === null ? newestOf(selection, ticksMs, run) : replacedNewest(selection, ticksMs, run),
  ])
  for (const [tag, { nearestMs }] of atFirst) newest.set(tag, (newest.get(tag) ?? new Map()).set(0, nearestMs))
  checkRows(newest, ticksMs.length, run.limits.resultRows)
  const wanted = new Map([...newest].map(([tag, ofTag]) => [tag, new Set(ofTag.values())] as const))
  const placed = await itemsAt(selection, wanted, 'newest', run)
  const rowOf = new Map<TagKey, Map<number, readonly unknown[]>>()
  for (const { tag, ms, row } of placed) rowOf.set(tag, (rowOf.get(tag) ?? new Map()).set(ms, row))
  const { fields } = itemColumns(selection)
  const shown = fields.length - 1
  const tick = { name: 'snap', type: 'timestamp', role: 'time' } as const
  const answer = new AnswerRows(
    [...fields.slice(0, shown), tick].map(({ type }) => type),
    run.limits,
  )
  for (const [tag, ofTag] of newest) {
    const rows = rowOf.get(tag)
    let state: readonly unknown[] | undefined
    for (const [place, tickMs] of ticksMs.entries()) {
      const dateMs = ofTag.get(place)
      if (dateMs !== undefined) state = rows?.get(dateMs)
      if (state !== undefined) answer.add([[...state.slice(0, shown), tickMs]])
      if (place % ticksAtOnce === 0 && run.pacer.spend(ticksAtOnce)) await run.pacer.rest()
    }
  }
  yield* answer.batches(
    await answer.inOrderOf([shown, ...selection.tags.map((_, tag) => 1 + tag)], run.pacer),
    shown + 1,
    run.pacer,
  )
}

async function newestOf(selection: Selection, ticksMs: Float64Array, run: DruidRun): Promise<NewestAtTicks> {
  const newest: NewestAtTicks = new Map()
  const tags = new TagKeys(selection)
  for (const slice of tickSlices(selection, ticksMs)) {
    const query = {
      intervals: intervalsOf(slice.fromMs, slice.toMs),
      filter: selectionFilter(selection),
      virtualColumns: [
        { type: 'expression', name: ':tick', expression: slice.expression, outputType: 'LONG' } as const,
      ],
      dimensions: [
        ...tags.dimensions,
        { type: 'default', dimension: ':tick', outputName: ':t', outputType: 'LONG' } as const,
      ],
      aggregations: [{ type: 'longMax', name: ':newest', fieldName: timeColumn }],
      limit: run.limits.resultRows + 1,
    }
    let groups = 0
    for await (const rows of groupBy(run.target, query, [])) {
      for (const row of rows) {
        const tag = tags.at(row, 0)
        const [place, newestMs] = row.slice(tags.columns)
        newest.set(tag, (newest.get(tag) ?? new Map()).set(Number(place), Number(newestMs)))
      }
      groups += rows.length
      // Each group is at least one row of the result.
      if (groups > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, null)
      if (run.pacer.spend(rows.length)) await run.pacer.rest()
    }
  }
  return newest
}

async function replacedNewest(selection: Selection, ticksMs: Float64Array, run: DruidRun): Promise<NewestAtTicks> {
  const newest: NewestAtTicks = new Map()
  const tags = new TagKeys(selection)
  const fromMs = startMs(selection, ticksMs[0] + 1)
  const toMs = ticksMs[ticksMs.length - 1]
  if (fromMs > toMs) return newest
  for await (const rows of items({ selection, ranges: [{ fromMs, toMs }], filter: null, limit: null }, run)) {
    for (const row of rows) {
      const ms = Number(row[0])
      const tag = tags.at(row, 1)
      const ofTag = newest.get(tag) ?? new Map<number, number>()
      const place = firstTickFrom(ticksMs, ms)
      newest.set(tag, ofTag.set(place, Math.max(ms, ofTag.get(place) ?? ms)))
    }
  }
  return newest
}

/** The index of the first tick at or after a date. */
function firstTickFrom(ticksMs: Float64Array, ms: number): number {
  let low = 0
  let high = ticksMs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ticksMs[middle] >= ms) high = middle
    else low = middle + 1
  }
  return low
}

/** A row belongs to the first tick at or after it; the expressions return the index of that tick. Rows up to the first tick are not included. */
function tickSlices({ sinceMs }: Selection, ticksMs: Float64Array): BucketRange[] {
  const first = ticksMs[0]
  const last = ticksMs[ticksMs.length - 1]
  const fromMs = Math.max(first + 1, sinceMs ?? Number.NEGATIVE_INFINITY)
  if (ticksMs.length === 1 || fromMs > last) return []
  const widthMs = ticksMs[1] - first
  const isUniform = ticksMs.every((ms, place) => ms === first + place * widthMs)
  if (isUniform) return [{ fromMs, toMs: last, expression: `("__time" - ${first + 1}) / ${widthMs} + 1`, period: null }]
  const starts = [...ticksMs.subarray(0, -1)].map((ms, place) => ({ fromMs: ms + 1, expression: constant(place + 1) }))
  return bucketRanges(starts, fromMs, last)
}

function checkRows(newest: NewestAtTicks, ticks: number, limit: number): void {
  let rows = 0
  for (const ofTag of newest.values()) {
    let first = ticks
    for (const place of ofTag.keys()) first = Math.min(first, place)
    rows += ticks - first
  }
  if (rows > limit) throw resultTooLarge(limit, rows)
}
