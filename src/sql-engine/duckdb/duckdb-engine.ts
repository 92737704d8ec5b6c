import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js'
import { Sql } from '../../lib/sql-text.ts'
import { Problem } from '../../model/problem.ts'
import {
  type EngineBatch,
  type EngineFile,
  type EngineLimits,
  type EngineQuery,
  EngineRefusal,
  type EngineRow,
  type EngineTable,
  type EngineValue,
  type SqlEngine,
  type TimeBounds,
} from '../sql-engine.ts'
import { checkTree } from './allow-list.ts'
import { engineError } from './engine-error.ts'
import { itemsTableName, loadItems } from './items-table.ts'
import { timesOfPlan } from './plan-times.ts'
import { piecesOf, readChunk } from './read-chunk.ts'
import { StringMemory } from './string-memory.ts'
import { tableRows, withTables } from './table-sql.ts'
import { registerZoneFunctions } from './zone-functions.ts'

/** Makes the engine's package return strings unchanged: it decodes them like files, and drops a leading U+FEFF. */
function readWholeTexts(): void {
  Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) })
}

export interface DuckdbSettings {
  /** The folders of the files that queries may read. The engine has access to nothing else. */
  readonly directories: readonly string[]
  /** For data that does not fit into memory. */
  readonly temporaryDirectory: string
  readonly temporaryBytes: number
  readonly memoryBytes: number
  /** The most memory for strings that are made at the same time. */
  readonly textBytes: number
  readonly threads: number
}

/** DuckDB in this process, without a database of its own. Its settings are locked. */
export class DuckdbEngine implements SqlEngine {
  readonly #instance: DuckDBInstance
  readonly #texts: StringMemory

  private constructor(instance: DuckDBInstance, texts: StringMemory) {
    this.#instance = instance
    this.#texts = texts
  }

  static async open(settings: DuckdbSettings): Promise<DuckdbEngine> {
    readWholeTexts()
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(settings.threads),
      memory_limit: `${settings.memoryBytes}B`,
      temp_directory: settings.temporaryDirectory,
      max_temp_directory_size: `${settings.temporaryBytes}B`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    })
    const connection = await instance.connect()
    const texts = new StringMemory(settings.textBytes)
    texts.register(connection)
    registerZoneFunctions(connection)
    const directories = settings.directories.map((directory) => `'${directory.replaceAll("'", "''")}'`)
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    // ORDER BY a constant has no effect and is not an error.
    await connection.run('SET GLOBAL order_by_non_integer_literal = true')
    await connection.run(`SET GLOBAL allowed_directories = [${directories.join(', ')}]`)
    await connection.run('SET GLOBAL enable_external_access = false')
    await connection.run('SET GLOBAL lock_configuration = true')
    connection.closeSync()
    return new DuckdbEngine(instance, texts)
  }

  async *run(query: EngineQuery, { resultRows }: EngineLimits, signal: AbortSignal): AsyncGenerator<EngineBatch> {
    signal.throwIfAborted()
    const connection = await this.#instance.connect()
    const interruption = new Interruption(connection, signal)
    const paths = query.tables.flatMap(({ files }) => files.map(({ path }) => path))
    const attempt = <T>(work: () => Promise<T>): Promise<T> => attemptOn(paths, signal, work)
    try {
      await attempt(() => check(connection, query))
      await attempt(() => loadItems(connection, query.items ?? [], signal))
      const result = await attempt(() => connection.stream(withTables(query.text, query.tables)))
      let rows = 0
      for (;;) {
        const chunk = await attempt(() => result.fetchChunk())
        if (chunk === null || chunk.rowCount === 0) return
        rows += chunk.rowCount
        if (rows > resultRows) throw tooManyRows(resultRows)
        for (const piece of piecesOf(chunk)) yield readChunk(chunk, query.types, piece)
      }
    } finally {
      interruption.end()
      this.#texts.release(connection.clientContext.connectionId)
      connection.closeSync()
    }
  }

  async timesOf(query: EngineQuery, signal: AbortSignal): Promise<TimeBounds | null> {
    signal.throwIfAborted()
    // The plan identifies columns by place: the time must be the first in each file.
    if (!query.tables.every(({ fields, files }) => files.every((file) => file.fields[0] === fields[0]?.name)))
      return null
    const connection = await this.#instance.connect()
    const interruption = new Interruption(connection, signal)
    const paths = query.tables.flatMap(({ files }) => files.map(({ path }) => path))
    try {
      return await attemptOn(paths, signal, async () => {
        await check(connection, query)
        await loadItems(connection, query.items ?? [], signal)
        const plan = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${withTables(query.text, query.tables)}`)
        return timesOfPlan(JSON.parse(String(plan.getRows()[0]?.[1])))
      })
    } finally {
      interruption.end()
      this.#texts.release(connection.clientContext.connectionId)
      connection.closeSync()
    }
  }

  source(table: EngineTable, within: TimeBounds | null, newestFirst = false): Sql {
    return new Sql(`(${tableRows(table, within, newestFirst)})`, [])
  }

  async *rows(
    { text, parameters }: Sql,
    files: readonly EngineFile[],
    signal: AbortSignal,
  ): AsyncGenerator<readonly EngineRow[]> {
    signal.throwIfAborted()
    const connection = await this.#instance.connect()
    const interruption = new Interruption(connection, signal)
    try {
      const result = await connection.stream(text, [...parameters])
      for (;;) {
        signal.throwIfAborted()
        const chunk = await result.fetchChunk()
        if (chunk === null || chunk.rowCount === 0) return
        for (const piece of piecesOf(chunk)) yield readRows(chunk, piece)
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw engineError(
        error,
        files.map(({ path }) => path),
      )
    } finally {
      interruption.end()
      this.#texts.release(connection.clientContext.connectionId)
      connection.closeSync()
    }
  }

  close(): void {
    this.#instance.closeSync()
  }
}

/** How often an aborted query is interrupted again: a query that is still queued forgets an interruption when it starts. */
const interruptEveryMs = 20

class Interruption {
  readonly #connection: DuckDBConnection
  readonly #signal: AbortSignal
  #timer: NodeJS.Timeout | null = null

  constructor(connection: DuckDBConnection, signal: AbortSignal) {
    this.#connection = connection
    this.#signal = signal
    signal.addEventListener('abort', this.#begin, { once: true })
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#begin)
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  readonly #begin = (): void => {
    this.#connection.interrupt()
    this.#timer = setInterval(() => this.#connection.interrupt(), interruptEveryMs)
  }
}

/** Parses the text with the engine's own parser, as a SELECT and nothing else, and checks it against the allow-list. */
async function check(connection: DuckDBConnection, { text, tables, items = [] }: EngineQuery): Promise<void> {
  const reader = await connection.runAndReadAll('SELECT CAST(json_serialize_sql($1::VARCHAR) AS VARCHAR)', [text])
  const names = [
    ...tables.map((table) => `entity_${table.entityId}`),
    ...items.map(({ entityId }) => itemsTableName(entityId)),
  ]
  checkTree(JSON.parse(String(reader.getRows()[0]?.[0])), new Set(names))
}

async function attemptOn<T>(paths: readonly string[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    // Interrupting the engine before it has started would have no effect.
    signal.throwIfAborted()
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw asProblem(engineError(error, paths))
  }
}

/** Turns a refusal into a Problem with the request's `sql_query`; other errors are returned unchanged. */
function asProblem(error: Error): Error {
  if (!(error instanceof EngineRefusal)) return error
  const { message, cause } = error
  return new Problem('invalid_request', `sql_query: ${message}`, { errors: [{ path: 'sql_query', message }], cause })
}

function tooManyRows(resultRows: number): Problem {
  return new Problem(
    'result_too_large',
    `The answer has more than ${resultRows} rows, which is limits.resultRows. Use a shorter range, add conditions or LIMIT, or aggregate.`,
  )
}

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
