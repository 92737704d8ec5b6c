import type { DuckDBDataChunk } from '@duckdb/node-api'
import { type ColumnType, type ColumnVector, nullBoolean, nullCode } from '../../model/column.ts'
import type { EngineBatch } from '../sql-engine.ts'

/** The number of characters that are converted to strings at once: a part of rows may contain gigabytes. */
const charactersAtOnce = 4_000_000

/** Splits the rows of a part into pieces that fit into memory. */
export function* piecesOf(chunk: DuckDBDataChunk): Generator<readonly [from: number, until: number]> {
  const { rowCount } = chunk
  for (let from = 0; from < rowCount; ) {
    // Rows are similar, so the longest of three is used as an estimate for all.
    const longest = Math.max(...[from, (from + rowCount) >> 1, rowCount - 1].map((row) => charactersIn(chunk, row)))
    const until = Math.min(rowCount, from + Math.max(1, Math.floor(charactersAtOnce / (longest + 1))))
    yield [from, until]
    from = until
  }
}

function charactersIn(chunk: DuckDBDataChunk, row: number): number {
  let characters = 0
  for (let column = 0; column < chunk.columnCount; column++) {
    const value = chunk.getColumnVector(column).getItem(row)
    if (typeof value === 'string') characters += value.length
    else if (value !== null && typeof value === 'object') characters += String(value).length
  }
  return characters
}

/** Rows of the engine's vectors as columns. NaN and infinities become null, since no result contains them. */
export function readChunk(
  chunk: DuckDBDataChunk,
  types: readonly ColumnType[],
  [from, until]: readonly [number, number],
): EngineBatch {
  return { rows: until - from, columns: types.map((type, index) => readColumn(chunk, index, type, from, until)) }
}

function readColumn(
  chunk: DuckDBDataChunk,
  index: number,
  type: ColumnType,
  from: number,
  until: number,
): ColumnVector {
  const vector = chunk.getColumnVector(index)
  const rows = until - from
  const item = (row: number): unknown => vector.getItem(from + row)
  switch (type) {
    case 'string':
      return readStrings(item, rows)
    case 'boolean':
      return { type, values: Uint8Array.from({ length: rows }, (_, row) => truth(item(row))) }
    case 'long':
      return readLongs(item, rows)
    case 'double':
    case 'timestamp': {
      const values = new Float64Array(rows)
      for (let row = 0; row < rows; row += 1) {
        const value = item(row)
        values[row] = typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
      }
      return { type, values }
    }
  }
}

function truth(value: unknown): number {
  return value === null ? nullBoolean : value === true ? 1 : 0
}

function readStrings(item: (row: number) => unknown, rows: number): ColumnVector {
  const known = new Map<string, number>()
  const codes = new Int32Array(rows)
  for (let row = 0; row < rows; row += 1) {
    const value = item(row)
    if (typeof value !== 'string') {
      codes[row] = nullCode
      continue
    }
    let code = known.get(value)
    if (code === undefined) {
      code = known.size
      known.set(value, code)
    }
    codes[row] = code
  }
  return { type: 'string', codes, dictionary: [...known.keys()] }
}

function readLongs(item: (row: number) => unknown, rows: number): ColumnVector {
  const values = new Float64Array(rows)
  const exact = new BigInt64Array(rows)
  let isExactNeeded = false
  for (let row = 0; row < rows; row += 1) {
    const value = item(row)
    if (typeof value !== 'bigint') {
      values[row] = Number.NaN
      continue
    }
    exact[row] = value
    values[row] = Number(value)
    if (!Number.isSafeInteger(values[row]!)) isExactNeeded = true
  }
  return { type: 'long', values, exact: isExactNeeded ? exact : null }
}
