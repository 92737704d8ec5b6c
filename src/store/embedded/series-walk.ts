import type { Chunk, Segment } from './chunk.ts'
import type { ItemTest } from './item-test.ts'

/** Goes from item to item of one series, forwards (`step` 1) or backwards (-1); its segments lie in that order. */
export class SeriesWalk {
  readonly series: number
  readonly #items: ItemTest
  readonly #segments: readonly Segment[]
  readonly #step: 1 | -1
  #segment = 0
  #row = -1

  constructor(series: number, items: ItemTest, segments: readonly Segment[], step: 1 | -1) {
    this.series = series
    this.#items = items
    this.#segments = segments
    this.#step = step
    this.#enter(0)
  }

  get chunk(): Chunk {
    return this.#segments[this.#segment].chunk
  }

  /** The row of the item in its chunk, -1 after the last one. */
  get row(): number {
    return this.#row
  }

  advance(): void {
    const { chunk, start, end } = this.#segments[this.#segment]
    this.#row =
      this.#step === 1 ? this.#items.first(chunk, this.#row + 1, end) : this.#items.last(chunk, start, this.#row)
    if (this.#row === -1) this.#enter(this.#segment + 1)
  }

  #enter(from: number): void {
    for (let index = from; index < this.#segments.length; index++) {
      const { chunk, start, end } = this.#segments[index]
      const row = this.#step === 1 ? this.#items.first(chunk, start, end) : this.#items.last(chunk, start, end)
      if (row === -1) continue
      this.#segment = index
      this.#row = row
      return
    }
  }
}
