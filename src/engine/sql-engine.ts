import type { ColumnType, ColumnVector } from '../model/column.ts'

/** A field of an entity as an SQL column: in the engine's tables they are c0, c1, ... in this order, truth values as 0 and 1. */
export interface EngineField {
  readonly name: string
  readonly type: ColumnType
}

/** A Parquet file of an entity's rows. */
export interface EngineFile {
  readonly path: string
  /** The fields that it holds; others are null in all its rows. */
  readonly fields: readonly string[]
}

/** The rows of an entity that one query sees: the files that are sealed, and those of the rows that are not yet. None of them changes. */
export interface EngineTable {
  readonly entityId: number
  readonly fields: readonly EngineField[]
  readonly files: readonly EngineFile[]
  /** Rows before this instant have left; null where none has. */
  readonly sinceMs: number | null
}

export interface EngineQuery {
  /** SQL of the engine that our own code wrote. */
  readonly text: string
  /** What its columns hold, in order. */
  readonly types: readonly ColumnType[]
  readonly tables: readonly EngineTable[]
}

export interface EngineLimits {
  readonly resultRows: number
}

export interface EngineBatch {
  readonly rows: number
  readonly columns: readonly ColumnVector[]
}

export interface SqlEngine {
  /**
   * Runs a query on the files that it names. Throws Problem `invalid_request` for what only shows when the query runs,
   * `result_too_large` when a limit is passed, and the signal's reason when it is aborted.
   */
  run(query: EngineQuery, limits: EngineLimits, signal: AbortSignal): AsyncIterable<EngineBatch>
  close(): void
}

/** A whole number that went beyond a long: the query is to be written so that its numbers go round, as Druid's do. */
export class LongOverflow extends Error {
  constructor() {
    super('a whole number is beyond the range of a BIGINT')
    this.name = 'LongOverflow'
  }
}
