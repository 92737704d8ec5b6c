import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../../lib/sort-in-slices.ts'
import type { SnapPlan } from '../../../model/plan.ts'
import { tooManyBuckets } from '../../limits.ts'
import type { ResultBatch } from '../../series-store.ts'
import { batchRows } from './item-batches.ts'
import type { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'
import { pickNewest } from './run-latest.ts'
import { statesOf, type TagStates } from './snap-states.ts'

/** Each tag's state at each tick. */
export async function* runSnap(plan: SnapPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const { ticksMs } = plan
  if (ticksMs.length > run.limits.buckets) throw tooManyBuckets(run.limits.buckets)
  if (ticksMs.length === 0) return
  if (ticksMs.length === 1) yield* snapOnce(ticksMs[0], run)
  else yield* snapOften(ticksMs, run)
}

/** A single tick needs only the newest items, without a walk over earlier ones. */
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
  const shown = await TagsByTick.of(tags, run.pacer)
  const batch = new StatesBatch(tags, Math.min(batchRows, tags.length * ticksMs.length))
  for (let tick = 0; tick < ticksMs.length; tick++) {
    const arrived = shown.enter(tick)
    if (arrived !== null) await arrived
    let place = 0
    do {
      const start = place
      place = batch.add(shown.tags, start, tick, ticksMs[tick])
      if (batch.isFull && batch.rows > 0) yield batch.take(run, picked)
      if (run.pacer.spend(1 + place - start)) await run.pacer.rest()
    } while (place < shown.tags.length)
  }
  if (batch.rows > 0) yield batch.take(run, picked)
}

/** Collects rows of the result for one batch. */
class StatesBatch {
  rows = 0
  readonly #tags: readonly TagStates[]
  readonly #order: Int32Array
  readonly #ticks: Float64Array

  constructor(tags: readonly TagStates[], rowsMax: number) {
    this.#tags = tags
    this.#order = new Int32Array(rowsMax)
    this.#ticks = new Float64Array(rowsMax)
  }

  get isFull(): boolean {
    return this.rows === this.#order.length
  }

  /** Adds the states of tags at a tick, from place `start` of `numbers` on, as many as fit. Returns the place after the last one. */
  add(numbers: Int32Array, start: number, tick: number, tickMs: number): number {
    const end = Math.min(numbers.length, start + this.#order.length - this.rows)
    for (let place = start; place < end; place++) {
      const { from, picks } = this.#tags[numbers[place]]
      this.#order[this.rows + place - start] = picks[tick - from]
    }
    this.#ticks.fill(tickMs, this.rows, this.rows + end - start)
    this.rows += end - start
    return end
  }

  take(run: PlanRun, picked: PickedRows): ResultBatch {
    const { rows } = this
    this.rows = 0
    return answer(run, picked, this.#ticks.subarray(0, rows), this.#order, 0, rows)
  }
}

function answer(
  run: PlanRun,
  picked: PickedRows,
  ticks: Float64Array,
  order: Int32Array | null,
  start: number,
  end: number,
): ResultBatch {
  const accessors = [{ kind: 'time', type: 'timestamp' } as const, ...run.tags, ...run.fields, ...run.metrics]
  const { rows, columns } = picked.batch(accessors, order, start, end)
  return { rows, columns: [...columns, { type: 'timestamp', values: ticks }] }
}

const noTags = new Int32Array(0)

/** The tags that have a state at a tick, for a walk over the ticks. Tags without a state yet cost nothing. */
class TagsByTick {
  /** The numbers of the tags at the current tick, ascending. */
  tags: Int32Array = noTags
  readonly #froms: readonly { readonly from: number }[]
  /** The numbers of all tags, sorted by their first tick. */
  readonly #byFirst: Int32Array
  readonly #pacer: Pacer
  #next = 0

  private constructor(froms: readonly { readonly from: number }[], byFirst: Int32Array, pacer: Pacer) {
    this.#froms = froms
    this.#byFirst = byFirst
    this.#pacer = pacer
  }

  static async of(froms: readonly { readonly from: number }[], pacer: Pacer): Promise<TagsByTick> {
    const byFirst = (left: number, right: number): number => froms[left].from - froms[right].from
    return new TagsByTick(froms, await sortInSlices(inOrder(froms.length), 0, byFirst, pacer), pacer)
  }

  /** Moves to a tick; ticks are entered in order. Returns null if no tag has its first state there, else a promise to await. */
  enter(tick: number): Promise<void> | null {
    const isNext = this.#next < this.#byFirst.length && this.#froms[this.#byFirst[this.#next]].from === tick
    return isNext ? this.#merge(tick) : null
  }

  async #merge(tick: number): Promise<void> {
    const known = this.tags
    const start = this.#next
    while (this.#next < this.#byFirst.length && this.#froms[this.#byFirst[this.#next]].from === tick) this.#next++
    const added = this.#byFirst.subarray(start, this.#next)
    const merged = new Int32Array(known.length + added.length)
    let left = 0
    let right = 0
    for (let place = 0; place < merged.length; place++) {
      const takesKnown = right === added.length || (left < known.length && known[left] < added[right])
      merged[place] = takesKnown ? known[left++] : added[right++]
      if ((place & 4095) === 4095 && this.#pacer.spend(4096)) await this.#pacer.rest()
    }
    this.tags = merged
  }
}
