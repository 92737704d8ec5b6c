// What the server and the SQL engine's process say to each other: plain data.

import type { AnswerData } from '../answer/answer-data.ts'
import type { SpoolBudget } from '../answer/spool.ts'
import type { NativeRequest } from '../druid-native/native-on-one-machine.ts'
import type { SqlRequest } from '../druid-sql/sql-language.ts'
import type { ZoneFiles } from '../druid-time/zone-rules.ts'
import type { ProblemCode, ProblemError } from '../model/problem.ts'
import type { DuckdbSettings } from '../sql-engine/duckdb/duckdb-engine.ts'

/** What the process is started with, as its first message. */
export interface SqlProcessData {
  readonly engine: DuckdbSettings
  /** For answers that do not fit into memory. The process empties it when it starts. */
  readonly spoolDirectory: string
  /** How much the process may hold of the machine's memory before it asks to be ended. */
  readonly residentBytes: number
  /** Where all offsets come from: the same everywhere. */
  readonly timeZones: ZoneFiles | null
}

export type SqlRun = { readonly kind: 'run'; readonly budget: SpoolBudget } & SqlRequest
export type NativeRun = { readonly kind: 'native'; readonly budget: SpoolBudget } & NativeRequest

export type ToSqlProcess =
  | ({ readonly kind: 'start' } & SqlProcessData)
  | ({ readonly id: number } & (SqlRun | NativeRun))
  | { readonly kind: 'cancel'; readonly id: number }

/** An error that crosses the processes: a Problem with its code, anything else with `code` null. */
export interface SentFailure {
  readonly code: ProblemCode | null
  readonly message: string
  readonly errors: readonly ProblemError[] | undefined
  /** The query is to be written so that its numbers go round. */
  readonly isOverflow: boolean
  /** Memory did not suffice, which all queries that run at once share. */
  readonly isOutOfMemory: boolean
  /** The file, or its folder, that cannot be read; null where that is not why it failed. */
  readonly damagedPath: string | null
  /** What the engine said, where no words of ours are known for it: for the log alone. */
  readonly engineWords: string | null
}

export type FromSqlProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerData }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: SentFailure }
  /** A file was as it was written. */
  | { readonly kind: 'checked'; readonly path: string }
  /** It holds more memory than it may, or was refused some by the system, and wants to be ended. */
  | { readonly kind: 'spent'; readonly residentBytes: number }
