// Writes rows in memory to a Parquet file for an engine that reads files: series by series, in the order in which rows came. Rows are neither
// sorted nor combined to items: that would cost more than the engine's reading. The file is useless after a crash, so nothing is synced.
import type { DiskFile } from '../../../lib/disk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { SpareBuffers } from '../../../lib/spare-buffers.ts'
import type { ColumnVector } from '../../../model/column.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { Table } from '../head/table.ts'
import type { ParquetField } from '../parquet/column-pages.ts'
import { ParquetWriter } from '../parquet/parquet-writer.ts'
import { sliceRows } from '../parquet/slices.ts'
import { positionName, timeName } from '../sealed/index-layout.ts'
import { RowBuffer } from '../sealed/row-buffer.ts'

/** The memory for encoding the columns of a row group, which are encoded one after another and need about the same. */
const spareMemory = { bytesMin: 65_536, bytesMax: 8 * 1024 * 1024, idleMs: 1000 }

/** The rows of a row group, which is also the part of the file held in memory. */
const groupRows = 65_536
const pageRows = 8192

/** Rows of a table: for each series, by the table's number, those from `from` (0 for series that it lacks) up to `to`. */
export interface DeltaRange {
  readonly from: Int32Array
  readonly to: Int32Array
}

export interface WrittenDelta {
  readonly fields: readonly string[]
  readonly rows: number
  readonly firstMs: number
  readonly lastMs: number
}

export async function writeDelta(table: Table, range: DeltaRange, file: DiskFile, pacer: Pacer): Promise<WrittenDelta> {
  const writer = new DeltaWriter(table, file, pacer)
  for (let series = 0; series < range.to.length; series++) {
    const from = range.from[series] ?? 0
    if (range.to[series] > from) await writer.addSeries(series, table.rows.arrived(series, from, range.to[series]))
    if (pacer.spend(4)) await pacer.rest()
  }
  return writer.finish()
}

class DeltaWriter {
  readonly #table: Table
  readonly #pacer: Pacer
  readonly #schema: readonly ParquetField[]
  readonly #tags: Table['registry']['series']['tags']
  readonly #parquet: ParquetWriter
  readonly #buffer: RowBuffer
  #rows = 0
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

  /** The file gets the columns that the entity has at this time. */
  constructor(table: Table, file: DiskFile, pacer: Pacer) {
    const { series, columns } = table.registry
    this.#table = table
    this.#pacer = pacer
    this.#tags = [...series.tags]
    const known = [...columns.all]
    this.#schema = [
      { name: timeName, type: 'timestamp', nullable: false },
      ...this.#tags.map(({ name }): ParquetField => ({ name, type: 'string', nullable: true })),
      ...known.map(({ name, type }): ParquetField => ({ name, type, nullable: true })),
      { name: positionName, type: 'long', nullable: false },
    ]
    const spares = new SpareBuffers(spareMemory)
    this.#buffer = new RowBuffer(known, this.#tags.length, groupRows + pageRows, spares)
    let offset = 0
    const write = async (bytes: Uint8Array): Promise<void> => {
      await file.write([bytes], offset)
      offset += bytes.length
    }
    const pause = async (): Promise<void> => {
      if (pacer.spend(sliceRows)) await pacer.rest()
    }
    this.#parquet = new ParquetWriter(this.#schema, write, { compress: false, pause, spares })
  }

  /** `series` is the table's number of the series. */
  async addSeries(series: number, slices: readonly RowSlice[]): Promise<void> {
    const number = this.#table.series.values[series]
    const tagCodes = this.#tags.map(({ codes }) => codes.values[number])
    for (const { chunk, start, end } of slices) {
      for (let from = start; from < end; from += pageRows) {
        const to = Math.min(end, from + pageRows)
        for (const _ of this.#buffer.reserve(to - from)) if (this.#pacer.spend(sliceRows)) await this.#pacer.rest()
        this.#buffer.append({ chunk, start: from, end: to }, tagCodes)
        this.#learnDates(chunk.times, from, to)
        if (this.#pacer.spend((to - from) * this.#schema.length)) await this.#pacer.rest()
        if (this.#buffer.rows >= groupRows) await this.#flush()
      }
    }
  }

  async finish(): Promise<WrittenDelta> {
    if (this.#buffer.rows > 0) await this.#flush()
    await this.#parquet.finish()
    this.#buffer.release()
    const fields = this.#schema.map(({ name }) => name)
    return { fields, rows: this.#rows, firstMs: this.#firstMs, lastMs: this.#lastMs }
  }

  #learnDates(times: Float64Array, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      if (times[row] < this.#firstMs) this.#firstMs = times[row]
      if (times[row] > this.#lastMs) this.#lastMs = times[row]
    }
  }

  async #flush(): Promise<void> {
    const { rows, chunk } = this.#buffer
    const columns: ColumnVector[] = [
      { type: 'timestamp', values: chunk.times.subarray(0, rows) },
      ...this.#tags.map(({ dictionary }, tag): ColumnVector => {
        return { type: 'string', codes: this.#buffer.tagCodes(tag, rows), dictionary: dictionary.strings }
      }),
      ...this.#buffer.columns(rows),
      { type: 'long', values: chunk.positions.subarray(0, rows), exact: null },
    ]
    const pages = Math.ceil(rows / pageRows)
    const pageEnds = Int32Array.from({ length: pages }, (_, page) => Math.min(rows, (page + 1) * pageRows))
    await this.#parquet.writeRowGroup(columns, pageEnds)
    this.#buffer.drop(rows)
    this.#rows += rows
  }
}
