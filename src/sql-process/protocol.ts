// Messages between the server and the SQL engine's process: plain data.

import type { AnswerData } from '../answer/answer-data.ts'
import type { SpoolBudget } from '../answer/spool.ts'
import type { NativeRequest } from '../druid-native/native-on-one-machine.ts'
import type { SqlRequest } from '../druid-sql/sql-language.ts'
import type { ZoneFiles } from '../druid-time/zone-rules.ts'
import type { ProblemCode, ProblemError } from '../model/problem.ts'
import type { DuckdbSettings } from '../sql-engine/duckdb/duckdb-engine.ts'

/** Start data of the process, sent as its first message. */
export interface SqlProcessData {
  readonly engine: DuckdbSettings
  /** For answers that do not fit into memory. The process empties the folder when it starts. */
  readonly spoolDirectory: string
  /** The resident memory above which the process asks to be ended. */
  readonly residentBytes: number
  /** The source of all offsets, the same in every process; null is the runtime. */
  readonly timeZones: ZoneFiles | null
}

export type SqlRun = { readonly kind: 'run'; readonly budget: SpoolBudget } & SqlRequest
export type NativeRun = { readonly kind: 'native'; readonly budget: SpoolBudget } & NativeRequest

export type ToSqlProcess =
  | ({ readonly kind: 'start' } & SqlProcessData)
  | ({ readonly id: number } & (SqlRun | NativeRun))
  | { readonly kind: 'cancel'; readonly id: number }

/** An error sent between the processes. A Problem has its code; for anything else `code` is null. */
export interface SentFailure {
  readonly code: ProblemCode | null
  readonly message: string
  readonly errors: readonly ProblemError[] | undefined
  /** A long overflowed: the query must be written again with arithmetic that wraps around. */
  readonly isOverflow: boolean
  /** The memory that all concurrent queries share ran out. */
  readonly isOutOfMemory: boolean
  /** The file or folder that cannot be read; null where that is not the cause. */
  readonly damagedPath: string | null
  /** The engine's own message where the service has no wording for it; only for the log. */
  readonly engineWords: string | null
}

export type FromSqlProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerData }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: SentFailure }
  /** A file was found as it was written. */
  | { readonly kind: 'checked'; readonly path: string }
  /** The process exceeds its memory limit, or the system refused it memory, and asks to be ended. */
  | { readonly kind: 'spent'; readonly residentBytes: number }
