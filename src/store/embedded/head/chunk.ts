// A chunk stores rows of many series as columns. It is a part of the head, the sorted rows of a series with late ones, or a page of a sealed
// file. Rows of one series are stored next to each other, so that reading a series reads neighbouring memory.
import type { ColumnType } from '../../../model/column.ts'
import { nullBoolean, nullCode } from '../../../model/column.ts'

export interface NumberColumn {
  readonly type: 'double' | 'timestamp' | 'long'
  /** `NaN` is null. For longs, the nearest doubles. */
  readonly values: Float64Array
  /** The exact longs beyond 2^53, by row; its values for other rows are undefined. Allocated for the first such long. */
  exact: BigInt64Array | null
}

interface CodeColumn {
  readonly type: 'string'
  /** Indices into `dictionary`, -1 for null. */
  readonly codes: Int32Array
  /** Each table and file has its own dictionaries. A dictionary stays the same array while it is read, and only grows at its end. */
  readonly dictionary: readonly string[]
}

interface FlagColumn {
  readonly type: 'boolean'
  readonly values: Uint8Array
}

export type ChunkColumn = NumberColumn | CodeColumn | FlagColumn

export interface Chunk {
  readonly times: Float64Array
  /** Rarely needed. In chunks of files, a getter that decodes them on first use. */
  readonly positions: Float64Array
  /** By the entity's column index; absent where every row of the chunk is null, or where the run did not request the column. */
  readonly columns: (ChunkColumn | undefined)[]
}

/** Neighbouring rows [start, end) of one series in a chunk, ordered by time and position. */
export interface RowSlice {
  readonly chunk: Chunk
  readonly start: number
  readonly end: number
}

export function newChunk(rows: number): Chunk {
  return { times: new Float64Array(rows), positions: new Float64Array(rows), columns: [] }
}

/** A column of nulls. `dictionary` is the dictionary of its codes if it is a column of strings. */
export function newColumn(type: ColumnType, rows: number, dictionary: readonly string[]): ChunkColumn {
  switch (type) {
    case 'string':
      return { type, codes: new Int32Array(rows).fill(nullCode), dictionary }
    case 'boolean':
      return { type, values: new Uint8Array(rows).fill(nullBoolean) }
    default:
      return { type, values: new Float64Array(rows).fill(Number.NaN), exact: null }
  }
}

export function isNullIn(column: ChunkColumn, row: number): boolean {
  switch (column.type) {
    case 'string':
      return column.codes[row] === nullCode
    case 'boolean':
      return column.values[row] === nullBoolean
    default:
      return Number.isNaN(column.values[row])
  }
}

/** The exact longs of a column, allocated on first use. */
export function exactOf(column: NumberColumn): BigInt64Array {
  column.exact ??= new BigInt64Array(column.values.length)
  return column.exact
}

/** Copies rows [start, end) to rows `places` of `to`. Both columns have the same type. */
export function copyRows(from: ChunkColumn, start: number, end: number, to: ChunkColumn, places: Int32Array): void {
  if (from.type === 'string') {
    if (to.type === 'string') for (let row = start; row < end; row++) to.codes[places[row - start]] = from.codes[row]
    return
  }
  if (from.type === 'boolean') {
    if (to.type === 'boolean') for (let row = start; row < end; row++) to.values[places[row - start]] = from.values[row]
    return
  }
  if (to.type === 'string' || to.type === 'boolean') return
  for (let row = start; row < end; row++) to.values[places[row - start]] = from.values[row]
  if (from.exact === null) return
  const exact = exactOf(to)
  for (let row = start; row < end; row++) exact[places[row - start]] = from.exact[row]
}

export function chunkBytes(chunk: Chunk): number {
  let bytes = chunk.times.byteLength + chunk.positions.byteLength
  for (const column of chunk.columns) {
    if (column === undefined) continue
    if (column.type === 'string') bytes += column.codes.byteLength
    else bytes += column.values.byteLength
    if (column.type === 'long') bytes += column.exact?.byteLength ?? 0
  }
  return bytes
}

/** The first row from `start` on whose time is at or after `ms`; `end` when there is none. */
export function firstAtOrAfter(times: Float64Array, start: number, end: number, ms: number): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle] < ms) low = middle + 1
    else high = middle
  }
  return low
}

/** The first row from `start` on whose time is after `ms`; `end` when there is none. */
export function firstAfter(times: Float64Array, start: number, end: number, ms: number): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle] <= ms) low = middle + 1
    else high = middle
  }
  return low
}
