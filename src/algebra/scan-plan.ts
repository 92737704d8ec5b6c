// A query for rows as plain data, as far as the store can answer it from its own columns. Native scans and SQL compile to it where they can; other
// queries go to the SQL engine.

import type { EntityField } from '../model/entity.ts'
import type { GroupValue, SelectedRows } from './aggregation.ts'

export interface ScanPlan extends SelectedRows {
  /** The columns of a row in addition to its time. Rows of the same time are ordered by them, null first. */
  readonly columns: readonly EntityField[]
  readonly isDescending: boolean
  /** The number of rows to return, from the first on. Null for all. */
  readonly limit: number | null
  /** With more rows to keep than this, the SQL engine runs the query in place of the store. */
  readonly rowsMax: number
  /** The same applies to more work than this. A unit is about one row read, for each condition. */
  readonly unitsMax: number
}

/** A time, then the values of the columns. A long or a boolean is a `bigint`, a time its milliseconds. */
export type ScannedRow = readonly GroupValue[]

/** Less than for groups: a condition that few rows pass is better left to the SQL engine, which reads only the condition's columns. */
export const scanUnitsMax = 4_000_000
