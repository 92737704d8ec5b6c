// What a reader of live rows asks for, and what it is told: between the thread that stores rows and the one that speaks HTTP.
import type { DeletionChange } from '../model/deletion.ts'
import type { EntityField } from '../model/entity.ts'
import type { SelectPlan } from '../model/plan.ts'

/** A place in the order in which rows become queryable, as text: a position of the journal with a change of deletions, or of a cluster one in each partition. */
export type LivePosition = string

export interface LiveQuestion {
  /** Which rows, and what is shown of them; its range is open. */
  readonly plan: SelectPlan
  /** Where newer rows replace older ones: all tags of the entity, by which an item is told from others. Else null. */
  readonly itemTags: readonly [EntityField, ...EntityField[]] | null
}

/** Rows that became queryable, as an array of JSON in their order. */
export interface ToldRows<Position = number> {
  readonly items: string
  /** Whoever goes on from this position misses none and is told none twice. */
  readonly position: Position
}

/** A deletion of the entity, or its taking back. */
export type ToldDeletion = Pick<DeletionChange, 'deletionId' | 'isUndone' | 'selection'>

/** A part of what became queryable, for all followers who ask the same and have come equally far, or for all whom no row of it concerns. */
export interface Told<Position = number> {
  readonly followers: readonly number[]
  /** Empty where the entity has new rows, and none of them was asked for. */
  readonly rows: readonly ToldRows<Position>[]
  /** In the place of rows: what is to be told before the next ones. */
  readonly deletion?: ToldDeletion
  /** All rows before it are told. */
  readonly position: Position
}

/** Who is told. In the journal a row has the position of its push, one that was replayed that of the replay. */
export interface Follower<Position = number> {
  /** Called before all else, and again when the store was restarted: rows from this position on will be told. */
  following(position: Position): void
  told(told: Told<Position>): void
  /** What the store has is told; from now on rows are told as they come. */
  caughtUp(): void
  /** The journal does not hold the rows any more that would be next: nothing more is told. */
  lost(): void
}

export interface Following {
  /** While it waits nothing more is told, unless it has caught up: then it is told all the same. */
  wait(waits: boolean): void
  end(): void
}

export interface LiveRows<Position = number> {
  /** From a position on; null is from now. Throws Problem `unavailable` while no rows are told. */
  follow(question: LiveQuestion, from: Position | null, follower: Follower<Position>): Following | Promise<Following>
}

/** Where readers may go on. */
export interface LiveIds<Position = number> {
  /** A reader begins. To be awaited before it is told anything. */
  begin(): Promise<void>
  end(): void
  idOf(entityId: number, position: Position): string
  /** From where on rows are to be told to whoever shows this id; null where that is not known any more. */
  startOf(entityId: number, id: string): Promise<Position | null>
}
