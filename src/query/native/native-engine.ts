import type { Sql } from '../../lib/sql-text.ts'

/** A value as an engine gives it: a BIGINT is a bigint, a DOUBLE or FLOAT a number (NaN and the infinities too), a list an array. */
export type EngineValue = null | boolean | number | bigint | string | readonly EngineValue[]

/** The first and the last row of a UTC day that has rows. */
export interface DayBounds {
  readonly minMs: number
  readonly maxMs: number
}

/** A series entity as native queries see it. */
export interface NativeTable {
  readonly name: string
  /** In the order of the entity's fields, without `__time`. */
  readonly columns: readonly { readonly name: string; readonly type: 'STRING' | 'LONG' | 'DOUBLE' | 'BOOLEAN' }[]
  /** What stands after FROM: a relation with `__time` and the columns by their names. */
  readonly from: Sql
  readonly timeType: 'TIMESTAMP' | 'TIMESTAMPTZ'
}

/** Runs what native queries become. */
export interface NativeEngine {
  /** The table of a name; null where there is none that the caller may read. */
  table(name: string): Promise<NativeTable | null>
  /** The days that have rows, oldest first. */
  days(table: NativeTable): Promise<readonly DayBounds[]>
  /** All rows of a statement. Throws the engine's own errors. */
  run(statement: Sql): Promise<readonly (readonly EngineValue[])[]>
}

export interface NativeLimits {
  readonly rowsMax: number
  readonly bucketsMax: number
}
