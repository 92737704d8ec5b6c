import { randomInt } from 'node:crypto'
import type { RejectedRow } from '../catalog/rejected.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import { openBrace } from '../lib/ascii.ts'
import { type ArrayMaker, newArrays } from '../lib/spare-buffers.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { isLineFormat } from '../model/line-format.ts'
import type { RowBatch } from '../model/row-batch.ts'
import { noObject, type RowFault, rowTooLarge } from '../model/row-fault.ts'
import { FieldColumn } from './columns/field-column.ts'
import { addedFieldsOf, type GrowingRows, LineValidator } from './line-validator.ts'
import { AddedFields, type OpenRules } from './open-fields.ts'
import { rejectedRow } from './rejected-row.ts'
import { bodyRows, nextRowAt } from './scan/body-rows.ts'
import { readWithCare } from './scan/read-row.ts'
import { RowScanner } from './scan/row-scanner.ts'
import { skipSpace, skipValue } from './scan/skip.ts'
import { TimestampParser } from './scan/timestamps.ts'
import { firstRow, isSpent, type Reached, type RowOfEntry, rowCost, unbounded } from './step-budget.ts'

export interface ValidatorSettings {
  /** The most bytes of a row's text. */
  readonly rowBytes: number
  /** Distinct strings per field that are remembered between calls. */
  readonly rememberedStringsMax?: number
  /** Memory for remembered strings, in total for all ingests. */
  readonly rememberedBytesMax?: number
  /** Allocates the arrays of batches. */
  readonly arrays?: ArrayMaker
}

export interface ValidationResult {
  /** Null if no row was good. */
  readonly batch: RowBatch | null
  /** In the order of their positions. */
  readonly rejected: readonly RejectedRow[]
  readonly reached: Reached
  /** The fields that the row at `reached` brings: it is validated after the ingest has them. */
  readonly makes?: readonly Field[]
}

/** An entry to validate. If it is a replayed row that was a line, `longs` names its properties that were longs. */
export interface EntryToValidate extends PlacedEntry {
  readonly longs?: readonly string[]
}

/** State kept for an ingest between calls. */
interface Prepared {
  readonly ingest: Ingest
  readonly columns: readonly FieldColumn[]
  readonly bySource: ReadonlyMap<string, number>
  readonly scanner: RowScanner
  readonly lines: LineValidator
  /** The cost of a row in the budget's rows. */
  readonly cost: number
  /** Memory of its strings, when last counted. */
  bytes: number
}

/**
 * Turns pushed rows into columns, or returns why they cannot be stored. The outcome depends only on the entries, the ingest's fields and
 * `limits.rowBytes`, except that codes of strings in the dictionaries may differ.
 */
export class RowValidator {
  readonly #rowBytes: number
  readonly #rememberedStringsMax: number
  readonly #rememberedBytesMax: number
  readonly #arrays: ArrayMaker
  readonly #seed = randomInt(2 ** 31)
  readonly #timestamps = new TimestampParser()
  /** By ingest id, least recently used first. */
  readonly #prepared = new Map<number, Prepared>()
  #rememberedBytes = 0

  constructor({
    rowBytes,
    rememberedStringsMax = 1 << 20,
    rememberedBytesMax = 256 << 20,
    arrays = newArrays,
  }: ValidatorSettings) {
    this.#arrays = arrays
    this.#rowBytes = rowBytes
    this.#rememberedStringsMax = rememberedStringsMax
    this.#rememberedBytesMax = rememberedBytesMax
  }

  /**
   * Validates entries of one series ingest, all of its `fieldsVersion`, whose bodies were checked by `checkBody`. Good rows are returned as one batch
   * in the order of their positions, with columns in the order of the ingest's fields. Begins at a row of the first entry, and ends after the row that
   * spends the budget. With `rules`, which let rows bring fields, it also ends before the first row that brings some.
   */
  validate(
    entries: readonly EntryToValidate[],
    ingest: Ingest,
    from = firstRow,
    budget = unbounded(),
    rules: OpenRules | null = null,
  ): ValidationResult {
    const prepared = this.#prepare(ingest)
    const rowsLeft = entries.reduce((sum, entry) => sum + entry.rows, -from.index)
    const rowsMax = Math.min(rowsLeft, Math.ceil(budget.rows / prepared.cost))
    for (const column of prepared.columns) column.begin(rowsMax, this.#rememberedStringsMax)
    const added = rules === null ? null : new AddedFields(rules)
    const positions = this.#arrays.float64(rowsMax)
    const growing: GrowingRows = { rows: 0, positions, rejected: [], budget, added: added, makes: null }
    const reached = this.#validateEntries(entries, from, prepared, growing)
    const replaces = ingest.duplicates === 'replace'
    const pushedNulls = replaces ? prepared.columns.map((column) => column.pushedNulls(growing.rows)) : null
    const columns = prepared.columns.map((column) => column.finish(growing.rows))
    this.#remember(prepared)
    const rest = { rejected: growing.rejected, reached, ...(growing.makes === null ? {} : { makes: growing.makes }) }
    if (growing.rows === 0) return { batch: null, ...rest }
    const batch: RowBatch = {
      entityId: ingest.entityId,
      rows: growing.rows,
      positions: growing.rows < rowsMax ? growing.positions.subarray(0, growing.rows) : growing.positions,
      fields: ingest.fields,
      columns,
      ...(pushedNulls === null ? {} : { pushedNulls }),
    }
    return { batch, ...rest }
  }

  #validateEntries(
    entries: readonly EntryToValidate[],
    from: RowOfEntry,
    prepared: Prepared,
    growing: GrowingRows,
  ): Reached {
    let place = from
    for (const [whole, entry] of entries.entries()) {
      if (isSpent(growing.budget)) return { entries: whole, place }
      const next = this.#validateEntry(entry, place, prepared, growing)
      if (next !== null) return { entries: whole, place: next }
      place = firstRow
    }
    return { entries: entries.length, place: firstRow }
  }

  /** Returns the next row; null at the end of the entry. */
  #validateEntry(
    entry: EntryToValidate,
    from: RowOfEntry,
    prepared: Prepared,
    growing: GrowingRows,
  ): RowOfEntry | null {
    const { format } = entry
    if (isLineFormat(format)) return prepared.lines.validate({ ...entry, format }, from, growing)
    const rows = bodyRows(entry)
    const { bytes } = rows
    const { budget } = growing
    let { index } = from
    let at = index === 0 ? rows.firstAt : from.at
    for (; index < entry.rows; index++) {
      if (isSpent(budget)) return { index, at }
      const next = nextRowAt(rows, this.#validateRow(bytes, at, index, entry, prepared, growing))
      if (growing.makes !== null) return { index, at }
      budget.rows -= prepared.cost
      budget.bytes -= next - at
      at = next
    }
    if (rows.isArray && entry.rows === 0) at = skipSpace(bytes, at + 1)
    if (at !== bytes.length) throw new Error(`the entry at position ${entry.position} does not hold ${entry.rows} rows`)
    return null
  }

  /** Returns the place after the row. */
  #validateRow(
    bytes: Buffer,
    start: number,
    index: number,
    entry: EntryToValidate,
    prepared: Prepared,
    growing: GrowingRows,
  ): number {
    const isObject = bytes[start] === openBrace
    if (isObject) {
      const end = prepared.scanner.read(bytes, start, growing.rows)
      if (end >= 0 && end - start <= this.#rowBytes) {
        growing.positions[growing.rows++] = entry.position + index
        return end
      }
    }
    const end = skipValue(bytes, start)
    growing.added?.begin(entry.longs)
    const fault = this.#faultOf(bytes, start, end, prepared, growing)
    if (fault === null) growing.makes = addedFieldsOf(growing.added)
    if (growing.makes !== null) return end
    if (fault === null) growing.positions[growing.rows++] = entry.position + index
    else {
      growing.rejected.push(rejectedRow(entry, index, bytes.toString('utf8', start, end), fault))
      growing.budget.rejected--
    }
    return end
  }

  #faultOf(bytes: Buffer, start: number, end: number, prepared: Prepared, growing: GrowingRows): RowFault | null {
    if (end - start > this.#rowBytes) return rowTooLarge(end - start, this.#rowBytes)
    if (bytes[start] !== openBrace) return noObject(String.fromCharCode(bytes[start]!))
    return readWithCare(
      bytes,
      start,
      growing.rows,
      prepared.columns,
      prepared.bySource,
      this.#timestamps,
      growing.added,
    )
  }

  #prepare(ingest: Ingest): Prepared {
    const known = this.#prepared.get(ingest.id)
    if (known?.ingest.fields === ingest.fields) return known
    const replaces = ingest.duplicates === 'replace'
    const columns = ingest.fields.map((field) => new FieldColumn(field, this.#seed, replaces, this.#arrays))
    const bySource = new Map(ingest.fields.map((field, index) => [field.source, index]))
    const scanner = new RowScanner(columns, bySource, this.#timestamps)
    const cost = rowCost(ingest)
    const timestamps = this.#timestamps
    const lines = new LineValidator({ ingest, columns, bySource, timestamps, scanner, rowBytes: this.#rowBytes, cost })
    return { ingest, columns, bySource, scanner, lines, cost, bytes: 0 }
  }

  /** Keeps the ingest as the most recently used, and drops the least recently used until the memory of strings is within its bound. */
  #remember(prepared: Prepared): void {
    const { id } = prepared.ingest
    this.#rememberedBytes -= this.#prepared.get(id)?.bytes ?? 0
    this.#prepared.delete(id)
    prepared.bytes = prepared.columns.reduce((sum, column) => sum + column.strings.bytes, prepared.lines.bytes)
    this.#rememberedBytes += prepared.bytes
    this.#prepared.set(id, prepared)
    for (const [oldest, { bytes }] of this.#prepared) {
      if (this.#rememberedBytes <= this.#rememberedBytesMax) break
      this.#prepared.delete(oldest)
      this.#rememberedBytes -= bytes
    }
  }
}
