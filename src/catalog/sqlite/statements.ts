import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { Problem } from '../../model/problem.ts'

/** The number of prepared statements to cache; the catalog has fewer distinct statements. */
const statementsMax = 200
/** Size of a connection's page cache. */
const cacheKibibytes = 65_536
/** How long a connection waits for another one's transaction, and how often it retries. */
const busyTimeoutMs = 5000
const busyRetryMs = 2
const busyCode = 5

/**
 * One connection with a cache of prepared statements, in the form that Kysely's SQLite driver expects. Other code of this process must not open and close the
 * database's files, because that would drop the file locks of all connections (https://sqlite.org/howtocorrupt.html, 2.2).
 */
export class Statements implements SqliteDatabase {
  readonly #database: InstanceType<typeof DatabaseSync>
  /** Least recently used first. */
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(
    path: string,
    { readOnly, pagesMax }: { readonly readOnly: boolean; readonly pagesMax?: number | undefined },
  ) {
    this.#database = new DatabaseSync(path, { readOnly })
    this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    if (readOnly) return
    if (pagesMax !== undefined) this.#database.exec(`PRAGMA max_page_count = ${pagesMax}`)
    this.#database.exec('PRAGMA journal_mode = WAL')
    // With WAL, FULL makes each commit durable: the log is synced before the commit returns.
    this.#database.exec('PRAGMA synchronous = FULL')
    this.#database.exec('PRAGMA foreign_keys = ON')
    // Negative means KiB. Items of a large metadata entity are written in scattered order; caching half of its pages triples the rate.
    this.#database.exec(`PRAGMA cache_size = -${cacheKibibytes}`)
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    const statement = known ?? this.#prepare(sql)
    if (known !== undefined) this.#statements.delete(sql)
    this.#statements.set(sql, statement)
    if (this.#statements.size > statementsMax) this.#statements.delete(this.#statements.keys().next().value ?? sql)
    return statement
  }

  /**
   * Begins a write transaction. It acquires the lock immediately, because a transaction that begins as a reader may be refused on its first write. The
   * wait does not block the thread, which may be running the very transaction that holds the lock.
   */
  async beginWriting(): Promise<void> {
    const deadlineMs = performance.now() + busyTimeoutMs
    while (!this.#tryBegin(deadlineMs)) await sleep(busyRetryMs)
  }

  /** SQLite rolls back automatically on some errors, such as a full disk. A second rollback would fail and hide the first error. */
  rollBack(): void {
    if (this.#database.isTransaction) this.prepare('ROLLBACK').run([])
  }

  get isChanging(): boolean {
    return this.#database.isTransaction
  }

  /** The number of rows this connection has changed so far, including those of a transaction in progress. */
  get changes(): number {
    const [row] = this.prepare('SELECT total_changes() AS changes').all([]) as readonly { readonly changes: number }[]
    return row?.changes ?? 0
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #tryBegin(deadlineMs: number): boolean {
    this.#database.exec('PRAGMA busy_timeout = 0')
    try {
      this.prepare('BEGIN IMMEDIATE').run([])
      return true
    } catch (error) {
      if (error instanceof Problem && isBusy(error.cause) && performance.now() < deadlineMs) return false
      throw error
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    }
  }

  #prepare(sql: string): SqliteStatement {
    const statement = translated(() => this.#database.prepare(sql))
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => translated(() => statement.all(...parameters)),
      run: (parameters) => translated(() => statement.run(...parameters)),
      iterate: (parameters) => statement.iterate(...parameters),
    }
  }
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) from which the service can recover. */
const outlived = new Map([
  [busyCode, 'The catalog is busy with another change. Try again.'],
  [10, "The catalog's disk failed to read or write. Check the disk of the data folder, then try again."],
  [13, "The disk of the catalog is full. Free space on the data folder's disk, then try again."],
])

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damages = new Set([11, 26])
const damageText =
  'catalog.sqlite is damaged: stop the service, run "tidemark verify" to see what else is damaged, and restore a backup'

function translated<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const code = resultCode(error) ?? -1
    if (damages.has(code) && error instanceof Error)
      throw new Error(`${damageText} (${error.message})`, { cause: error })
    const detail = outlived.get(code)
    throw detail === undefined ? error : new Problem('unavailable', detail, { cause: error })
  }
}

/** Whether SQLite threw it because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busyCode
}

/** Converts an SQLite error about the disk into the error that the disk itself would cause; other errors are returned unchanged. */
export function diskErrorOf(error: unknown): unknown {
  const code = new Map([
    [10, 'EIO'],
    [13, 'ENOSPC'],
  ]).get(resultCode(error) ?? -1)
  if (code === undefined || !(error instanceof Error)) return error
  return Object.assign(new Error(`${code}: ${error.message}`, { cause: error }), { code })
}

/** The primary result code of an SQLite error; null for other errors. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  // Errors while reading rows have no code, but SQLite has one text for each code (sqlite3_errstr).
  return codesOfTexts.get(error.message) ?? null
}

const codesOfTexts = new Map([
  ['database is locked', busyCode],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
])
