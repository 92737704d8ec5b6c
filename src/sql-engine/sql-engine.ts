// Tested by `test/faults/sql-process.test.ts`.

import type { CancelSignal } from '../lib/cancellation.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import type { ColumnType, ColumnVector } from '../model/column.ts'
import { Problem } from '../model/problem.ts'
import type { EntityFiles, RowsFile } from '../model/rows-file.ts'

/** A field of an entity as an SQL column. The engine's tables have c0, c1, ... in this order, with booleans as 0 and 1, and the position p. */
export interface EngineField {
  readonly name: string
  readonly type: ColumnType
}

/** The rows of an entity that one query sees: sealed files, and files of the rows that are not sealed yet. None of them changes. */
export interface EngineTable {
  readonly entityId: number
  /** Named as in the files; the time is the first. */
  readonly fields: readonly EngineField[]
  readonly files: readonly RowsFile[]
  /** Rows before this instant have expired; null if none have. */
  readonly sinceMs: number | null
  /** The tags, where newer rows of the same time and tags replace older ones field by field; null where all rows are kept. */
  readonly replacesBy: readonly string[] | null
}

/** The files of entities at one point in time. */
export interface EngineSnapshot {
  readonly entities: readonly EntityFiles[]
  /** Whether the files may be gone, because their owner was restarted. */
  readonly isLost: () => boolean
  /** Releases the files. */
  release(): void
}

/** Provides the rows of entities as files, including the newest. */
export interface EngineSnapshots {
  /** Throws Problem `unavailable` while the store restarts, and the signal's reason when it is aborted. */
  snapshot(entityIds: readonly number[], signal: CancelSignal): Promise<EngineSnapshot>
}

/** A `json` is its text, a timestamp its milliseconds, a boolean 0 or 1. */
export type EngineItemType = 'string' | 'double' | 'long' | 'timestamp'
export type EngineItemValue = string | number | bigint | null

/** The items of a metadata entity that one query needs, with the columns that it needs. */
export interface EngineItems {
  readonly entityId: number
  readonly rows: number
  readonly columns: readonly EngineItemColumn[]
}

export interface EngineItemColumn {
  /** The number of the column in the engine's table: c0, c1 and so on. */
  readonly place: number
  readonly type: EngineItemType
  readonly values: readonly EngineItemValue[]
}

export interface EngineQuery {
  /** SQL for the engine, written by our own code. */
  readonly text: string
  /** The types of its columns, in order. */
  readonly types: readonly ColumnType[]
  readonly tables: readonly EngineTable[]
  /** Absent if there are none. */
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
  /** Exclusive. */
  readonly untilMs: number
}

/** The files that may have rows in a range of times; all files if it is null. */
export function filesWithin(files: readonly RowsFile[], within: TimeBounds | null): readonly RowsFile[] {
  return within === null
    ? files
    : files.filter(({ firstMs, lastMs }) => lastMs >= within.fromMs && firstMs < within.untilMs)
}

/** A value of a row. A BIGINT is a bigint, a DOUBLE or FLOAT a number (NaN and infinities included), a list an array. */
export type EngineValue = null | boolean | number | bigint | string | readonly EngineValue[]

export type EngineRow = readonly EngineValue[]

export interface SqlEngine {
  /**
   * Runs a query on the files that it names. Throws Problem `invalid_request` for errors that only show when the query runs, `result_too_large`
   * beyond a limit, LongOverflow, and the signal's reason when it is aborted.
   */
  run(query: EngineQuery, limits: EngineLimits, signal: AbortSignal): AsyncIterable<EngineBatch>
  /**
   * The range of times that a query reads, as the engine plans it; null where it may read any. Reads no rows. Throws what `run` throws before its
   * first row.
   */
  timesOf(query: EngineQuery, signal: AbortSignal): Promise<TimeBounds | null>
  /** The text for FROM: the rows of a table within a range, as c0, c1 and so on. `newestFirst` sets which rows are read first. */
  source(table: EngineTable, within: TimeBounds | null, newestFirst?: boolean): Sql
  /**
   * The rows of a statement over these files, in parts, as they arrive. Throws EngineRefusal for errors that only show when it runs, LongOverflow,
   * Problem `result_too_large` if memory does not suffice, and the signal's reason when it is aborted.
   */
  rows(statement: Sql, files: readonly EngineFile[], signal: AbortSignal): AsyncIterable<readonly EngineRow[]>
  close(): void
}

/** An integer exceeded the range of a long. The query must be rewritten so that its numbers wrap around, as Druid's do. */
export class LongOverflow extends Error {
  constructor() {
    super('a whole number is beyond the range of a BIGINT')
    this.name = 'LongOverflow'
  }
}

/** Memory did not suffice: that of the engine, or that of the process. All running queries share both. */
export class OutOfMemory extends Problem {
  /** Whether the system refused memory to the process. Then nothing that the process does is reliable. */
  readonly isOfSystem: boolean

  constructor(isOfSystem: boolean) {
    super(
      'result_too_large',
      'The query needs more memory than sql.memoryBytes, sql.temporaryBytes and sql.workingBytes allow. Narrow the query: a shorter range, fewer groups, shorter strings and lists, or an aggregate.',
    )
    this.isOfSystem = isOfSystem
  }
}

/** A file of the query is damaged, missing or unreadable. */
export class DamagedRows extends Error {
  /** The file, or a folder that contains it where the engine does not name the file. */
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.name = 'DamagedRows'
    this.path = path
  }
}

/** A query that the engine does not answer, with the reason in our own words. */
export class EngineRefusal extends Error {
  /** The engine's error where we have no words for it; for the log only. */
  declare readonly cause: Error | undefined

  constructor(message: string, cause?: Error) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'EngineRefusal'
  }
}

/** The prefix of messages that our own SQL raises with `error()`. It distinguishes them from the engine's messages. */
export const ownMessagePrefix = 'Tidemark says: '

/** Ends the query when it is evaluated; the caller receives the message. It has no type: cast it where one is needed. */
export const failing = (message: string): Sql => sql`error(${sql.literal(`${ownMessagePrefix}${message}`)})`
