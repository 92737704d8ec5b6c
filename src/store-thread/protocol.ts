// What the main thread and the store's thread say to each other: plain data, so that either side can be read alone.

import type { AnswerData } from '../answer/answer-data.ts'
import type { SpoolBudget } from '../answer/spool.ts'
import type { IngestCount } from '../catalog/manifest.ts'
import type { Settings } from '../config/settings.ts'
import type { ZoneFiles } from '../druid-time/zone-rules.ts'
import type { Tally } from '../ingest/pipeline.ts'
import type { LiveNews } from '../live/live-feed.ts'
import type { LivePlace } from '../live/live-place.ts'
import type { LiveQuestion } from '../live/live-rows.ts'
import type { DeletionOutcome, DeletionRequest, TakeBackRequest } from '../model/deletion.ts'
import type { PlanLimits } from '../model/plan.ts'
import type { ProblemCode, ProblemError } from '../model/problem.ts'
import type { EntityFiles } from '../model/rows-file.ts'
import type { ServiceEvent } from '../observe/event.ts'
import type { StoreState } from '../store/embedded/upkeep/upkeep.ts'
import type { EntityStatistics, TagPage, TagRequest } from '../store/series-store.ts'
import type { SentQuery } from './plan-text.ts'

/** What the thread is started with. */
export interface StoreThreadData {
  readonly journalDirectory: string
  readonly catalogPath: string
  /** Of the note of what is being validated. */
  readonly validationNotePath: string
  /** For answers that do not fit into memory. The thread empties it when it starts. */
  readonly spoolDirectory: string
  /** For the rows in memory as files of the SQL engine. The thread empties it when it starts. */
  readonly deltasDirectory: string
  /** As after `hold`: no file is to be deleted until `release`. */
  readonly isHeld: boolean
  /** Everything before this position is in the journal: the thread is ready when it has validated it. */
  readonly durablePosition: number
  /** Rows before it are counted apart: they were in the journal before the service started, or an earlier thread has validated them. */
  readonly countedPosition: number
  /** Of the sealed files. */
  readonly storeDirectory: string
  readonly rowBytes: number
  /** The most fields of an ingest whose rows bring fields. */
  readonly fieldsMax: number
  readonly settings: StoreSettings
  /** The setting `small`. */
  readonly isSmall: boolean
  /** Where all offsets come from: the same everywhere. */
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
  /** The files of all rows of these entities are wanted; they stay until `unpin` with the same number. */
  | { readonly kind: 'snapshot'; readonly id: number; readonly entityIds: readonly number[] }
  | { readonly kind: 'unpin'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The memory of an answer that was sent, to be written again. */
  | { readonly kind: 'spare'; readonly memory: readonly ArrayBuffer[] }
  /** The catalog says that an entity was dropped, or that rows have left. */
  | { readonly kind: 'changed' }
  /** Rows of the entity that have left are to be gone for good. */
  | { readonly kind: 'purge'; readonly id: number; readonly entityId: number; readonly waitMs: number }
  /** Rows are to be taken from view, or shown again. */
  | { readonly kind: 'delete'; readonly id: number; readonly request: DeletionRequest }
  | { readonly kind: 'takeBack'; readonly id: number; readonly request: TakeBackRequest }
  /** No file is to be deleted until `release`. */
  | { readonly kind: 'hold'; readonly id: number }
  | { readonly kind: 'release' }
  /** The fields that rows brought are known here. */
  | { readonly kind: 'fieldsKnown' }
  /** Rows of an entity that become queryable are to be told, from a position on, or from now. */
  | {
      readonly kind: 'follow'
      readonly follower: number
      readonly question: LiveQuestion
      readonly from: LivePlace | null
    }
  | { readonly kind: 'unfollow'; readonly follower: number }
  | { readonly kind: 'wait'; readonly follower: number; readonly waits: boolean }
  /** Rows in memory are sealed first, in so much time at most; a second one may leave less. */
  | { readonly kind: 'close'; readonly sealMs: number }

/** An error that crosses the threads: a Problem with its code, anything else with `code` null. */
export interface SentError {
  readonly code: ProblemCode | null
  readonly message: string
  readonly stack: string | undefined
  readonly errors: readonly ProblemError[] | undefined
}

/** What the thread waits for before it goes on: `space` on the disk of the data folder, or a `disk` that takes what is written. */
export type Awaited = 'space' | 'disk'

export type FromStore =
  /** The first message: where the pipeline begins, and what became of the rows before. */
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
      /** Of the entities that got rows. */
      readonly entityIds: readonly number[]
    }
  | { readonly kind: 'ready' }
  /** Rows brought fields; nothing more is validated until `fieldsKnown`. */
  | { readonly kind: 'fieldsMade' }
  /** Nothing more is validated until this is there; what is validated or sealed next takes it back. */
  | { readonly kind: 'waits'; readonly awaited: Awaited }
  /** Null where the store leaves it to the SQL engine. */
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerData | null }
  | { readonly kind: 'statistics'; readonly id: number; readonly statistics: EntityStatistics }
  | { readonly kind: 'tags'; readonly id: number; readonly page: TagPage }
  | { readonly kind: 'snapshot'; readonly id: number; readonly entities: readonly EntityFiles[] }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'live'; readonly news: LiveNews }
  | { readonly kind: 'event'; readonly event: ServiceEvent }
