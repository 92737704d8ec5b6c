// Encodes rows for Druid: one line of JSON per row (docs/formats/kafka-topics.md), many lines per record.

import { type ColumnWriter, columnWriter, jsonNotation } from '../answer/text/text-columns.ts'
import { type ColumnVector, nullBoolean } from '../model/column.ts'
import { nullsColumn, positionColumn, timeColumn } from '../model/druid-row.ts'
import type { EntityField } from '../model/entity.ts'
import type { RowBatch } from '../model/row-batch.ts'

/** The approximate size of a record. */
const recordBytes = 256 * 1024

/** Druid infers the type of an undeclared field from its values, so a double is written in a form that is not a long. */
const rowNotation = { ...jsonNotation, wholeEnd: '.0' }

interface FieldWriter {
  readonly isTime: boolean
  readonly writer: ColumnWriter
}

/** Writes the rows of one definition of an ingest. State that was prepared for one batch is reused for the next. */
export class RowJson {
  readonly #fields: readonly EntityField[]
  readonly #writers: readonly FieldWriter[]
  readonly #position = columnWriter('long', `,"${positionColumn}":`, rowNotation)
  readonly #nullsBytesMax: number

  constructor(fields: readonly EntityField[]) {
    this.#fields = fields
    this.#writers = fields.map(({ name, type, role }, index) => {
      const key = `${index === 0 ? '{' : ','}${JSON.stringify(role === 'time' ? timeColumn : name)}:`
      if (type === 'json') throw new Error('a series entity has no json field')
      // Druid stores dates as milliseconds and booleans as 0 and 1, so both are written as numbers.
      const written = type === 'timestamp' || type === 'boolean' ? 'long' : type
      return { isTime: role === 'time', writer: columnWriter(written, key, rowNotation) }
    })
    this.#nullsBytesMax = nullsColumn.length + 8 + fields.reduce((bytes, { name }) => bytes + name.length + 1, 0)
  }

  /** The values of records, in the order of the rows. */
  records(batch: RowBatch): readonly Buffer[] {
    const columns = [...batch.columns.map(asWritten), asLongs(batch.positions)]
    const writers = [...this.#writers.map(({ writer }) => writer), this.#position]
    const records: Buffer[] = []
    for (let from = 0; from < batch.rows; ) {
      let to = batch.rows
      for (const [index, writer] of writers.entries()) to = writer.begin(columns[index]!, from, to)
      const rowBytesMax = writers.reduce((bytes, { bytesMax }) => bytes + bytesMax, this.#nullsBytesMax + 2)
      while (from < to) {
        const out = Buffer.allocUnsafeSlow(recordBytes + rowBytesMax)
        let at = 0
        for (; from < to && at < recordBytes; from++) at = this.#write(out, at, batch, writers, from)
        records.push(out.subarray(0, at))
      }
    }
    return records
  }

  #write(out: Buffer, start: number, batch: RowBatch, writers: readonly ColumnWriter[], row: number): number {
    let at = start
    for (const writer of writers) at = writer.write(out, at, row)
    const nulls = this.#pushedNulls(batch, row)
    if (nulls !== '') at += out.write(`,"${nullsColumn}":"${nulls}"`, at, 'latin1')
    out[at++] = closeBrace
    out[at++] = lineFeed
    return at
  }

  /** Field names are ASCII and contain no commas. */
  #pushedNulls({ pushedNulls }: RowBatch, row: number): string {
    if (pushedNulls === undefined) return ''
    return this.#fields
      .filter((_, index) => pushedNulls[index]?.[row] === 1)
      .map(({ name }) => name)
      .join()
  }
}

const closeBrace = 0x7d
const lineFeed = 0x0a

function asWritten(column: ColumnVector): ColumnVector {
  if (column.type === 'timestamp') return asLongs(column.values)
  if (column.type !== 'boolean') return column
  return asLongs(Float64Array.from(column.values, (value) => (value === nullBoolean ? Number.NaN : value)))
}

function asLongs(values: Float64Array): ColumnVector {
  return { type: 'long', values, exact: null }
}
