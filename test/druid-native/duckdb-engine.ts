// An engine for tests, with tables of rows in its own DuckDB.
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { readNativeQuery } from '../../src/druid-native/parse/read-query.ts'
import type { NativeEngine, NativeTable } from '../../src/druid-native/run/native-engine.ts'
import { runNative } from '../../src/druid-native/run/run-native.ts'
import type { Interval } from '../../src/druid-time/iso.ts'
import { type Sql, sql } from '../../src/lib/sql-text.ts'
import { engineError } from '../../src/sql-engine/duckdb/engine-error.ts'
import { StringMemory } from '../../src/sql-engine/duckdb/string-memory.ts'
import { registerZoneFunctions } from '../../src/sql-engine/duckdb/zone-functions.ts'
import type { EngineRow, EngineValue } from '../../src/sql-engine/sql-engine.ts'

export interface TestColumn {
  readonly name: string
  readonly type: 'STRING' | 'LONG' | 'DOUBLE' | 'BOOLEAN'
}

const types = { STRING: 'VARCHAR', LONG: 'BIGINT', DOUBLE: 'DOUBLE', BOOLEAN: 'BOOLEAN' }

function engineValue(value: DuckDBValue): EngineValue {
  if (value === null || ['boolean', 'number', 'bigint', 'string'].includes(typeof value)) return value as EngineValue
  if (typeof value === 'object' && 'items' in value && Array.isArray(value.items)) return value.items.map(engineValue)
  throw new Error(`a value that no native query should have: ${String(value)}`)
}

/** With several intervals all rows: the caller filters out those between the intervals. */
function rowsWithin(name: string, intervals: readonly Interval[]): Sql {
  const rows = sql`SELECT *, make_timestamptz(epoch_us("__time")) AS t, rowid AS p FROM ${sql.id(name)}`
  const [only, ...more] = intervals
  if (only === undefined || more.length > 0) return sql`(${rows})`
  const ms = sql`epoch_ms("__time")`
  return sql`(${rows} WHERE ${ms} >= ${sql.long(only.startMs)} AND ${ms} < ${sql.long(only.endMs)})`
}

export class DuckDbEngine implements NativeEngine {
  readonly #connection: DuckDBConnection
  readonly #tables = new Map<string, NativeTable>()

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  static async open(): Promise<DuckDbEngine> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
    const connection = await instance.connect()
    // One connection serves all queries and never returns its budget.
    new StringMemory(2 ** 40).register(connection)
    registerZoneFunctions(connection)
    return new DuckDbEngine(connection)
  }

  /** Creates a table from a file of newline-delimited JSON, whose property `time` is the time. */
  async load(name: string, columns: readonly TestColumn[], file: string): Promise<void> {
    const shape = [`"time": 'TIMESTAMP'`, ...columns.map((column) => `"${column.name}": '${types[column.type]}'`)].join(
      ', ',
    )
    const list = ['"time" AS "__time"', ...columns.map((column) => `"${column.name}"`)].join(', ')
    await this.#connection.run(
      `CREATE TABLE "${name}" AS SELECT ${list} FROM read_json('${file}', format = 'newline_delimited', columns = {${shape}})`,
    )
    this.#tables.set(name, {
      name,
      columns: columns.map((column) => {
        const value = sql`t.${sql.id(column.name)}`
        return column.type === 'BOOLEAN'
          ? { name: column.name, type: 'LONG', value: sql`CAST(${value} AS BIGINT)` }
          : { name: column.name, type: column.type, value }
      }),
      time: sql`t."t"`,
      position: sql`t."p"`,
      from: (intervals) => rowsWithin(name, intervals),
    })
  }

  async table(name: string): Promise<NativeTable | null> {
    return this.#tables.get(name) ?? null
  }

  async days(table: NativeTable): Promise<readonly { minMs: number; maxMs: number }[]> {
    const time = sql`epoch_ms("__time")`
    const rows: EngineRow[] = []
    for await (const part of this.run(
      sql`SELECT min(${time}), max(${time}) FROM ${sql.id(table.name)} GROUP BY CAST("__time" AS DATE) ORDER BY 1`,
    ))
      rows.push(...part)
    return rows.map(([minMs, maxMs]) => ({ minMs: Number(minMs), maxMs: Number(maxMs) }))
  }

  async *run(statement: Sql): AsyncGenerator<readonly EngineRow[]> {
    try {
      const reader = await this.#connection.runAndReadAll(statement.text, [...statement.parameters])
      yield reader.getRows().map((row) => row.map(engineValue))
    } catch (error) {
      throw engineError(error, [])
    }
  }

  close(): void {
    this.#connection.closeSync()
  }
}

/** The whole answer to a native query. */
export async function answerOf(query: unknown, engine: DuckDbEngine, limit = 1_000_000): Promise<string> {
  const limits = { rowsMax: limit, bucketsMax: limit, bytesMax: 2 ** 28 }
  let text = ''
  for await (const piece of runNative(readNativeQuery(query), engine, limits)) text += piece
  return text
}
