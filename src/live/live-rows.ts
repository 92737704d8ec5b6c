// What a reader of live rows asks for, and what it is told: between the thread that stores rows and the one that speaks HTTP.
import type { EntityField } from '../model/entity.ts'
import type { SelectPlan } from '../model/plan.ts'

export interface LiveQuestion {
  /** Which rows, and what is shown of them; its range is open. */
  readonly plan: SelectPlan
  /** Where newer rows replace older ones: all tags of the entity, by which an item is told from others. Else null. */
  readonly itemTags: readonly [EntityField, ...EntityField[]] | null
}

/** Rows that became queryable, as an array of JSON in their order. */
export interface ToldRows {
  readonly items: string
  /** Whoever goes on from this position misses none and is told none twice. */
  readonly position: number
}

/** A part of what became queryable, for all followers who ask the same and have come equally far, or for all whom no row of it concerns. */
export interface Told {
  readonly followers: readonly number[]
  /** Empty where the entity has new rows, and none of them was asked for. */
  readonly rows: readonly ToldRows[]
  /** All rows before it are told. */
  readonly position: number
}

/** Who is told. Positions are those of the journal: a row has that of its push, one that was replayed that of the replay. */
export interface Follower {
  /** Called once, before all else: rows from this position on will be told. */
  following(position: number): void
  told(told: Told): void
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

export interface LiveRows {
  /** From a position on; null is from now. Throws Problem `unavailable` while no rows are told. */
  follow(question: LiveQuestion, from: number | null, follower: Follower): Following
}
