import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, type TransactionSettings } from 'kysely'
import pg from 'pg'
import { timerMs } from '../../lib/timer.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { isLost, translated } from './errors.ts'

export interface ConnectionLimits {
  /** Connections of this process, that which listens for changes included. */
  readonly connectionsMax: number
  /** How long a statement, or the wait for a lock or a connection, may take. */
  readonly timeoutMs: number
}

/** How much longer than the server the client waits: a server that still answers says itself that it took too long. */
const graceMs = 5000
const idleTimeoutMs = 30_000

/** What every connection is made with: the schema stands for all names, and nothing waits for ever. */
export function clientConfig(settings: ConnectionSettings, schema: string, timeoutMs: number): pg.ClientConfig {
  return {
    ...settings,
    application_name: 'tidemark',
    // What an operator has set for other programs' sake is not to change what the catalog relies on.
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

/** Whole numbers of the catalog are below 2^53. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === bigint || oid === numeric ? wholeNumber : pg.types.getTypeParser(oid, format ?? 'text')

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`the catalog holds the number ${text}, which is too large`)
  return value
}

/** A bounded number of connections, which are made as they are needed and made again when they are lost. */
export class Connections implements Driver {
  readonly #pool: pg.Pool

  constructor(settings: ConnectionSettings, schema: string, { connectionsMax, timeoutMs }: ConnectionLimits) {
    this.#pool = new pg.Pool({
      ...clientConfig(settings, schema, timeoutMs),
      max: Math.max(1, connectionsMax - 1),
      idleTimeoutMillis: idleTimeoutMs,
    })
    // An idle connection that is lost is made again when one is needed: whoever needs it hears of it.
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
    // With the connection the transaction is gone; to say so would hide why.
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
    // Between two statements nobody waits for an answer that could be an error; the next statement is one then.
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

/** PostgreSQL refuses NUL in text. No text that is kept has it (text-column.ts), so a lookup with it may become one that finds nothing. */
function parameterOf(parameter: unknown): unknown {
  return typeof parameter === 'string' && parameter.includes('\0') ? parameter.replaceAll('\0', '\ufffd') : parameter
}
