import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../../lib/sort-in-slices.ts'

const noTags = new Int32Array(0)

/** The tags that have a state at a tick, as a walk over the ticks goes on: those that have none yet cost nothing. */
export class TagsByTick {
  /** Their numbers at the tick that was entered, rising. */
  tags: Int32Array = noTags
  readonly #froms: readonly { readonly from: number }[]
  /** The numbers of all tags by their first tick. */
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

  /** Goes to a tick, each after the one before; null when no tag has its first state there, else a promise to await. */
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
