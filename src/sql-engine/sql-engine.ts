// Tested by `test/faults/sql-process.test.ts`.

import type { CancelSignal } from '../lib/cancellation.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import type { ColumnType, ColumnVector } from '../model/column.ts'
import { Problem } from '../model/problem.ts'
import type { EntityFiles, RowsFile } from '../model/rows-file.ts'

/** A field of an entity as an SQL column: the engine's tables have c0, c1, ... in this order, truth values as 0 and 1, and the position p. */
export interface EngineField {
  readonly name: string
  readonly type: ColumnType
}

/** The rows of an entity that one query sees: the files that are sealed, and those of the rows that are not yet. None of them changes. */
export interface EngineTable {
  readonly entityId: number
  /** As the files name them; the time is the first. */
  readonly fields: readonly EngineField[]
  readonly files: readonly RowsFile[]
  /** Rows before this instant have left; null where none has. */
  readonly sinceMs: number | null
  /** The tags, where newer rows of one time and the same tags replace older ones field by field; null where all rows are kept. */
  readonly replacesBy: readonly string[] | null
}

/** Entities as files, as they are at one moment. */
export interface EngineSnapshot {
  readonly entities: readonly EntityFiles[]
  /** Whether the files may be gone: their owner was started again. */
  readonly isLost: () => boolean
  /** Lets the files go. */
  release(): void
}

/** Gives the rows of entities as files, the newest too. */
export interface EngineSnapshots {
  /** Throws Problem `unavailable` while the store is started again, and the signal's reason when it is aborted. */
  snapshot(entityIds: readonly number[], signal: CancelSignal): Promise<EngineSnapshot>
}

/** A `json` is its text; a timestamp is its milliseconds, truth values are 0 and 1. */
export type EngineItemType = 'string' | 'double' | 'long' | 'timestamp'
export type EngineItemValue = string | number | bigint | null

/** What one query needs of a metadata entity's items: these rows, and of them these columns. */
export interface EngineItems {
  readonly entityId: number
  readonly rows: number
  readonly columns: readonly EngineItemColumn[]
}

export interface EngineItemColumn {
  /** Its number in the engine's table: c0, c1 and so on. */
  readonly place: number
  readonly type: EngineItemType
  readonly values: readonly EngineItemValue[]
}

export interface EngineQuery {
  /** SQL of the engine that our own code wrote. */
  readonly text: string
  /** What its columns hold, in order. */
  readonly types: readonly ColumnType[]
  readonly tables: readonly EngineTable[]
  /** None where they are left out. */
  readonly items?: readonly EngineItems[]
}

export interface EngineLimits {
  readonly resultRows: number
}

export interface EngineBatch {
  readonly rows: number
  readonly columns: readonly ColumnVector[]
}

export type EngineFile = Pick<RowsFile, 'path' | 'checkedBy'>

export interface TimeBounds {
  readonly fromMs: number
  /** Not in it. */
  readonly untilMs: number
}

/** The files that may have rows in a range of times; all of them where it is null. */
export function filesWithin(files: readonly RowsFile[], within: TimeBounds | null): readonly RowsFile[] {
  return within === null
    ? files
    : files.filter(({ firstMs, lastMs }) => lastMs >= within.fromMs && firstMs < within.untilMs)
}

/** A value of a row: a BIGINT is a bigint, a DOUBLE or FLOAT a number (NaN and the infinities too), a list an array. */
export type EngineValue = null | boolean | number | bigint | string | readonly EngineValue[]

export type EngineRow = readonly EngineValue[]

export interface SqlEngine {
  /**
   * Runs a query on the files that it names. Throws Problem `invalid_request` for what only shows when the query runs, `result_too_large` when
   * a limit is passed, LongOverflow, and the signal's reason when it is aborted.
   */
  run(query: EngineQuery, limits: EngineLimits, signal: AbortSignal): AsyncIterable<EngineBatch>
  /**
   * The range of times that a query takes rows from, as the engine plans it; null where it may take any. It reads no row. Throws what `run` throws
   * before its first row.
   */
  timesOf(query: EngineQuery, signal: AbortSignal): Promise<TimeBounds | null>
  /** What stands after FROM: the rows of a table within a range, as c0, c1 and so on. `newestFirst` says what is read first. */
  source(table: EngineTable, within: TimeBounds | null, newestFirst?: boolean): Sql
  /**
   * The rows of a statement over these files, in parts, as they come. Throws EngineRefusal for what only shows when it runs, LongOverflow,
   * Problem `result_too_large` when memory does not suffice, and the signal's reason when it is aborted.
   */
  rows(statement: Sql, files: readonly EngineFile[], signal: AbortSignal): AsyncIterable<readonly EngineRow[]>
  close(): void
}

/** A whole number that went beyond a long: the query is to be written so that its numbers go round, as Druid's do. */
export class LongOverflow extends Error {
  constructor() {
    super('a whole number is beyond the range of a BIGINT')
    this.name = 'LongOverflow'
  }
}

/** Memory did not suffice: that of the engine, or of the process. All queries that run at once share both. */
export class OutOfMemory extends Problem {
  /** Whether the system refused it to the process: then nothing that the process does can be relied upon. */
  readonly isOfSystem: boolean

  constructor(isOfSystem: boolean) {
    super(
      'result_too_large',
      'The query needs more memory than sql.memoryBytes, sql.temporaryBytes and sql.workingBytes give to it. Ask for a shorter range, fewer groups, shorter texts and lists, or an aggregate.',
    )
    this.isOfSystem = isOfSystem
  }
}

/** A file of the query is damaged, gone, or cannot be read. */
export class DamagedRows extends Error {
  /** The file, or a folder that it is in where the engine does not name it. */
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.name = 'DamagedRows'
    this.path = path
  }
}

/** A query that the engine does not answer, told in our own words. */
export class EngineRefusal extends Error {
  /** What the engine said, where no words of ours are known for it: for the log alone. */
  declare readonly cause: Error | undefined

  constructor(message: string, cause?: Error) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'EngineRefusal'
  }
}

/** Stands before what our own SQL says by `error()`, by which its words are told from the engine's. */
export const ownWords = 'Tidemark says: '

/** Ends the query where it is reached; the caller is told the message. It is of no type: cast it where one is needed. */
export const failing = (message: string): Sql => sql`error(${sql.literal(`${ownWords}${message}`)})`
