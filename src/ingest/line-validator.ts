import { isUtf8 } from 'node:buffer'
import type { RejectedRow } from '../catalog/rejected.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import { newline } from '../lib/ascii.ts'
import { nextLineAt, placeOf } from '../lib/line-protocol/line-text.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { isByField, type LineFormat, type LinePrecision, precisionOf, splitLineBytesMax } from '../model/line-format.ts'
import { noLine, type RowFault, rowTooLarge } from '../model/row-fault.ts'
import type { FieldColumn } from './columns/field-column.ts'
import type { AddedFields } from './open-fields.ts'
import { rejectedRow } from './rejected-row.ts'
import { type LineOfBody, lineAt, rowText } from './scan/lines/body-lines.ts'
import { FieldScanner } from './scan/lines/field-scanner.ts'
import { type LineRow, lineRows } from './scan/lines/line-rows.ts'
import { LineScanner } from './scan/lines/line-scanner.ts'
import { readWithCare } from './scan/read-row.ts'
import type { RowScanner } from './scan/row-scanner.ts'
import type { TimestampParser } from './scan/timestamps.ts'
import { isSpent, type RowOfEntry, type StepBudget } from './step-budget.ts'

export interface LineValidatorParts {
  readonly ingest: Ingest
  readonly columns: readonly FieldColumn[]
  readonly bySource: ReadonlyMap<string, number>
  readonly timestamps: TimestampParser
  /** Scans JSON rows. */
  readonly scanner: RowScanner
  /** The most bytes of a row's text. */
  readonly rowBytes: number
  /** The cost of a row in the budget's rows. */
  readonly cost: number
}

/** The outcome so far: the first `rows` positions and column values are those of good rows. */
export interface GrowingRows {
  rows: number
  readonly positions: Float64Array
  readonly rejected: RejectedRow[]
  readonly budget: StepBudget
  /** The fields that the last row brought; null if rows may not bring fields. */
  readonly added: AddedFields | null
  /** Set if the next row brings fields: validation stops until the ingest has them. */
  makes: readonly Field[] | null
}

type LineEntry = PlacedEntry & { readonly format: LineFormat }

/** Validates lines of line protocol, with the same outcome as the equivalent JSON rows. */
export class LineValidator {
  readonly #parts: LineValidatorParts
  readonly #scanner: LineScanner
  readonly #fieldScanner: FieldScanner

  constructor(parts: LineValidatorParts) {
    this.#parts = parts
    this.#scanner = new LineScanner(parts.columns, parts.bySource)
    this.#fieldScanner = new FieldScanner(parts.ingest, parts.columns)
  }

  /** An estimate of the memory used, without the columns. */
  get bytes(): number {
    return this.#fieldScanner.bytes
  }

  /** Returns the next row; null at the end of the entry. */
  validate(entry: LineEntry, from: RowOfEntry, growing: GrowingRows): RowOfEntry | null {
    const { body, position } = entry
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const place = { index: from.index, at: from.index === 0 ? nextLineAt(bytes, 0) : from.at, field: from.field ?? 0 }
    const precision = precisionOf(entry.format)
    const byField = isByField(entry.format)
    // About as far as the budget reaches. Scannable lines contain no newline, so a line that begins before this place ends there at the latest.
    const textEnd = placeOf(newline, bytes, place.at + growing.budget.bytes)
    const isText = isUtf8(bytes.subarray(place.at, textEnd))
    while (place.index < entry.rows) {
      if (isSpent(growing.budget)) return place
      const isScanned =
        isText &&
        place.at < textEnd &&
        (byField
          ? this.#scanFields(bytes, place, entry, precision, growing)
          : this.#scan(bytes, place, entry, precision, growing))
      if (!isScanned) this.#validateWithCare(bytes, place, entry, growing)
      if (growing.makes !== null) return place
    }
    if (place.at !== bytes.length) throw new Error(`the entry at position ${position} does not hold ${entry.rows} rows`)
    return null
  }

  /** Scans the next line. Returns false if it must be read with care. */
  #scan(bytes: Buffer, place: Moving, entry: LineEntry, precision: LinePrecision, growing: GrowingRows): boolean {
    const { rowBytes, cost } = this.#parts
    const start = place.at
    const end = this.#scanner.read(bytes, start, growing.rows, precision, entry.receivedMs)
    if (end < 0 || end - start > rowBytes) return false
    growing.positions[growing.rows++] = entry.position + place.index
    place.index++
    place.at = nextLineAt(bytes, end)
    growing.budget.rows -= cost
    growing.budget.bytes -= place.at - start
    return true
  }

  /** Like `#scan`, for a line in which each field is a row. A line in which the budget ends is read with care. */
  #scanFields(bytes: Buffer, place: Moving, entry: LineEntry, precision: LinePrecision, growing: GrowingRows): boolean {
    const { rowBytes, cost } = this.#parts
    const { budget } = growing
    const start = place.at
    const scanner = this.#fieldScanner
    if (place.field > 0) return false
    const rowsMax = Math.min(Math.ceil(budget.rows / cost), entry.rows - place.index)
    const end = scanner.read(bytes, start, growing.rows, rowsMax, precision, entry.receivedMs)
    if (end < 0 || end - start > Math.min(rowBytes, splitLineBytesMax)) return false
    for (let row = 0; row < scanner.rows; row++) growing.positions[growing.rows++] = entry.position + place.index++
    place.at = nextLineAt(bytes, end)
    budget.rows -= scanner.rows * cost
    budget.bytes -= place.at - start
    return true
  }

  /** Validates the rows of one line, until the budget is spent. */
  #validateWithCare(bytes: Buffer, place: Moving, entry: LineEntry, growing: GrowingRows): void {
    const line = lineAt(bytes, place.at, entry.format)
    const { parsed } = line
    const rowOf = parsed === null ? null : lineRows(parsed, { ingest: this.#parts.ingest, ...entry })
    if (parsed !== null && isByField(entry.format)) this.#fieldScanner.learn(parsed)
    for (; place.field < line.rows && !isSpent(growing.budget); place.field++, place.index++) {
      const fault = this.#fault(line, rowOf, place.field, growing)
      if (growing.makes !== null) return
      if (fault === null) growing.positions[growing.rows++] = entry.position + place.index
      else {
        growing.rejected.push(rejectedRow(entry, place.index, rowText(bytes, line, place.field, entry.format), fault))
        growing.budget.rejected--
      }
      growing.budget.rows -= this.#parts.cost
      growing.budget.bytes -= Math.ceil((line.nextAt - line.start) / line.rows)
    }
    if (place.field < line.rows) return
    place.field = 0
    place.at = line.nextAt
  }

  #fault(
    { start, end, why }: LineOfBody,
    rowOf: ((field: number) => LineRow) | null,
    field: number,
    growing: GrowingRows,
  ): RowFault | null {
    const { columns, bySource, timestamps, rowBytes, scanner } = this.#parts
    const bytesMax = rowOf === null && why === null ? Math.min(rowBytes, splitLineBytesMax) : rowBytes
    if (end - start > bytesMax) return rowTooLarge(end - start, bytesMax)
    if (rowOf === null) return noLine(why ?? '')
    const row = rowOf(field)
    if ('fault' in row) return row.fault
    const bytes = Buffer.from(row.json)
    // Most rows are plain.
    if (scanner.read(bytes, 0, growing.rows) === bytes.length) return null
    growing.added?.begin(row.longs)
    const fault = readWithCare(bytes, 0, growing.rows, columns, bySource, timestamps, growing.added)
    if (fault === null) growing.makes = addedFieldsOf(growing.added)
    return fault
  }
}

/** The fields that a good row brings; null if none. */
export function addedFieldsOf(added: AddedFields | null): readonly Field[] | null {
  return added === null || added.fields.length === 0 ? null : added.fields
}

interface Moving {
  index: number
  at: number
  field: number
}
