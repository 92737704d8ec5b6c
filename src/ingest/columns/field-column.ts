// Tested by `src/ingest/row-validator.model.test.ts`.

import { type ArrayMaker, newArrays } from '../../lib/spare-buffers.ts'
import { type ColumnVector, nullBoolean, nullCode } from '../../model/column.ts'
import { type Field, isRequired } from '../../model/field.ts'
import { InternedStrings } from '../scan/interned-strings.ts'

const noNumbers = new Float64Array(0)
const noCodes = new Int32Array(0)
const noFlags = new Uint8Array(0)

interface ExactLong {
  readonly row: number
  readonly value: bigint
}

/**
 * The column of one field; rows are written by index. A row may be written more than once: the last write counts. One class for all types, in
 * which the arrays that a type does not need stay empty, keeps the hot code on one object shape.
 */
export class FieldColumn {
  readonly field: Field
  readonly type: Field['type']
  /** Whether a row without a value is rejected. */
  readonly required: boolean
  /** Whether it identifies a metadata item. */
  readonly isIdentifier: boolean
  numbers = noNumbers
  codes = noCodes
  flags = noFlags
  strings: InternedStrings
  /** The texts of a json field; `codes` are indexes into it. */
  #texts: string[] = []
  readonly #seed: number
  readonly #arrays: ArrayMaker
  readonly #marksNulls: boolean
  #rowsMax = 0
  /** 1 for each row whose null was pushed; null until there is one. */
  #pushedNulls: Uint8Array | null = null
  /** Longs beyond 2^53, in the order in which they were written. */
  #exact: ExactLong[] = []

  /** `marksNulls`: whether a pushed null differs from an absent property. */
  constructor(field: Field, seed: number, marksNulls = false, arrays = newArrays) {
    this.field = field
    this.#marksNulls = marksNulls
    this.type = field.type
    this.isIdentifier = field.role === 'index'
    this.required = isRequired(field)
    this.#seed = seed
    this.#arrays = arrays
    this.strings = new InternedStrings(seed)
  }

  /** Starts a new column for up to `rowsMax` rows. Strings are remembered, unless there are more than `stringsMax`. */
  begin(rowsMax: number, stringsMax: number): void {
    this.#exact = []
    this.#rowsMax = rowsMax
    this.#pushedNulls = null
    switch (this.type) {
      case 'json':
        this.codes = this.#arrays.int32(rowsMax)
        this.#texts = []
        break
      case 'string':
        this.codes = this.#arrays.int32(rowsMax)
        if (this.strings.size > stringsMax) this.strings = new InternedStrings(this.#seed)
        break
      case 'boolean':
        this.flags = new Uint8Array(rowsMax)
        break
      default:
        this.numbers = this.#arrays.float64(rowsMax)
    }
  }

  /** Records that the row does not have the property. */
  setAbsent(row: number): void {
    this.#setNull(row)
    if (this.#pushedNulls !== null) this.#pushedNulls[row] = 0
  }

  /** Records that a null was pushed. */
  setNull(row: number): void {
    this.#setNull(row)
    if (!this.#marksNulls) return
    this.#pushedNulls ??= new Uint8Array(this.#rowsMax)
    this.#pushedNulls[row] = 1
  }

  /** The marks of the first `rows` rows, see `RowBatch.pushedNulls`. Call before `finish`. */
  pushedNulls(rows: number): Uint8Array | null {
    const marks = this.#pushedNulls?.subarray(0, rows) ?? null
    // A row that was overwritten may have left its mark.
    for (let row = 0; marks !== null && row < rows; row++) if (marks[row] === 1 && !this.#isNull(row)) marks[row] = 0
    return marks
  }

  #isNull(row: number): boolean {
    switch (this.type) {
      case 'json':
      case 'string':
        return this.codes[row] === nullCode
      case 'boolean':
        return this.flags[row] === nullBoolean
      default:
        return Number.isNaN(this.numbers[row])
    }
  }

  #setNull(row: number): void {
    switch (this.type) {
      case 'json':
      case 'string':
        this.codes[row] = nullCode
        break
      case 'boolean':
        this.flags[row] = nullBoolean
        break
      default:
        this.numbers[row] = Number.NaN
    }
  }

  setJson(row: number, text: string): void {
    this.codes[row] = this.#texts.push(text) - 1
  }

  setLong(row: number, value: bigint): void {
    const nearest = Number(value)
    this.numbers[row] = nearest
    if (!Number.isSafeInteger(nearest)) this.#exact.push({ row, value })
  }

  /** Returns the first `rows` rows and releases them. JSON values are returned as their texts. */
  finish(rows: number): ColumnVector {
    // A view costs more than a row, so none is made if the array has the right length.
    const numbers = this.numbers.length > rows ? this.numbers.subarray(0, rows) : this.numbers
    const codes = this.codes.length > rows ? this.codes.subarray(0, rows) : this.codes
    const flags = this.flags.length > rows ? this.flags.subarray(0, rows) : this.flags
    this.numbers = noNumbers
    this.codes = noCodes
    this.flags = noFlags
    switch (this.type) {
      case 'json':
        return { type: 'string', codes, dictionary: this.#texts }
      case 'string':
        return { type: 'string', codes, dictionary: this.strings.dictionary }
      case 'boolean':
        return { type: 'boolean', values: flags }
      case 'long':
        return { type: 'long', values: numbers, exact: this.#exactOf(numbers) }
      case 'timestamp':
        return { type: 'timestamp', values: numbers }
      default:
        return { type: 'double', values: numbers }
    }
  }

  #exactOf(values: Float64Array): BigInt64Array | null {
    // A row that was overwritten may have left its long, which counts only if the last value is such a long too.
    const beyond = this.#exact.filter(({ row }) => Math.abs(values[row] ?? 0) > Number.MAX_SAFE_INTEGER)
    if (beyond.length === 0) return null
    const exact = new BigInt64Array(values.length)
    values.forEach((value, row) => {
      if (Number.isSafeInteger(value)) exact[row] = BigInt(value)
    })
    for (const { row, value } of beyond) exact[row] = value
    return exact
  }
}
