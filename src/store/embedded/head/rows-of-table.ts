import { type ColumnVector, nullCode } from '../../../model/column.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { TagIndex } from '../registry/series-index.ts'
import { newChunk } from './chunk.ts'
import { type CopiedColumn, copyRowsInto } from './copy-rows.ts'
import { Dictionary } from './dictionary.ts'
import type { Table } from './table.ts'

const time: EntityField = { name: '__time', type: 'timestamp', role: 'time' }

/** All rows of a table as one batch: series by series, those of each in the order in which they came. A table made of it answers alike. */
export function rowsOfTable({ rows, series, count, registry }: Table): RowBatch {
  const chunk = newChunk(count)
  const columns = registry.columns.all.map(
    ({ index, type }): CopiedColumn => ({ index, type, dictionary: new Dictionary() }),
  )
  const tags = registry.series.tags.map((tag) => new TagColumn(tag, count))
  let place = 0
  for (let own = 0; own < series.length; own++) {
    const first = place
    for (const { chunk: from, start, end } of rows.arrived(own, 0, rows.counts.values[own])) {
      copyRowsInto(chunk, place, from, start, end, columns)
      chunk.positions.set(from.positions.subarray(start, end), place)
      place += end - start
    }
    for (const tag of tags) tag.fill(series.values[own], first, place)
  }
  const values = registry.columns.all.flatMap(({ index, name, type }) => {
    const column: ColumnVector | undefined = chunk.columns[index]
    return column === undefined ? [] : [{ field: { name, type, role: 'metric' } as const, column }]
  })
  return {
    entityId: registry.entityId,
    rows: count,
    positions: chunk.positions,
    fields: [time, ...tags.map(({ field }) => field), ...values.map(({ field }) => field)],
    columns: [
      { type: 'timestamp', values: chunk.times },
      ...tags.map(({ column }) => column),
      ...values.map(({ column }) => column),
    ],
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
