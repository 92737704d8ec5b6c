import type { DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api'
import type { EngineRow, EngineValue } from '../sql-engine.ts'

/** The engine's vectors as rows. */
export function readRows(chunk: DuckDBDataChunk): readonly EngineRow[] {
  const { rowCount, columnCount } = chunk
  const rows: EngineValue[][] = Array.from({ length: rowCount }, () => [])
  for (let column = 0; column < columnCount; column++) {
    const vector = chunk.getColumnVector(column)
    for (let row = 0; row < rowCount; row++) rows[row]!.push(engineValue(vector.getItem(row)))
  }
  return rows
}

export function engineValue(value: DuckDBValue | null): EngineValue {
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
