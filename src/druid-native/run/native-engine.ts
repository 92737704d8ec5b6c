import type { Interval } from '../../druid-time/iso.ts'
import type { Sql } from '../../lib/sql-text.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'

/** The times of the first and last row of a UTC day with rows. */
export interface DayBounds {
  readonly minMs: number
  readonly maxMs: number
}

/** A series entity as a table of native queries. */
export interface NativeTable {
  readonly name: string
  /** In the order of the entity's fields, without `__time`. Values are columns of the relation `t`. */
  readonly columns: readonly {
    readonly name: string
    readonly type: 'STRING' | 'LONG' | 'DOUBLE'
    readonly value: Sql
  }[]
  /** The column of `__time` in the relation `t`, as stored in files (TIMESTAMP WITH TIME ZONE), so that the engine can use its bounds there. */
  readonly time: Sql
  /** Position of a row, a number column of the relation `t`: of two rows at one time, the higher was pushed later. */
  readonly position: Sql
  /** The SQL between FROM and `AS t`: the rows of the intervals, possibly including rows between them. */
  from(intervals: readonly Interval[], newestFirst: boolean): Sql
}

/** Runs the SQL that native queries are compiled to. */
export interface NativeEngine {
  /** The table of this name; null if there is none that the caller may read. */
  table(name: string): Promise<NativeTable | null>
  /** The days that have rows, oldest first. */
  days(table: NativeTable): Promise<readonly DayBounds[]>
  /** The rows of a statement in batches, as they arrive. Throws EngineRefusal, LongOverflow, and the abort reason if the query is aborted. */
  run(statement: Sql): AsyncIterable<readonly EngineRow[]>
}

export interface NativeLimits {
  readonly rowsMax: number
  readonly bucketsMax: number
  /** Limit of the rows held in memory at once. */
  readonly bytesMax: number
}
