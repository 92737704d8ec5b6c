import type { Interval } from '../../druid-time/iso.ts'
import type { Sql } from '../../lib/sql-text.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'

/** The first and the last row of a UTC day that has rows. */
export interface DayBounds {
  readonly minMs: number
  readonly maxMs: number
}

/** A series entity as native queries see it. */
export interface NativeTable {
  readonly name: string
  /** In the order of the entity's fields, without `__time`. Values come from the relation `t`. */
  readonly columns: readonly {
    readonly name: string
    readonly type: 'STRING' | 'LONG' | 'DOUBLE'
    readonly value: Sql
  }[]
  /** The column of `__time`, a TIMESTAMP WITH TIME ZONE of the relation `t`, as it lies in files: the engine knows its bounds in them. */
  readonly time: Sql
  /** What tells which of two rows of one time was pushed later: a number of the relation `t`, the higher the later. */
  readonly position: Sql
  /** What stands after FROM, before `AS t`: the rows of one interval, or of several intervals and perhaps of the time between them. */
  from(intervals: readonly Interval[], newestFirst: boolean): Sql
}

/** Runs what native queries become. */
export interface NativeEngine {
  /** The table of a name; null where there is none that the caller may read. */
  table(name: string): Promise<NativeTable | null>
  /** The days that have rows, oldest first. */
  days(table: NativeTable): Promise<readonly DayBounds[]>
  /** The rows of a statement in parts, as they come. Throws EngineRefusal, LongOverflow, and the reason when the query is aborted. */
  run(statement: Sql): AsyncIterable<readonly EngineRow[]>
}

export interface NativeLimits {
  readonly rowsMax: number
  readonly bucketsMax: number
  /** Of rows that are held at once. */
  readonly bytesMax: number
}
