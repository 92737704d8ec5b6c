// Queries and events of live readers, between the thread that stores rows and the one that serves HTTP.
import type { DeletionChange } from '../model/deletion.ts'
import type { EntityField } from '../model/entity.ts'
import type { SelectPlan } from '../model/plan.ts'

/** A place in the order in which rows become queryable, as text: a journal position, or on a cluster one offset per partition, and a deletion change. */
export type LiveStart = string

export interface LiveQuery {
  /** Selects the rows and the output of each; its range is open. */
  readonly plan: SelectPlan
  /** All tags of the entity, which identify an item, if newer rows replace older ones; else null. */
  readonly itemTags: readonly [EntityField, ...EntityField[]] | null
}

/** Rows that became queryable, as a JSON array in their order. */
export interface SentRows<Position = number> {
  readonly items: string
  /** A reader that resumes from this position misses no row and receives none twice. */
  readonly position: Position
}

/** A deletion of the entity, or its undoing. */
export type SentDeletion = Pick<DeletionChange, 'deletionId' | 'isUndone' | 'selection'>

/** A part of the new rows, for all followers with the same query and position, or for all that none of its rows concern. */
export interface LiveUpdate<Position = number> {
  readonly followers: readonly number[]
  /** Empty if the entity has new rows but these followers selected none of them. */
  readonly rows: readonly SentRows<Position>[]
  /** Replaces rows: a deletion to send before the next rows. */
  readonly deletion?: SentDeletion
  /** All rows before this position have been sent. */
  readonly position: Position
}

/** Receives live rows. A row's position is that of its push in the journal, or that of its replay if it was replayed. */
export interface Follower<Position = number> {
  /** Called first, and again when the store was restarted: rows from this position on will be sent. */
  following(position: Position): void
  update(update: LiveUpdate<Position>): void
  /** All stored rows have been sent; from now on rows are sent as they arrive. */
  caughtUp(): void
  /** The journal no longer has the next rows: nothing more is sent. */
  lost(): void
}

export interface Following {
  /** While it waits nothing is sent, unless it has caught up: then rows are sent regardless. */
  wait(waits: boolean): void
  end(): void
}

export interface LiveRows<Position = number> {
  /** Follows from a position on; null means from now. Throws Problem `unavailable` while live rows are unavailable. */
  follow(question: LiveQuery, from: Position | null, follower: Follower<Position>): Following | Promise<Following>
}

/** Issues and resolves the ids from which readers resume. */
export interface LiveIds<Position = number> {
  /** A reader begins. Await this before anything is sent to it. */
  begin(): Promise<void>
  end(): void
  idOf(entityId: number, position: Position): string
  /** The position from which to send rows to a reader with this id; null if it is no longer known. */
  startOf(entityId: number, id: string): Promise<Position | null>
}
