import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'
import { nullCode, type StringColumn } from '../../../model/column.ts'

const unmapped = -2
/** The bytes of a string in addition to its characters: its header, and the entries of the array and the map. */
const entryBytes = 72

/** Strings and their codes: those of a field of a table, of a tag, or of a field in a query's run. It only grows. */
export class Dictionary {
  /** By code. Returned without a copy: readers must not change it. */
  readonly strings: string[] = []
  readonly #codes = new Map<string, number>()
  /** The codes of other dictionaries, translated to this one. Many batches tend to share one dictionary object. */
  readonly #translations = new WeakMap<readonly string[], Int32Array>()
  /** The dictionary that `codeFrom` read last. Successive codes tend to belong to the same one. */
  #foreign: readonly string[] = []
  #translation: Int32Array = new Int32Array(0)
  #sorted: Int32Array = new Int32Array(0)
  #characters = 0

  /** The code of a string, -1 when it has none. */
  codeOf(text: string): number {
    return this.#codes.get(text) ?? nullCode
  }

  /** The code of a string, assigned if it has none yet. */
  codeFor(text: string): number {
    const known = this.#codes.get(text)
    if (known !== undefined) return known
    const code = this.strings.length
    this.strings.push(text)
    this.#codes.set(text, code)
    this.#characters += text.length
    return code
  }

  /** Translates a code of another dictionary; a new string is assigned a code. Codes of this dictionary and null are returned unchanged. */
  codeFrom(dictionary: readonly string[], code: number): number {
    if (dictionary === this.strings || code === nullCode) return code
    if (dictionary !== this.#foreign || code >= this.#translation.length) {
      this.#foreign = dictionary
      this.#translation = this.#translationOf(dictionary)
    }
    const known = this.#translation[code]
    if (known !== unmapped) return known
    const own = this.codeFor(dictionary[code])
    this.#translation[code] = own
    return own
  }

  /** Writes the codes of a batch's strings in this dictionary to `codes`; new strings are assigned codes. */
  translate(column: StringColumn, rows: number, codes: Int32Array): void {
    const translation = this.#translationOf(column.dictionary)
    for (let row = 0; row < rows; row++) {
      const foreign = column.codes[row]
      if (foreign === nullCode) {
        codes[row] = nullCode
        continue
      }
      let code = translation[foreign]
      if (code === unmapped) {
        code = this.codeFor(column.dictionary[foreign])
        translation[foreign] = code
      }
      codes[row] = code
    }
  }

  /** All codes, in the code point order of their strings. */
  async sorted(pacer: Pacer): Promise<Int32Array> {
    const known = this.#sorted
    const length = this.strings.length
    if (known.length === length) return known
    const codes = new Int32Array(length)
    codes.set(known)
    for (let code = known.length; code < length; code++) codes[code] = code
    const sorted = await sortInSlices(codes, known.length, this.compare, pacer)
    if (sorted.length > this.#sorted.length) this.#sorted = sorted
    return sorted
  }

  /** Compares two codes by their strings; null comes first. */
  readonly compare = (left: number, right: number): number => {
    if (left === right) return 0
    if (left === nullCode) return -1
    if (right === nullCode) return 1
    return compareCodePoints(this.strings[left], this.strings[right])
  }

  get bytes(): number {
    return this.#characters * 2 + this.strings.length * entryBytes
  }

  #translationOf(dictionary: readonly string[]): Int32Array {
    const known = this.#translations.get(dictionary)
    if (known !== undefined && known.length >= dictionary.length) return known
    const length = known === undefined ? dictionary.length : Math.max(dictionary.length, known.length * 2)
    const translation = new Int32Array(length).fill(unmapped)
    if (known !== undefined) translation.set(known)
    this.#translations.set(dictionary, translation)
    return translation
  }
}
