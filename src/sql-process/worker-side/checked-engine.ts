import type { Sql } from '../../lib/sql-text.ts'
import {
  type EngineBatch,
  type EngineFile,
  type EngineLimits,
  type EngineQuery,
  type EngineRow,
  filesWithin,
  type SqlEngine,
} from '../../sql-engine/sql-engine.ts'
import type { FileChecks } from './file-checks.ts'

/** An engine that reads a file only after checking it. DuckDB verifies no checksum itself: a changed byte would become a wrong number. */
export class CheckedEngine implements SqlEngine {
  readonly #engine: SqlEngine
  readonly #checks: FileChecks
  readonly source: SqlEngine['source']
  readonly timesOf: SqlEngine['timesOf']

  constructor(engine: SqlEngine, checks: FileChecks) {
    this.#engine = engine
    this.#checks = checks
    this.source = (...of) => engine.source(...of)
    this.timesOf = (...of) => engine.timesOf(...of)
  }

  async *run(query: EngineQuery, limits: EngineLimits, signal: AbortSignal): AsyncGenerator<EngineBatch> {
    const read = isChecked(query) ? query : await this.#narrowed(query, signal)
    await this.#checks.all(
      read.tables.flatMap(({ files }) => files),
      signal,
    )
    yield* this.#engine.run(read, limits, signal)
  }

  async *rows(statement: Sql, files: readonly EngineFile[], signal: AbortSignal): AsyncGenerator<readonly EngineRow[]> {
    await this.#checks.all(files, signal)
    yield* this.#engine.rows(statement, files, signal)
  }

  close(): void {
    this.#engine.close()
  }

  /** The query without files of other times, so that a query of an hour does not wait for a year of files to be checked. */
  async #narrowed(query: EngineQuery, signal: AbortSignal): Promise<EngineQuery> {
    const within = await this.#engine.timesOf(query, signal).catch(() => {
      signal.throwIfAborted()
      // A damaged footer can fail with any error. The check then reports the file; a query that is itself at fault fails again after it.
      return null
    })
    return { ...query, tables: query.tables.map((table) => ({ ...table, files: filesWithin(table.files, within) })) }
  }
}

const isChecked = ({ tables }: EngineQuery): boolean =>
  tables.every(({ files }) => files.every(({ checkedBy }) => checkedBy === null))
