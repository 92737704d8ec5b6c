import type { Pacer } from '../../../lib/pacer.ts'
import type { Chunk, Segment } from '../head/chunk.ts'
import type { ItemTest } from '../run/item-test.ts'

/** Goes from item to item of one series, forwards (`step` 1) or backwards (-1); its segments come in that order, as they are needed. */
export class SeriesWalk {
  readonly series: number
  readonly #items: ItemTest
  readonly #segments: Iterator<Segment>
  readonly #step: 1 | -1
  #segment: Segment | null = null
  #row = -1

  constructor(series: number, items: ItemTest, segments: Iterable<Segment>, step: 1 | -1) {
    this.series = series
    this.#items = items
    this.#segments = segments[Symbol.iterator]()
    this.#step = step
    this.#enterNext()
  }

  get chunk(): Chunk {
    if (this.#segment === null) throw new Error('the walk has ended')
    return this.#segment.chunk
  }

  /** The row of the item in its chunk, -1 after the last one. */
  get row(): number {
    return this.#row
  }

  /** Whether `seek` has to be awaited before `row` is read: the next item is not in the segment at hand. */
  get isSeeking(): boolean {
    return this.#segment !== null && this.#row === -1
  }

  advance(): void {
    if (this.#segment === null) return
    const { chunk, start, end } = this.#segment
    this.#row =
      this.#step === 1 ? this.#items.first(chunk, this.#row + 1, end) : this.#items.last(chunk, start, this.#row)
    if (this.#row === -1) this.#enterNext()
  }

  async seek(pacer: Pacer): Promise<void> {
    while (this.#segment !== null && this.#row === -1) {
      if (pacer.spend(this.#segment.end - this.#segment.start)) await pacer.rest()
      this.#enterNext()
    }
  }

  #enterNext(): void {
    const next = this.#segments.next()
    this.#segment = next.done === true ? null : next.value
    if (this.#segment === null) return
    const { chunk, start, end } = this.#segment
    this.#row = this.#step === 1 ? this.#items.first(chunk, start, end) : this.#items.last(chunk, start, end)
  }
}
