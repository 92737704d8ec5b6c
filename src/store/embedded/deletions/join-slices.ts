// Joins the visible rows of a page that hidden rows separate: processing many short ranges costs more than copying their few rows.
import type { Chunk, ChunkColumn, RowSlice } from '../head/chunk.ts'

interface Rows {
  readonly start: number
  readonly end: number
}

/** The ranges of a page, in order. Several ranges are copied into one, with only these columns. */
export function joinSlices(chunk: Chunk, slices: readonly Rows[], columns: readonly number[]): readonly RowSlice[] {
  if (slices.length < 2) return slices.map(({ start, end }) => ({ chunk, start, end }))
  let rows = 0
  for (const { start, end } of slices) rows += end - start
  const kept = new Int32Array(rows)
  let next = 0
  for (const { start, end } of slices) for (let row = start; row < end; row++) kept[next++] = row
  return [{ chunk: new SomeRows(chunk, kept, columns), start: 0, end: rows }]
}

class SomeRows implements Chunk {
  readonly times: Float64Array
  readonly columns: (ChunkColumn | undefined)[] = []
  readonly #chunk: Chunk
  readonly #rows: Int32Array
  #positions: Float64Array | null = null

  constructor(chunk: Chunk, rows: Int32Array, columns: readonly number[]) {
    this.#chunk = chunk
    this.#rows = rows
    this.times = numbersAt(chunk.times, rows)
    for (const index of columns) {
      const column = chunk.columns[index]
      if (column !== undefined) this.columns[index] = columnAt(column, rows)
    }
  }

  get positions(): Float64Array {
    this.#positions ??= numbersAt(this.#chunk.positions, this.#rows)
    return this.#positions
  }
}

function columnAt(column: ChunkColumn, rows: Int32Array): ChunkColumn {
  switch (column.type) {
    case 'string': {
      const codes = new Int32Array(rows.length)
      for (let row = 0; row < rows.length; row++) codes[row] = column.codes[rows[row]!]!
      return { type: 'string', codes, dictionary: column.dictionary }
    }
    case 'boolean':
      return { type: 'boolean', values: Uint8Array.from(rows, (row) => column.values[row]!) }
    default: {
      const { type, exact } = column
      const digits = exact && BigInt64Array.from({ length: rows.length }, (_, row) => exact[rows[row]!]!)
      return { type, values: numbersAt(column.values, rows), exact: digits }
    }
  }
}

function numbersAt(values: Float64Array, rows: Int32Array): Float64Array {
  const some = new Float64Array(rows.length)
  for (let row = 0; row < rows.length; row++) some[row] = values[rows[row]!]!
  return some
}
