import type { Pacer } from '../../../lib/pacer.ts'
import type { Chunk, RowSlice } from '../head/chunk.ts'
import type { ItemTest } from '../run/item-filter.ts'

/** Walks from item to item of one series, forwards (`step` 1) or backwards (-1). Its slices must have that order and are read on demand. */
export class SeriesWalk {
  readonly series: number
  readonly #items: ItemTest
  readonly #slices: Iterator<RowSlice>
  readonly #step: 1 | -1
  #slice: RowSlice | null = null
  #row = -1

  constructor(series: number, items: ItemTest, slices: Iterable<RowSlice>, step: 1 | -1) {
    this.series = series
    this.#items = items
    this.#slices = slices[Symbol.iterator]()
    this.#step = step
    this.#enterNext()
  }

  get chunk(): Chunk {
    if (this.#slice === null) throw new Error('the walk has ended')
    return this.#slice.chunk
  }

  /** The row of the item in its chunk, -1 after the last one. */
  get row(): number {
    return this.#row
  }

  /** Whether `seek` has to be awaited before `row` is read: the next item is not in the current slice. */
  get isSeeking(): boolean {
    return this.#slice !== null && this.#row === -1
  }

  advance(): void {
    if (this.#slice === null) return
    const { chunk, start, end } = this.#slice
    this.#row =
      this.#step === 1 ? this.#items.first(chunk, this.#row + 1, end) : this.#items.last(chunk, start, this.#row)
    if (this.#row === -1) this.#enterNext()
  }

  async seek(pacer: Pacer): Promise<void> {
    while (this.#slice !== null && this.#row === -1) {
      if (pacer.spend(this.#slice.end - this.#slice.start)) await pacer.rest()
      this.#enterNext()
    }
  }

  #enterNext(): void {
    const next = this.#slices.next()
    this.#slice = next.done === true ? null : next.value
    if (this.#slice === null) return
    const { chunk, start, end } = this.#slice
    this.#row = this.#step === 1 ? this.#items.first(chunk, start, end) : this.#items.last(chunk, start, end)
  }
}
