import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, type TransactionSettings } from 'kysely'
import pg from 'pg'
import { timerMs } from '../../lib/timer.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { isLost, translated } from './errors.ts'

export interface ConnectionLimits {
  /** The number of connections of this process, including the one that listens for changes. */
  readonly connectionsMax: number
  /** The most time for a statement, or for waiting for a lock or a connection. */
  readonly timeoutMs: number
}

/** The client waits this much longer than the server, so that a responsive server reports the timeout itself. */
const graceMs = 5000
const idleTimeoutMs = 30_000

/** Settings of every connection: names resolve in the catalog's schema, and every wait has a timeout. */
export function clientConfig(settings: ConnectionSettings, schema: string, timeoutMs: number): pg.ClientConfig {
  return {
    ...settings,
    application_name: 'tidemark',
    // Settings that an operator made for other programs must not change what the catalog relies on.
    options: `-c search_path=${schema} -c default_transaction_isolation=read\\ committed`,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    lock_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    query_timeout: timerMs(timeoutMs + graceMs),
    keepAlive: true,
    types: { getTypeParser: typeParser },
  }
}

const bigint = 20
const numeric = 1700

/** Integers of the catalog are below 2^53. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === bigint || oid === numeric ? wholeNumber : pg.types.getTypeParser(oid, format ?? 'text')

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`the catalog holds the number ${text}, which is too large`)
  return value
}

/** A bounded connection pool. Connections are made on demand and again after they are lost. */
export class Connections implements Driver {
  readonly #pool: pg.Pool

  constructor(settings: ConnectionSettings, schema: string, { connectionsMax, timeoutMs }: ConnectionLimits) {
    this.#pool = new pg.Pool({
      ...clientConfig(settings, schema, timeoutMs),
      max: Math.max(1, connectionsMax - 1),
      idleTimeoutMillis: idleTimeoutMs,
    })
    // A lost idle connection is replaced when one is needed; if that fails, the caller gets the error.
    this.#pool.on('error', () => {})
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return new Connection(await this.#pool.connect())
    } catch (error) {
      throw translated(error)
    }
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.release()
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel = 'read committed', accessMode = 'read write' } = settings
    await connection.executeQuery(
      CompiledQuery.raw(`start transaction isolation level ${isolationLevel} ${accessMode}`),
    )
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    // The transaction ended with the connection; a failing rollback would hide the original error.
    if (!connection.isLost) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  destroy(): Promise<void> {
    return this.#pool.end()
  }
}

class Connection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  isLost = false

  constructor(client: pg.PoolClient) {
    this.#client = client
    // Between two statements no caller could receive an error; the next statement fails instead.
    client.on('error', ignore)
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.#client.query({ text: sql, values: parameters.map(parameterOf) })
      return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    } catch (error) {
      this.isLost ||= isLost(error)
      throw translated(error)
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the catalog streams nothing')
  }

  release(): void {
    this.#client.off('error', ignore)
    this.#client.release(this.isLost)
  }
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE'])

function ignore(): void {}

/** PostgreSQL rejects NUL in text. No stored text contains it (text-column.ts), so a lookup with NUL may become one that finds nothing. */
function parameterOf(parameter: unknown): unknown {
  return typeof parameter === 'string' && parameter.includes('\0') ? parameter.replaceAll('\0', '\ufffd') : parameter
}
