// Columns as Arrow buffers: a validity bitmap, then the values.
import { type ColumnVector, isNullAt, nullCode, type StringColumn } from '../../model/column.ts'
import { TextPool } from '../text/text-pool.ts'
import { alignedBytes, type ColumnLayout } from './messages.ts'

/** Rows [from, to) of a column. */
export interface ColumnRows {
  readonly column: ColumnVector
  readonly from: number
  readonly to: number
}

/** Writes one column of each record batch. */
export class ArrowColumn {
  readonly #texts = new TextPool(new Uint8Array(0), (text) => text)

  /** Prepares the rows from `from` on. Returns the end of those whose bytes fit one batch, at most `to`; always at least one row. */
  begin(column: ColumnVector, from: number, to: number, textBytesMax: number): number {
    if (column.type !== 'string') return to
    const prepared = this.#texts.prepare(column, from, to)
    let bytes = 0
    for (let row = from; row < prepared; row += 1) {
      const code = column.codes[row]
      if (code !== nullCode) bytes += this.#texts.length(code)
      if (bytes > textBytesMax && row > from) return row
    }
    return prepared
  }

  layout(rows: ColumnRows): ColumnLayout {
    const count = rows.to - rows.from
    const nulls = countNulls(rows)
    return { nulls, bufferBytes: [nulls === 0 ? 0 : bitmapBytes(count), ...this.#valueBytes(rows)] }
  }

  /** Writes the buffers at `at`, each padded to the alignment; returns their end. */
  write(rows: ColumnRows, nulls: number, out: Uint8Array, at: number): number {
    const { column, from, to } = rows
    const end = nulls === 0 ? at : writeBits(out, at, to - from, (row) => !isNullAt(column, from + row))
    switch (column.type) {
      case 'double':
        return writeBytes(out, end, column.values, from, to)
      case 'timestamp':
        return writeWhole(out, end, column.values, from, to)
      case 'long':
        return column.exact === null
          ? writeWhole(out, end, column.values, from, to)
          : writeBytes(out, end, column.exact, from, to)
      case 'boolean':
        return writeBits(out, end, to - from, (row) => column.values[from + row] === 1)
      case 'string':
        return this.#writeTexts(out, end, column, from, to)
      default:
        return column satisfies never
    }
  }

  #valueBytes({ column, from, to }: ColumnRows): readonly number[] {
    const rows = to - from
    if (column.type === 'boolean') return [bitmapBytes(rows)]
    if (column.type !== 'string') return [rows * 8]
    let bytes = 0
    for (let row = from; row < to; row += 1) {
      if (column.codes[row] !== nullCode) bytes += this.#texts.length(column.codes[row])
    }
    return [(rows + 1) * 4, bytes]
  }

  #writeTexts(out: Uint8Array, at: number, { codes }: StringColumn, from: number, to: number): number {
    const offsets = new Int32Array(to - from + 1)
    const start = at + alignedBytes(offsets.byteLength)
    let end = start
    for (let row = from; row < to; row += 1) {
      if (codes[row] !== nullCode) end = this.#texts.write(out, end, codes[row])
      offsets[row - from + 1] = end - start
    }
    writeBytes(out, at, offsets, 0, offsets.length)
    return fill(out, end, start + alignedBytes(end - start))
  }
}

function countNulls({ column, from, to }: ColumnRows): number {
  let nulls = 0
  for (let row = from; row < to; row += 1) if (isNullAt(column, row)) nulls += 1
  return nulls
}

function bitmapBytes(rows: number): number {
  return Math.ceil(rows / 8)
}

function writeBits(out: Uint8Array, at: number, rows: number, isSet: (row: number) => boolean): number {
  const end = at + alignedBytes(bitmapBytes(rows))
  out.fill(0, at, end)
  for (let row = 0; row < rows; row += 1) if (isSet(row)) out[at + (row >> 3)] |= 1 << (row & 7)
  return end
}

/** Copies the values' memory. The format is little-endian, as is every platform that Node runs on. */
function writeBytes(
  out: Uint8Array,
  at: number,
  values: Float64Array | BigInt64Array | Int32Array,
  from: number,
  to: number,
): number {
  const width = values.BYTES_PER_ELEMENT
  const bytes = new Uint8Array(values.buffer, values.byteOffset + from * width, (to - from) * width)
  out.set(bytes, at)
  return fill(out, at + bytes.length, at + alignedBytes(bytes.length))
}

/** Writes whole numbers as int64s in two 32-bit halves, which is several times as fast as converting to bigints. */
function writeWhole(out: Uint8Array, at: number, values: Float64Array, from: number, to: number): number {
  const halves = new Uint32Array((to - from) * 2)
  for (let row = from, half = 0; row < to; row += 1, half += 2) {
    const value = values[row]
    if (Number.isNaN(value)) continue
    const high = Math.floor(value / 2 ** 32)
    halves[half] = value - high * 2 ** 32
    halves[half + 1] = high
  }
  out.set(new Uint8Array(halves.buffer), at)
  return at + halves.byteLength
}

function fill(out: Uint8Array, from: number, to: number): number {
  out.fill(0, from, to)
  return to
}
