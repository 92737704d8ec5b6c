// What a query for rows as they are means, as plain data, where the store can answer it from its own columns. Native scans and SQL compile to
// it as far as they can; what they cannot goes to the SQL engine.

import type { EntityField } from '../model/entity.ts'
import type { AskedRows, GroupValue } from './aggregation.ts'

export interface ScanPlan extends AskedRows {
  /** What a row shows beside its time. Rows of one time are in the order of these, null first. */
  readonly columns: readonly EntityField[]
  readonly isDescending: boolean
  /** The first so many are wanted. Null is all. */
  readonly limit: number | null
  /** More rows are not kept: another way is taken then. */
  readonly rowsMax: number
  /** Nor is more work done: about a row looked at, for each thing that is asked of it, is a unit. */
  readonly unitsMax: number
}

/** A time, then the values of the columns: a long or a truth value is a `bigint`, a time its milliseconds. */
export type ScannedRow = readonly GroupValue[]

/** Fewer than for groups: what few rows pass is better asked of the SQL engine, which reads the columns of the condition alone. */
export const scanUnitsMax = 4_000_000
