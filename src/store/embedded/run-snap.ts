import type { SnapPlan } from '../../model/plan.ts'
import type { ResultBatch } from '../series-store.ts'
import { batchRows } from './answer-items.ts'
import { type Chunk, firstAfterNear, firstAtOrAfter, type Segment } from './chunk.ts'
import { GrowableFloat64 } from './growable.ts'
import type { ItemTest } from './item-test.ts'
import { resultTooLarge, tooManyBuckets } from './limits.ts'
import { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'
import { isNewer, pickNewest } from './run-latest.ts'

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
    yield answer(run, picked, new Float64Array(end - start).fill(tickMs), start, end)
    if (run.pacer.spend(end - start)) await run.pacer.rest()
  }
}

async function* snapOften(ticksMs: Float64Array, run: PlanRun): AsyncGenerator<ResultBatch> {
  const tags = await statesOf(ticksMs, run)
  let picked = new PickedRows()
  let ticks = new GrowableFloat64()
  for (const tickMs of ticksMs) {
    for (const states of tags) {
      const state = stateAt(states, tickMs)
      if (state !== null) {
        picked.add(state.chunk, state.row, state.series)
        ticks.push(tickMs)
      }
      if (run.pacer.spend(states.length)) await run.pacer.rest()
    }
    if (picked.length < batchRows) continue
    yield answer(run, picked, ticks.values.slice(0, ticks.length), 0, picked.length)
    picked = new PickedRows()
    ticks = new GrowableFloat64()
  }
  if (picked.length > 0) yield answer(run, picked, ticks.values.slice(0, ticks.length), 0, picked.length)
}

function answer(run: PlanRun, picked: PickedRows, ticks: Float64Array, start: number, end: number): ResultBatch {
  const readers = [{ kind: 'time', type: 'timestamp' } as const, run.tag, ...run.fields, ...run.metrics]
  const { rows, columns } = picked.batch(readers, null, start, end)
  return { rows, columns: [...columns, { type: 'timestamp', values: ticks }] }
}

/** The states of the series of each tag. A tag has a row at each tick from its first item on: so the answer's size is known before. */
async function statesOf(ticksMs: Float64Array, run: PlanRun): Promise<SeriesState[][]> {
  const { source, selected, items, pacer, limits } = run
  const { series, bounds } = selected
  const tags: SeriesState[][] = []
  let rows = 0
  for (let group = 0; group + 1 < bounds.length; group++) {
    const states: SeriesState[] = []
    let firstMs = Number.POSITIVE_INFINITY
    for (let index = bounds[group]; index < bounds[group + 1]; index++) {
      const prepared = source.prepare(series[index], pacer)
      if (prepared !== null) await prepared
      const segments = source.run(series[index], Number.NEGATIVE_INFINITY, ticksMs[ticksMs.length - 1])
      const seriesFirstMs = firstItemMs(segments, items)
      if (seriesFirstMs === null) continue
      firstMs = Math.min(firstMs, seriesFirstMs)
      states.push(new SeriesState(series[index], items, segments))
      if (pacer.spend(4 + segments.length * 4)) await pacer.rest()
    }
    if (states.length === 0) continue
    tags.push(states)
    rows += ticksMs.length - firstAtOrAfter(ticksMs, 0, ticksMs.length, firstMs)
  }
  if (rows > limits.resultRows) throw resultTooLarge(limits.resultRows, rows)
  return tags
}

function firstItemMs(segments: readonly Segment[], items: ItemTest): number | null {
  for (const { chunk, start, end } of segments) {
    const row = items.first(chunk, start, end)
    if (row !== -1) return chunk.times[row]
  }
  return null
}

interface State {
  readonly chunk: Chunk
  readonly row: number
  readonly series: number
}

function stateAt(states: readonly SeriesState[], tickMs: number): State | null {
  let newest: State | null = null
  for (const state of states) {
    state.advance(tickMs)
    const item = state.item
    if (item !== null && (newest === null || isNewer(item, newest))) newest = item
  }
  return newest
}

/** The newest item of one series at a tick that moves forwards. */
class SeriesState {
  item: State | null = null
  readonly #series: number
  readonly #items: ItemTest
  readonly #segments: readonly Segment[]
  #segment = 0
  /** The first row after the tick in the segment. */
  #row: number

  constructor(series: number, items: ItemTest, segments: readonly Segment[]) {
    this.#series = series
    this.#items = items
    this.#segments = segments
    this.#row = segments[0].start
  }

  advance(tickMs: number): void {
    while (this.#segment < this.#segments.length) {
      const { chunk, end } = this.#segments[this.#segment]
      if (this.#row < end && chunk.times[this.#row] <= tickMs) {
        const after = firstAfterNear(chunk.times, this.#row, end, tickMs)
        const row = this.#items.last(chunk, this.#row, after)
        if (row !== -1) this.item = { chunk, row, series: this.#series }
        this.#row = after
      }
      if (this.#row < end) return
      this.#segment++
      if (this.#segment < this.#segments.length) this.#row = this.#segments[this.#segment].start
    }
  }
}
