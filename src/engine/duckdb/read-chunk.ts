import type { DuckDBDataChunk } from '@duckdb/node-api'
import { type ColumnType, type ColumnVector, nullBoolean, nullCode } from '../../model/column.ts'
import type { EngineBatch } from '../sql-engine.ts'

/** The engine's vectors as columns. What is not a number, or is infinite, is null: no answer holds it. */
export function readChunk(chunk: DuckDBDataChunk, types: readonly ColumnType[]): EngineBatch {
  return { rows: chunk.rowCount, columns: types.map((type, index) => readColumn(chunk, index, type)) }
}

function readColumn(chunk: DuckDBDataChunk, index: number, type: ColumnType): ColumnVector {
  const vector = chunk.getColumnVector(index)
  const { rowCount: rows } = chunk
  const item = (row: number): unknown => vector.getItem(row)
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
