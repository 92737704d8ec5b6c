import type { SnapPlan } from '../../../model/plan.ts'
import { resultTooLarge, tooManyBuckets } from '../../limits.ts'
import type { ResultBatch } from '../../series-store.ts'
import { type Chunk, firstAfter } from '../head/chunk.ts'
import { GrowableInt32 } from '../head/growable.ts'
import { batchRows } from './answer-items.ts'
import type { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'
import { type Item, isNewer, pickNewest } from './run-latest.ts'

const none = -1

/** Each tag's state at each tick. */
export async function* runSnap(plan: SnapPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const { ticksMs } = plan
  if (ticksMs.length > run.limits.buckets) throw tooManyBuckets(run.limits.buckets)
  if (ticksMs.length === 0) return
  if (ticksMs.length === 1) yield* snapOnce(ticksMs[0], run)
  else yield* snapOften(ticksMs, run)
}

/** One tick needs the newest items alone: no walk over what came before them. */
async function* snapOnce(tickMs: number, run: PlanRun): AsyncGenerator<ResultBatch> {
  const picked = await pickNewest(Number.NEGATIVE_INFINITY, tickMs, run)
  for (let start = 0; start < picked.length; start += batchRows) {
    const end = Math.min(picked.length, start + batchRows)
    yield answer(run, picked, new Float64Array(end - start).fill(tickMs), null, start, end)
    if (run.pacer.spend(end - start)) await run.pacer.rest()
  }
}

async function* snapOften(ticksMs: Float64Array, run: PlanRun): AsyncGenerator<ResultBatch> {
  const { picked, tags } = await statesOf(ticksMs, run)
  let order = new GrowableInt32()
  let firstTick = 0
  for (let tick = 0; tick < ticksMs.length; tick++) {
    for (const { from, picks } of tags) if (tick >= from) order.push(picks[tick - from])
    if (run.pacer.spend(tags.length)) await run.pacer.rest()
    if (order.length < batchRows && tick + 1 < ticksMs.length) continue
    if (order.length > 0) {
      const ticks = ticksOf(ticksMs, tags, firstTick, tick, order.length)
      yield answer(run, picked, ticks, order.values, 0, order.length)
    }
    order = new GrowableInt32()
    firstTick = tick + 1
  }
}

/** The tick of each row from tick number `first` to `last`. */
function ticksOf(
  ticksMs: Float64Array,
  tags: readonly TagStates[],
  first: number,
  last: number,
  rows: number,
): Float64Array {
  const ticks = new Float64Array(rows)
  let row = 0
  for (let tick = first; tick <= last; tick++) {
    const start = row
    for (const { from } of tags) if (tick >= from) row++
    ticks.fill(ticksMs[tick], start, row)
  }
  return ticks
}

function answer(
  run: PlanRun,
  picked: PickedRows,
  ticks: Float64Array,
  order: Int32Array | null,
  start: number,
  end: number,
): ResultBatch {
  const readers = [{ kind: 'time', type: 'timestamp' } as const, run.tag, ...run.fields, ...run.metrics]
  const { rows, columns } = picked.batch(readers, order, start, end)
  return { rows, columns: [...columns, { type: 'timestamp', values: ticks }] }
}

/** The states of one tag from tick number `from` on, where it has its first: which pick it is at each tick. */
interface TagStates {
  readonly from: number
  readonly picks: Int32Array
}

async function statesOf(
  ticksMs: Float64Array,
  run: PlanRun,
): Promise<{ readonly picked: PickedRows; readonly tags: readonly TagStates[] }> {
  const { series, bounds } = run.selected
  const { resultRows } = run.limits
  let picked = run.newPicks()
  let tags: TagStates[] = []
  let rows = 0
  for (let group = 0; group + 1 < bounds.length; group++) {
    const states = new StatesWalk(ticksMs, run, picked)
    for (let index = bounds[group]; index < bounds[group + 1]; index++) {
      const prepared = run.source.prepare(series[index], run.pacer)
      if (prepared !== null) await prepared
      await states.addSeries(series[index])
    }
    const from = states.from
    if (from === ticksMs.length) continue
    rows += ticksMs.length - from
    if (rows <= resultRows) tags.push({ from, picks: states.picks.subarray(from) })
    else {
      // The answer is refused; what follows is only counted.
      picked = run.newPicks()
      tags = []
    }
  }
  if (rows > resultRows) throw resultTooLarge(resultRows, rows)
  return { picked, tags }
}

/** Fruitless segments after which a walk begins anew at the next tick, so that what lies between ticks is not read. */
const fruitlessMax = 4

/** Finds the newest item of a tag's series at each tick, from the last tick to the first. */
class StatesWalk {
  /** By tick, -1 for none. */
  readonly picks: Int32Array
  readonly #ticksMs: Float64Array
  readonly #run: PlanRun
  readonly #picked: PickedRows
  #tick = -1

  constructor(ticksMs: Float64Array, run: PlanRun, picked: PickedRows) {
    this.picks = new Int32Array(ticksMs.length).fill(none)
    this.#ticksMs = ticksMs
    this.#run = run
    this.#picked = picked
  }

  /** The first tick at which the tag has a state; the number of ticks when there is none. */
  get from(): number {
    const last = this.picks.lastIndexOf(none)
    return last + 1
  }

  async addSeries(series: number): Promise<void> {
    const { source, pacer } = this.#run
    this.#tick = this.#ticksMs.length - 1
    for (let isOver = false; !isOver && this.#tick >= 0; ) {
      let fruitless = 0
      isOver = true
      for (const { chunk, start, end } of source.runBackward(series, Number.NEGATIVE_INFINITY, this.#tickMs)) {
        fruitless = this.#takeStates(series, chunk, start, end) ? 0 : fruitless + 1
        if (pacer.spend(end - start)) await pacer.rest()
        isOver = this.#tick < 0
        if (isOver) break
        if (fruitless >= fruitlessMax && this.#tickMs < chunk.times[start]) break
        isOver = true
      }
      if (pacer.spend(4)) await pacer.rest()
    }
  }

  get #tickMs(): number {
    return this.#ticksMs[this.#tick]
  }

  /** Takes the states that a segment has for the ticks that are left; false when it has none. */
  #takeStates(series: number, chunk: Chunk, start: number, end: number): boolean {
    let isFruitful = false
    let high = end
    while (this.#tick >= 0 && chunk.times[start] <= this.#tickMs) {
      high = firstAfter(chunk.times, start, high, this.#tickMs)
      const row = this.#run.items.last(chunk, start, high)
      if (row === none) break
      this.#take(series, chunk, row)
      isFruitful = true
      high = row
      if (high === start) break
    }
    return isFruitful
  }

  /** An item is the state of all ticks from its date on that have no newer one. */
  #take(series: number, chunk: Chunk, row: number): void {
    const item = { chunk, row, series }
    let pick = none
    for (; this.#tick >= 0 && this.#tickMs >= chunk.times[row]; this.#tick--) {
      const known = this.picks[this.#tick]
      if (known !== none && !isNewer(item, itemAt(this.#picked, known))) continue
      if (pick === none) {
        pick = this.#picked.length
        this.#picked.add(chunk, row, series)
      }
      this.picks[this.#tick] = pick
    }
  }
}

function itemAt(picked: PickedRows, pick: number): Item {
  return { chunk: picked.chunk(pick), row: picked.row(pick), series: picked.series(pick) }
}
