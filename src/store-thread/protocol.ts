// The messages between the main thread and the store's thread. They are plain data, so that either side can be read alone.

import type { AnswerData } from '../answer/answer-data.ts'
import type { SpoolBudget } from '../answer/spool.ts'
import type { IngestCount } from '../catalog/manifest.ts'
import type { Settings } from '../config/settings.ts'
import type { ZoneFiles } from '../druid-time/zone-rules.ts'
import type { Tally } from '../ingest/pipeline.ts'
import type { LiveMessage } from '../live/live-feed.ts'
import type { LivePlace } from '../live/live-place.ts'
import type { LiveQuery } from '../live/live-rows.ts'
import type { DeletionOutcome, DeletionRequest, UndoRequest } from '../model/deletion.ts'
import type { PlanLimits } from '../model/plan.ts'
import type { ProblemCode, ProblemError } from '../model/problem.ts'
import type { EntityFiles } from '../model/rows-file.ts'
import type { ServiceEvent } from '../observe/event.ts'
import type { StoreState } from '../store/embedded/upkeep/upkeep.ts'
import type { EntityStatistics, TagPage, TagRequest } from '../store/series-store.ts'
import type { SentQuery } from './plan-text.ts'

/** The data with which the thread is started. */
export interface StoreThreadData {
  readonly journalDirectory: string
  readonly catalogPath: string
  /** The path of the note about the entry that is being validated. */
  readonly validationNotePath: string
  /** The folder for answers that do not fit into memory. The thread empties it when it starts. */
  readonly spoolDirectory: string
  /** The folder for rows in memory as files for the SQL engine. The thread empties it when it starts. */
  readonly deltasDirectory: string
  /** Whether no file may be deleted until `release`, as after `hold`. */
  readonly isHeld: boolean
  /** Everything before this position is in the journal. The thread is ready when it has validated it. */
  readonly durablePosition: number
  /** Rows before this position are counted separately: they were in the journal before the service started, or an earlier thread has validated them. */
  readonly countedPosition: number
  /** The folder of the sealed files. */
  readonly storeDirectory: string
  readonly rowBytes: number
  /** The most fields of an ingest whose rows may add fields. */
  readonly fieldsMax: number
  readonly settings: StoreSettings
  /** The setting `small`. */
  readonly isSmall: boolean
  /** The source of all time zone offsets, the same in every thread and process. */
  readonly timeZones: ZoneFiles | null
}

export type StoreSettings = Settings['store']

export type ToStore =
  | { readonly kind: 'durable'; readonly position: number }
  | ({
      readonly kind: 'query'
      readonly id: number
      readonly limits: PlanLimits
      readonly budget: SpoolBudget
    } & SentQuery)
  | { readonly kind: 'statistics'; readonly id: number; readonly entityId: number; readonly sinceMs: number | null }
  | { readonly kind: 'tags'; readonly id: number; readonly request: TagRequest }
  /** Requests the files with all rows of these entities; they are kept until `unpin` with the same number. */
  | { readonly kind: 'snapshot'; readonly id: number; readonly entityIds: readonly number[] }
  | { readonly kind: 'unpin'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The memory of an answer that was sent, to be reused. */
  | { readonly kind: 'spare'; readonly memory: readonly ArrayBuffer[] }
  /** The catalog has dropped an entity, or rows have expired. */
  | { readonly kind: 'changed' }
  /** Permanently removes the expired rows of the entity. */
  | { readonly kind: 'purge'; readonly id: number; readonly entityId: number; readonly waitMs: number }
  /** Hides rows, or shows them again. */
  | { readonly kind: 'delete'; readonly id: number; readonly request: DeletionRequest }
  | { readonly kind: 'takeBack'; readonly id: number; readonly request: UndoRequest }
  /** No file may be deleted until `release`. */
  | { readonly kind: 'hold'; readonly id: number }
  | { readonly kind: 'release' }
  /** The main thread knows the fields that rows have added. */
  | { readonly kind: 'fieldsKnown' }
  /** Requests rows of an entity as they become queryable, from a place on; null is from now on. */
  | {
      readonly kind: 'follow'
      readonly follower: number
      readonly question: LiveQuery
      readonly from: LivePlace | null
    }
  | { readonly kind: 'unfollow'; readonly follower: number }
  | { readonly kind: 'wait'; readonly follower: number; readonly waits: boolean }
  /** Rows in memory are sealed first, within this time; a second message may shorten it. */
  | { readonly kind: 'close'; readonly sealMs: number }

/** An error sent between threads: a Problem with its code, anything else with `code` null. */
export interface SentError {
  readonly code: ProblemCode | null
  readonly message: string
  readonly stack: string | undefined
  readonly errors: readonly ProblemError[] | undefined
}

/** The condition that the thread waits for: `space` on the disk of the data folder, or a `disk` that accepts writes. */
export type Awaited = 'space' | 'disk'

export type FromStore =
  /** The first message: the position at which the pipeline starts, and the outcomes of the rows before it. */
  | { readonly kind: 'begun'; readonly state: StoreState; readonly counts: readonly IngestCount[] }
  | { readonly kind: 'state'; readonly state: StoreState }
  | { readonly kind: 'held'; readonly id: number }
  | { readonly kind: 'purged'; readonly id: number }
  | { readonly kind: 'deleted'; readonly id: number; readonly outcome: DeletionOutcome }
  | { readonly kind: 'takenBack'; readonly id: number; readonly isDone: boolean }
  | {
      readonly kind: 'progress'
      readonly position: number
      readonly tallies: readonly Tally[]
      /** The entities that received rows. */
      readonly entityIds: readonly number[]
    }
  | { readonly kind: 'ready' }
  /** Rows have added fields; validation pauses until `fieldsKnown`. */
  | { readonly kind: 'fieldsMade' }
  /** Validation pauses until this condition is met. The next validated or sealed rows end the wait. */
  | { readonly kind: 'waits'; readonly awaited: Awaited }
  /** Null where the store leaves the query to the SQL engine. */
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerData | null }
  | { readonly kind: 'statistics'; readonly id: number; readonly statistics: EntityStatistics }
  | { readonly kind: 'tags'; readonly id: number; readonly page: TagPage }
  | { readonly kind: 'snapshot'; readonly id: number; readonly entities: readonly EntityFiles[] }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'live'; readonly message: LiveMessage }
  | { readonly kind: 'event'; readonly event: ServiceEvent }
