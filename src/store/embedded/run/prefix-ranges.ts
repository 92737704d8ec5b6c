import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import { forEachChunk } from '../../../lib/for-each-chunk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../../lib/sort-in-slices.ts'
import type { Dictionary } from '../head/dictionary.ts'

/** The cost of finding a prefix among many strings, in pacer units. */
const findUnits = 64

/** The ranges of sorted strings that begin with one of some prefixes. Strings with the same prefix are neighbours. */
export class PrefixRanges {
  readonly #sorted: Int32Array
  /** Ascending by start; ranges may overlap. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array

  private constructor(sorted: Int32Array, starts: Int32Array, ends: Int32Array) {
    this.#sorted = sorted
    this.#starts = starts
    this.#ends = ends
  }

  /** `sorted` contains codes of the dictionary in the order of their strings. */
  static async of(
    prefixes: readonly string[],
    { strings }: Dictionary,
    sorted: Int32Array,
    pacer: Pacer,
  ): Promise<PrefixRanges> {
    const starts = new Int32Array(prefixes.length)
    const ends = new Int32Array(prefixes.length)
    for (const [place, prefix] of prefixes.entries()) {
      starts[place] = firstFrom(sorted, 0, (code) => compareCodePoints(strings[code], prefix) >= 0)
      ends[place] = firstFrom(sorted, starts[place], (code) => !strings[code].startsWith(prefix))
      if (pacer.spend(findUnits)) await pacer.rest()
    }
    const order = await sortInSlices(
      inOrder(prefixes.length),
      0,
      (left, right) => starts[left] - starts[right] || ends[left] - ends[right],
      pacer,
    )
    return new PrefixRanges(
      sorted,
      order.map((place) => starts[place]),
      order.map((place) => ends[place]),
    )
  }

  /** The codes in the ranges, each once, in order. */
  async codes(pacer: Pacer): Promise<Int32Array> {
    const codes = new Int32Array(this.#length)
    let length = 0
    let done = 0
    for (let range = 0; range < this.#starts.length; range++) {
      const from = Math.max(done, this.#starts[range])
      if (from >= this.#ends[range]) continue
      const offset = length - from
      await forEachChunk(from, this.#ends[range], pacer, (start, end) => {
        codes.set(this.#sorted.subarray(start, end), offset + start)
      })
      done = this.#ends[range]
      length = offset + done
    }
    return codes
  }

  get #length(): number {
    let length = 0
    let done = 0
    for (let range = 0; range < this.#starts.length; range++) {
      length += Math.max(0, this.#ends[range] - Math.max(done, this.#starts[range]))
      done = Math.max(done, this.#ends[range])
    }
    return length
  }
}

/** The first place from `start` on whose code passes; the length if there is none. If a code passes, all after it must pass. */
function firstFrom(sorted: Int32Array, start: number, passes: (code: number) => boolean): number {
  let low = start
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(sorted[middle])) high = middle
    else low = middle + 1
  }
  return low
}
