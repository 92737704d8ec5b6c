// Metadata items as a temporary table of one connection: other connections do not see it, and it is dropped with the connection.
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTimestampValue,
  type DuckDBValue,
  TIMESTAMP,
  VARCHAR,
} from '@duckdb/node-api'
import type { EngineItems, EngineItemType, EngineItemValue } from '../sql-engine.ts'

/** The number of rows that the engine processes at once. */
const chunkRows = 2048

const types = { string: VARCHAR, double: DOUBLE, long: BIGINT, timestamp: TIMESTAMP }

/** Creates and fills a table for each entity, named as in the statement. Throws the engine's errors, and the signal's reason when it is aborted. */
export async function loadItems(
  connection: DuckDBConnection,
  tables: readonly EngineItems[],
  signal: AbortSignal,
): Promise<void> {
  for (const table of tables) await loadTable(connection, table, signal)
}

async function loadTable(
  connection: DuckDBConnection,
  { entityId, rows, columns }: EngineItems,
  signal: AbortSignal,
): Promise<void> {
  const name = itemsTableName(entityId)
  const definitions = columns.map(({ place, type }) => `c${place} ${types[type]}`)
  await connection.run(`CREATE TEMP TABLE ${name} (${definitions.join(', ')})`)
  if (rows === 0) return
  const appender = await connection.createAppender(name)
  try {
    for (let from = 0; from < rows; from += chunkRows) {
      signal.throwIfAborted()
      const count = Math.min(chunkRows, rows - from)
      const chunk = DuckDBDataChunk.create(
        columns.map(({ type }) => types[type]),
        count,
      )
      columns.forEach(({ type, values }, index) => {
        chunk.setColumnValues(index, valuesOf(type, values.slice(from, from + count)))
      })
      appender.appendDataChunk(chunk)
      // Lets the event loop turn, so that other queries of the process can be aborted meanwhile.
      await new Promise((resolve) => setImmediate(resolve))
    }
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

export function itemsTableName(entityId: number): string {
  return `items_${entityId}`
}

function valuesOf(type: EngineItemType, values: readonly EngineItemValue[]): readonly DuckDBValue[] {
  if (type !== 'timestamp') return values
  return values.map((ms) => (ms === null ? null : new DuckDBTimestampValue(BigInt(ms) * 1000n)))
}
