// Lines of one client look alike, as JSON rows do. The scanner therefore remembers, for each value, the bytes between it and the next one, and compares
// these first.
import { backslash, comma, equals, space } from '../../../lib/ascii.ts'
import type { LinePrecision } from '../../../model/line-format.ts'
import type { FieldColumn } from '../../columns/field-column.ts'
import { measurementProperty } from './line-rows.ts'
import { afterLead, bareEnd, needsCare, readFieldValue, readLineTime, tagValueEnd } from './line-value.ts'

/** Longer names are not cached. */
const leadBytesMax = 512

/** What followed a value: the bytes up to the next value, including its equals sign, and the field of that value. */
interface Transition {
  readonly lead: Uint8Array
  readonly target: number
  readonly isField: boolean
}

const noTransition: Transition = { lead: new Uint8Array([0]), target: 0, isField: false }

/** Reads plain, valid lines of one row each. Other lines are left to `parseLine` and `readWithCare`. */
export class LineScanner {
  readonly #columns: readonly FieldColumn[]
  readonly #bySource: ReadonlyMap<string, number>
  /** Columns of the measurement and of the time; -1 if the ingest has none. */
  readonly #measurement: number
  readonly #time: number
  /** Index: 2 * (1 + the previous field), plus 1 within the line's fields. 0 is after the measurement. */
  readonly #transitions: Transition[]
  /** The line in which each field was read last. */
  readonly #seenIn: Float64Array
  #linesRead = 0

  constructor(columns: readonly FieldColumn[], bySource: ReadonlyMap<string, number>) {
    this.#columns = columns
    this.#bySource = bySource
    const measurement = bySource.get(measurementProperty) ?? -1
    this.#measurement = columns[measurement]?.type === 'string' ? measurement : -1
    this.#time = columns.findIndex(({ field }) => field.role === 'time')
    this.#transitions = Array.from({ length: 2 * (columns.length + 1) }, () => noTransition)
    this.#seenIn = new Float64Array(columns.length)
  }

  /**
   * Writes the line that begins at `start` to the columns at `row`. Returns the place of the newline after it, or the end of the body; -1
   * if it must be read with care.
   */
  read(bytes: Buffer, start: number, row: number, precision: LinePrecision, receivedMs: number): number {
    if (this.#measurement < 0 || this.#time < 0) return needsCare
    const columns = this.#columns
    const seenIn = this.#seenIn
    const transitions = this.#transitions
    const line = ++this.#linesRead
    seenIn[this.#measurement] = line
    let at = readBare(bytes, start, columns[this.#measurement]!, row)
    let from = 0
    let isField = false
    let found = 2
    while (at >= 0 && !(isField && bytes[at] !== comma)) {
      let transition = transitions[from]!
      let value = afterLead(bytes, at, transition.lead)
      if (value < 0) {
        const learned = this.#learn(bytes, at, isField)
        if (learned === null) return needsCare
        transition = learned
        value = at + transition.lead.length
        if (transition.lead.length <= leadBytesMax) transitions[from] = transition
      }
      const { target } = transition
      if (seenIn[target] === line) return needsCare
      seenIn[target] = line
      isField = transition.isField
      at = isField ? readFieldValue(bytes, value, columns[target]!, row) : readBare(bytes, value, columns[target]!, row)
      from = 2 * (target + 1) + (isField ? 1 : 0)
      found++
    }
    if (at < 0) return needsCare
    const end = readLineTime(bytes, at, columns[this.#time]!.numbers, row, precision, receivedMs)
    seenIn[this.#time] = line
    if (end >= 0 && found < columns.length && !this.#fillAbsent(row)) return needsCare
    return end
  }

  /** Reads from a comma or space to the equals sign after the next name; null if the name is not plain or not a field. */
  #learn(bytes: Buffer, at: number, isInFields: boolean): Transition | null {
    const isField = isInFields || bytes[at] === space
    const keyEnd = bareEnd(bytes, at + 1)
    if (bytes[keyEnd] !== equals) return null
    const target = this.#bySource.get(bytes.toString('utf8', at + 1, keyEnd))
    if (target === undefined || target === this.#time) return null
    return { lead: Uint8Array.prototype.slice.call(bytes, at, keyEnd + 1), target, isField }
  }

  /** Returns false if a required field is absent. */
  #fillAbsent(row: number): boolean {
    for (let i = 0; i < this.#columns.length; i++) {
      if (this.#seenIn[i] === this.#linesRead) continue
      const column = this.#columns[i]!
      if (column.required) return false
      column.setAbsent(row)
    }
    return true
  }
}

/** Reads a measurement or tag value. Returns the place of the comma or space after it. */
function readBare(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (column.type !== 'string' || column.isIdentifier) return needsCare
  let at = bareEnd(bytes, start)
  const isEscaped = bytes[at] === backslash
  if (isEscaped) at = tagValueEnd(bytes, at)
  if (at === start || (bytes[at] !== comma && bytes[at] !== space)) return needsCare
  if (isEscaped) column.strings.readTagValue(bytes, start, at, column.codes, row)
  else column.strings.readPlain(bytes, start, at, column.codes, row)
  return at
}
