// What the server and the SQL engine's process say to each other: plain data.
import type { DuckdbSettings } from '../engine/duckdb/duckdb-engine.ts'
import type { EngineQuery } from '../engine/sql-engine.ts'
import type { EntityField } from '../model/entity.ts'
import type { ProblemCode, ProblemError } from '../model/problem.ts'
import type { AnswerFormat } from '../query/query-runner.ts'
import type { SpoolRoom } from '../query/spool.ts'
import type { StoredAnswer } from '../query/stored-answer.ts'

/** What the process is started with, as its first message. */
export interface SqlProcessData {
  readonly engine: DuckdbSettings
  /** For answers that do not fit into memory. The process empties it when it starts. */
  readonly spoolDirectory: string
}

export interface SqlRun {
  readonly query: EngineQuery
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  readonly format: AnswerFormat
  readonly limits: { readonly resultRows: number; readonly resultBytes: number }
  readonly room: SpoolRoom
}

export type ToSqlProcess =
  | ({ readonly kind: 'start' } & SqlProcessData)
  | ({ readonly kind: 'run'; readonly id: number } & SqlRun)
  | { readonly kind: 'cancel'; readonly id: number }

/** An error that crosses the processes: a Problem with its code, anything else with `code` null. */
export interface SentFailure {
  readonly code: ProblemCode | null
  readonly message: string
  readonly errors: readonly ProblemError[] | undefined
  /** The query is to be written so that its numbers go round. */
  readonly isOverflow: boolean
}

export type FromSqlProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: StoredAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: SentFailure }
