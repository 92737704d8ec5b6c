// Rows of one client look alike: the property after another is usually the same as in the row before, written the same way. The scanner therefore
// remembers, for each field, the bytes between its value and the next one, and compares these first.

import { closeBrace, space } from '../../lib/ascii.ts'
import type { FieldColumn } from '../columns/field-column.ts'
import { readValue } from './read-value.ts'
import { skipSpace, skipString } from './skip.ts'
import type { TimestampParser } from './timestamps.ts'

/** Returned instead of the next place: the row is faulty, or repeats a property. */
const needsCare = -1

/** Longer runs of white space are not cached. */
const leadBytesMax = 512

/** What followed a field's value: the bytes up to the next value, including its colon, and the field of that value. */
interface Transition {
  readonly lead: Uint8Array
  readonly target: number
}

function afterLead(bytes: Buffer, at: number, lead: Uint8Array): number {
  for (let i = 0; i < lead.length; i++) if (bytes[at + i] !== lead[i]) return -1
  return at + lead.length
}

/** Reads valid rows. Other rows are left to `readWithCare`. */
export class RowScanner {
  readonly #columns: readonly FieldColumn[]
  readonly #bySource: ReadonlyMap<string, number>
  readonly #timestamps: TimestampParser
  /** By 1 + the previous field; 0 is the start of a row. */
  readonly #transitions: Transition[]
  /** The row in which each field was read last, to detect properties that repeat or are absent. */
  readonly #seenIn: Float64Array
  #rowsRead = 0

  constructor(columns: readonly FieldColumn[], bySource: ReadonlyMap<string, number>, timestamps: TimestampParser) {
    this.#columns = columns
    this.#bySource = bySource
    this.#timestamps = timestamps
    this.#transitions = Array.from({ length: columns.length + 1 }, () => ({ lead: new Uint8Array([0]), target: 0 }))
    this.#seenIn = new Float64Array(columns.length)
  }

  /** Writes the row that begins at `start` to the columns at `row`. Returns the place after it, or -1 if it must be read with care. */
  read(bytes: Buffer, start: number, row: number): number {
    const columns = this.#columns
    const seenIn = this.#seenIn
    const transitions = this.#transitions
    const rowsRead = ++this.#rowsRead
    let at = start
    let from = 0
    let found = 0
    do {
      let transition = transitions[from]!
      let value = afterLead(bytes, at, transition.lead)
      if (value < 0) {
        const learned = this.#learn(bytes, at)
        if (learned === null) return needsCare
        transition = learned
        value = at + transition.lead.length
        if (transition.lead.length <= leadBytesMax) transitions[from] = transition
      }
      if (bytes[value]! <= space) value = skipSpace(bytes, value)
      const target = transition.target
      if (seenIn[target] === rowsRead) return needsCare
      seenIn[target] = rowsRead
      at = readValue(bytes, value, columns[target]!, row, this.#timestamps)
      if (at < 0) return needsCare
      found++
      from = target + 1
      if (bytes[at]! <= space && bytes[skipSpace(bytes, at)] === closeBrace) at = skipSpace(bytes, at)
    } while (bytes[at] !== closeBrace)
    if (found < columns.length && !this.#fillAbsent(row)) return needsCare
    return at + 1
  }

  /** Reads from a brace or comma at or after `at` to the colon after the next key; null if there is no key, or it is not a source. */
  #learn(bytes: Buffer, at: number): Transition | null {
    const key = skipSpace(bytes, skipSpace(bytes, at) + 1)
    if (bytes[key] === closeBrace) return null
    const keyEnd = skipString(bytes, key)
    const target = this.#bySource.get(JSON.parse(bytes.toString('utf8', key, keyEnd)))
    if (target === undefined) return null
    return { lead: Uint8Array.prototype.slice.call(bytes, at, skipSpace(bytes, keyEnd) + 1), target }
  }

  /** Returns false if a required field is absent. */
  #fillAbsent(row: number): boolean {
    for (let i = 0; i < this.#columns.length; i++) {
      if (this.#seenIn[i] === this.#rowsRead) continue
      const column = this.#columns[i]!
      if (column.required) return false
      column.setAbsent(row)
    }
    return true
  }
}
