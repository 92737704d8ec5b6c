// Rollups of all series of a file together, for means that are not split by tags: summed from each series' rollups while the file is written.

import { lostIn } from '../../../lib/lost-in-sum.ts'
import { GrowableInt32 } from '../head/growable.ts'
import type { Section } from './index-layout.ts'
import { joinArrays, used } from './section-writer.ts'

/** Sums of one column by slot; a slot is an hour. */
export interface PooledColumn {
  readonly place: number
  readonly sums: number[]
  readonly errors: number[]
  readonly counts: number[]
}

export class PooledSumsBuilder {
  readonly columns: readonly PooledColumn[]
  readonly #slots = new Map<number, number>()
  /** Places of the series that have no rollups. */
  readonly #leftOut = new GrowableInt32()
  #series = 0

  constructor(places: readonly number[]) {
    this.columns = places.map((place) => ({ place, sums: [], errors: [], counts: [] }))
  }

  /** Counts the next series as included or left out. */
  endSeries(isLeftOut: boolean): void {
    if (isLeftOut) this.#leftOut.push(this.#series)
    this.#series++
  }

  slotOf(hour: number): number {
    const known = this.#slots.get(hour)
    if (known !== undefined) return known
    const slot = this.#slots.size
    this.#slots.set(hour, slot)
    for (const { sums, errors, counts } of this.columns) {
      sums.push(0)
      errors.push(0)
      counts.push(0)
    }
    return slot
  }

  /** Empty when most series are left out: there is little to gain, and their places take space. */
  *sections(): Generator<Section> {
    if (this.#slots.size === 0 || this.#leftOut.length * 2 > this.#series) return
    const inOrder = [...this.#slots].sort(([left], [right]) => left - right)
    const hours = Int32Array.from(inOrder, ([hour]) => hour)
    const bytes = joinArrays([Uint32Array.of(hours.length, this.#leftOut.length), hours, used(this.#leftOut)])
    const slots = inOrder.map(([, slot]) => slot)
    const columns = this.columns.filter(({ counts }) => counts.some((count) => count > 0))
    yield { kind: 'pooledHours', column: 0, bytes }
    for (const column of columns) yield sectionOf(column, slots)
  }
}

function sectionOf({ place, sums, errors, counts }: PooledColumn, slots: readonly number[]): Section {
  const isSound = (slot: number): boolean => Number.isFinite(sums[slot] + errors[slot])
  const bytes = joinArrays([
    Float64Array.from(slots, (slot) => (isSound(slot) ? sums[slot] : Number.NaN)),
    Float64Array.from(slots, (slot) => (isSound(slot) ? errors[slot] : 0)),
    Uint32Array.from(slots, (slot) => counts[slot]),
  ])
  return { kind: 'pooledSums', column: place, bytes }
}

/** Adds a sum and its rounding error to those of a slot. */
export function addPooled(
  { sums, errors, counts }: PooledColumn,
  slot: number,
  sum: number,
  error: number,
  count: number,
): void {
  const before = sums[slot]
  const next = before + sum
  errors[slot] += lostIn(before, sum, next) + error
  sums[slot] = next
  counts[slot] += count
}
