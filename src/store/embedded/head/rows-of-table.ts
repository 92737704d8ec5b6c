import { type ColumnVector, nullCode } from '../../../model/column.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { TagIndex } from '../registry/series-index.ts'
import { newChunk, type Stretch } from './chunk.ts'
import { type CopiedColumn, copyRowsInto } from './copy-rows.ts'
import { Dictionary } from './dictionary.ts'
import type { Table } from './table.ts'

const time: EntityField = { name: '__time', type: 'timestamp', role: 'time' }

/**
 * The rows that a table has now, as batches of at most `rowsMax` rows, whatever is written meanwhile: series by series, those of each in the order in
 * which they came. A table made of them answers alike.
 */
export function rowsOfTable(table: Table, rowsMax: number): Generator<RowBatch> {
  const { rows, series } = table
  return batchesOf(table, rows.counts.values.slice(0, series.length), rowsMax)
}

function* batchesOf(table: Table, counts: Int32Array, rowsMax: number): Generator<RowBatch> {
  let left = counts.reduce((sum, count) => sum + count, 0)
  let batch = new TableBatch(table, Math.min(left, rowsMax))
  for (let own = 0; own < counts.length; own++) {
    for (let from = 0; from < counts[own]; ) {
      const to = Math.min(counts[own], from + batch.room)
      batch.add(table.series.values[own], table.rows.arrived(own, from, to))
      left -= to - from
      from = to
      if (batch.room > 0) continue
      yield batch.rows()
      batch = new TableBatch(table, Math.min(left, rowsMax))
    }
  }
}

/** Rows of a table that are copied into a batch. */
class TableBatch {
  readonly #table: Table
  readonly #columns: readonly CopiedColumn[]
  readonly #chunk
  readonly #tags: readonly TagColumn[]
  #place = 0

  constructor(table: Table, rows: number) {
    const { columns, series } = table.registry
    this.#table = table
    this.#chunk = newChunk(rows)
    this.#columns = columns.all.map(({ index, type }) => ({ index, type, dictionary: new Dictionary() }))
    this.#tags = series.tags.map((tag) => new TagColumn(tag, rows))
  }

  get room(): number {
    return this.#chunk.times.length - this.#place
  }

  add(series: number, stretches: readonly Stretch[]): void {
    const first = this.#place
    for (const { chunk, start, end } of stretches) {
      copyRowsInto(this.#chunk, this.#place, chunk, start, end, this.#columns)
      this.#chunk.positions.set(chunk.positions.subarray(start, end), this.#place)
      this.#place += end - start
    }
    for (const tag of this.#tags) tag.fill(series, first, this.#place)
  }

  rows(): RowBatch {
    const { registry } = this.#table
    const { times, positions, columns } = this.#chunk
    const values = registry.columns.all.flatMap(({ index, name, type }) => {
      const column: ColumnVector | undefined = columns[index]
      return column === undefined ? [] : [{ field: { name, type, role: 'metric' } as const, column }]
    })
    return {
      ...{ entityId: registry.entityId, rows: times.length, positions },
      fields: [time, ...this.#tags.map(({ field }) => field), ...values.map(({ field }) => field)],
      columns: [
        { type: 'timestamp', values: times },
        ...this.#tags.map(({ column }) => column),
        ...values.map(({ column }) => column),
      ],
    }
  }
}

class TagColumn {
  readonly field: EntityField
  readonly #tag: TagIndex
  readonly #codes: Int32Array
  readonly #dictionary = new Dictionary()

  constructor(tag: TagIndex, rows: number) {
    this.field = { name: tag.name, type: 'string', role: 'tag' }
    this.#tag = tag
    this.#codes = new Int32Array(rows).fill(nullCode)
  }

  get column(): ColumnVector {
    return { type: 'string', codes: this.#codes, dictionary: this.#dictionary.strings }
  }

  fill(series: number, start: number, end: number): void {
    const { codes, dictionary } = this.#tag
    const code = codes.values[series]
    if (code === nullCode) return
    this.#codes.fill(this.#dictionary.codeFor(dictionary.strings[code]), start, end)
  }
}
