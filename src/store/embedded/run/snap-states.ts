// Finds each tag's newest item at each tick of a snap.
import { resultTooLarge } from '../../limits.ts'
import { type Chunk, firstAfter, firstAtOrAfter } from '../head/chunk.ts'
import type { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'
import { isNewer, type LatestItem } from './run-latest.ts'

/** The states of one tag from its first tick, number `from`, on: the pick at each tick. */
export interface TagStates {
  readonly from: number
  readonly picks: Int32Array
}

export interface SnapStates {
  readonly picked: PickedRows
  /** In the order of the tags; only tags that have a state. */
  readonly tags: readonly TagStates[]
}

/** Throws Problem `result_too_large` before allocating more states than a result may have. */
export async function statesOf(ticksMs: Float64Array, run: PlanRun): Promise<SnapStates> {
  const { series, bounds } = run.selected
  const firstTicks = await firstTicksOf(ticksMs, run)
  const picked = run.newPicks()
  const tags: TagStates[] = []
  for (let tag = 0; tag + 1 < bounds.length; tag++) {
    const firstTick = firstTicks === null ? 0 : firstTicks[tag]
    if (firstTick === ticksMs.length) continue
    const states = new StatesWalk(ticksMs, firstTick, run, picked)
    for (let index = bounds[tag]; index < bounds[tag + 1]; index++) {
      const prepared = run.source.prepare(series[index], run.pacer)
      if (prepared !== null) await prepared
      await states.addSeries(series[index])
    }
    if (states.from < ticksMs.length) tags.push({ from: states.from, picks: states.picks })
  }
  return { picked, tags }
}

/**
 * The first tick at which each tag has a state; the number of ticks if it has none. A tag has a state at each tick from the date of its first
 * item on, so the result's rows can be counted before states are searched for. Null if there cannot be too many, whatever these dates are.
 */
async function firstTicksOf(ticksMs: Float64Array, run: PlanRun): Promise<Int32Array | null> {
  const { series, bounds } = run.selected
  const { resultRows } = run.limits
  const tags = bounds.length - 1
  if (tags * ticksMs.length <= resultRows) return null
  const firstTicks = new Int32Array(tags)
  let rows = 0
  for (let tag = 0; tag < tags; tag++) {
    let firstMs = Number.POSITIVE_INFINITY
    for (let index = bounds[tag]; index < bounds[tag + 1]; index++) {
      const prepared = run.source.prepare(series[index], run.pacer)
      if (prepared !== null) await prepared
      firstMs = Math.min(firstMs, await firstItemMs(series[index], ticksMs[ticksMs.length - 1], run))
    }
    firstTicks[tag] = firstAtOrAfter(ticksMs, 0, ticksMs.length, firstMs)
    rows += ticksMs.length - firstTicks[tag]
  }
  if (rows > resultRows) throw resultTooLarge(resultRows, rows)
  return firstTicks
}

/** The date of the first item of a series up to `toMs`; infinity if there is none. */
export async function firstItemMs(series: number, toMs: number, { source, items, pacer }: PlanRun): Promise<number> {
  let firstMs = Number.POSITIVE_INFINITY
  for (const { chunk, start, end } of source.run(series, Number.NEGATIVE_INFINITY, toMs)) {
    const row = items.first(chunk, start, end)
    if (row !== none) firstMs = chunk.times[row]
    if (pacer.spend(row === none ? end - start : 4)) await pacer.rest()
    if (row !== none) break
  }
  return firstMs
}

const none = -1
/** After this many ranges of rows without a state, the walk restarts at the next tick, so that rows between ticks are not read. */
const fruitlessMax = 4
/** Ticks whose state is set without a rest. */
const ticksAtOnce = 4096

/** Finds the newest item of a tag's series at each tick, from the last tick to the first. */
class StatesWalk {
  readonly #ticksMs: Float64Array
  /** No tick before this one has a state. */
  readonly #firstTick: number
  readonly #run: PlanRun
  readonly #picked: PickedRows
  /** By tick, from the first one on; -1 for none. */
  readonly #picks: Int32Array
  /** The tick whose state is searched for; all later ticks have one. */
  #tick = none
  #from: number

  constructor(ticksMs: Float64Array, firstTick: number, run: PlanRun, picked: PickedRows) {
    this.#ticksMs = ticksMs
    this.#firstTick = firstTick
    this.#run = run
    this.#picked = picked
    this.#picks = new Int32Array(ticksMs.length - firstTick).fill(none)
    this.#from = ticksMs.length
  }

  /** The first tick at which the tag has a state; the number of ticks if there is none. */
  get from(): number {
    return this.#from
  }

  /** By tick, from `from` on. */
  get picks(): Int32Array {
    return this.#picks.subarray(this.#from - this.#firstTick)
  }

  async addSeries(series: number): Promise<void> {
    const { source, pacer } = this.#run
    this.#tick = this.#ticksMs.length - 1
    for (let isOver = false; !isOver && this.#tick >= this.#firstTick; ) {
      let fruitless = 0
      isOver = true
      for (const { chunk, start, end } of source.runBackward(series, Number.NEGATIVE_INFINITY, this.#tickMs)) {
        const before = this.#tick
        let high = end
        for (let row = this.#find(chunk, start, high); row !== none; row = this.#find(chunk, start, high)) {
          while (this.#take({ chunk, row, series })) if (pacer.spend(ticksAtOnce)) await pacer.rest()
          high = row
          if (pacer.spend(1)) await pacer.rest()
        }
        fruitless = this.#tick < before ? 0 : fruitless + 1
        if (pacer.spend(end - start)) await pacer.rest()
        isOver = this.#tick < this.#firstTick
        if (isOver) break
        if (fruitless >= fruitlessMax && this.#tickMs < chunk.times[start]) break
        isOver = true
      }
      if (pacer.spend(4)) await pacer.rest()
    }
    this.#from = Math.min(this.#from, this.#tick + 1)
  }

  get #tickMs(): number {
    return this.#ticksMs[this.#tick]
  }

  /** The item among rows [start, end) that is the state at the current tick; -1 if there is none. */
  #find(chunk: Chunk, start: number, end: number): number {
    if (this.#tick < this.#firstTick || start === end || chunk.times[start] > this.#tickMs) return none
    return this.#run.items.last(chunk, start, firstAfter(chunk.times, start, end, this.#tickMs))
  }

  /** Makes an item the state of the ticks from its date on that have no newer one. Returns true if more such ticks remain. */
  #take(item: LatestItem): boolean {
    const itemMs = item.chunk.times[item.row]
    const stop = Math.max(this.#firstTick, this.#tick + 1 - ticksAtOnce)
    let pick = none
    for (; this.#tick >= stop && this.#tickMs >= itemMs; this.#tick--) {
      const place = this.#tick - this.#firstTick
      const known = this.#picks[place]
      if (known !== none && !isNewer(item, itemAt(this.#picked, known))) continue
      if (pick === none) {
        pick = this.#picked.length
        this.#picked.add(item.chunk, item.row, item.series)
      }
      this.#picks[place] = pick
    }
    return this.#tick >= this.#firstTick && this.#tickMs >= itemMs
  }
}

function itemAt(picked: PickedRows, pick: number): LatestItem {
  return { chunk: picked.chunk(pick), row: picked.row(pick), series: picked.series(pick) }
}
