// A query of SQL that the store answers from its own columns, as plain data: what is aggregated, and what becomes of the groups.

import type { PlannedCondition, PlannedType, PlannedValue } from '../../druid-values/planned-value.ts'
import type { ValueOrder } from '../../lib/value-order.ts'
import type { AggregationPlan } from '../../model/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import type { ScanPlan } from '../../model/scan-plan.ts'

/** Of a field that is grouped by. */
export function plannedType({ type }: EntityField): Exclude<PlannedType, 'timestamp'> {
  return type === 'long' || type === 'double' ? type : 'string'
}

export interface PlannedOrder extends ValueOrder {
  readonly value: PlannedValue
}

export interface SqlPlan {
  readonly aggregation: AggregationPlan
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  /** Of each column. */
  readonly outputs: readonly PlannedValue[]
  /** How many values are worked out of each group, those in between too. */
  readonly steps: number
  /** Whether there is a group of no rows too: nothing is grouped by. */
  readonly isOneGroup: boolean
  readonly having: PlannedCondition | null
  readonly order: readonly PlannedOrder[]
  readonly offset: number
  /** Null is all. */
  readonly limit: number | null
}

/** A query for rows as they are. */
export interface SqlScanPlan {
  readonly scan: ScanPlan
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  /** Of each column, from the scan's rows. */
  readonly outputs: readonly PlannedValue[]
  /** How many values are worked out of each row, those that are there already too. */
  readonly steps: number
  /** Of the scan's rows, which begin at the first, those before are left out. */
  readonly offset: number
}

/** What the store answers. */
export type PlannedSql = SqlPlan | SqlScanPlan
