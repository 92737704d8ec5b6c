import type { Pacer } from '../../../lib/pacer.ts'
import type { Chunk, RowSlice } from '../head/chunk.ts'
import type { ItemTest } from '../run/item-filter.ts'

/** Walks from item to item of one series, forwards (`step` 1) or backwards (-1). Its stretches must have that order and are read on demand. */
export class SeriesWalk {
  readonly series: number
  readonly #items: ItemTest
  readonly #stretches: Iterator<RowSlice>
  readonly #step: 1 | -1
  #stretch: RowSlice | null = null
  #row = -1

  constructor(series: number, items: ItemTest, stretches: Iterable<RowSlice>, step: 1 | -1) {
    this.series = series
    this.#items = items
    this.#stretches = stretches[Symbol.iterator]()
    this.#step = step
    this.#enterNext()
  }

  get chunk(): Chunk {
    if (this.#stretch === null) throw new Error('the walk has ended')
    return this.#stretch.chunk
  }

  /** The row of the item in its chunk, -1 after the last one. */
  get row(): number {
    return this.#row
  }

  /** Whether `seek` has to be awaited before `row` is read: the next item is not in the current stretch. */
  get isSeeking(): boolean {
    return this.#stretch !== null && this.#row === -1
  }

  advance(): void {
    if (this.#stretch === null) return
    const { chunk, start, end } = this.#stretch
    this.#row =
      this.#step === 1 ? this.#items.first(chunk, this.#row + 1, end) : this.#items.last(chunk, start, this.#row)
    if (this.#row === -1) this.#enterNext()
  }

  async seek(pacer: Pacer): Promise<void> {
    while (this.#stretch !== null && this.#row === -1) {
      if (pacer.spend(this.#stretch.end - this.#stretch.start)) await pacer.rest()
      this.#enterNext()
    }
  }

  #enterNext(): void {
    const next = this.#stretches.next()
    this.#stretch = next.done === true ? null : next.value
    if (this.#stretch === null) return
    const { chunk, start, end } = this.#stretch
    this.#row = this.#step === 1 ? this.#items.first(chunk, start, end) : this.#items.last(chunk, start, end)
  }
}
