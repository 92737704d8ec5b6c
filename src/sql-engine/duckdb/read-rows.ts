import type { DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api'
import type { EngineRow, EngineValue } from '../sql-engine.ts'

/** Rows of the engine's vectors. */
export function readRows(chunk: DuckDBDataChunk, [from, until]: readonly [number, number]): readonly EngineRow[] {
  const rows: EngineValue[][] = Array.from({ length: until - from }, () => [])
  for (let column = 0; column < chunk.columnCount; column++) {
    const vector = chunk.getColumnVector(column)
    for (let row = from; row < until; row++) rows[row - from]!.push(engineValue(vector.getItem(row)))
  }
  return rows
}

function engineValue(value: DuckDBValue | null): EngineValue {
  if (value === null) return null
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'bigint':
    case 'string':
      return value
    default:
      if ('items' in value && Array.isArray(value.items)) return value.items.map(engineValue)
      throw new Error(`a value that no statement should give: ${String(value)}`)
  }
}
