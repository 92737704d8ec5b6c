// A query of SQL that the store answers from its own columns, as plain data: what is aggregated, and what becomes of the groups.

import type { AggregationPlan } from '../../algebra/aggregation.ts'
import type { GroupFinish } from '../../algebra/finish-groups.ts'
import type { Scalar } from '../../algebra/scalar.ts'
import type { ScanPlan } from '../../algebra/scan-plan.ts'
import type { AnswerFormat } from '../../model/answer-format.ts'
import type { TypedDruidLayout } from '../../model/druid-layout.ts'
import type { EntityField } from '../../model/entity.ts'

export interface SqlPlan extends GroupFinish {
  readonly aggregation: AggregationPlan
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  /** Of each column. */
  readonly outputs: readonly Scalar[]
  /** How many values are worked out of each group, those in between too. */
  readonly steps: number
  /** Whether there is a group of no rows too: nothing is grouped by. */
  readonly isOneGroup: boolean
}

/** A query for rows as they are. */
export interface SqlScanPlan {
  readonly scan: ScanPlan
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  /** Of each column, from the scan's rows. */
  readonly outputs: readonly Scalar[]
  /** How many values are worked out of each row, those that are there already too. */
  readonly steps: number
  /** Of the scan's rows, which begin at the first, those before are left out. */
  readonly offset: number
}

/** What the store answers. */
export type PlannedSql = SqlPlan | SqlScanPlan

/** The same as a question to the store. */
export interface PlannedSqlQuery {
  readonly language: 'sql'
  readonly plan: PlannedSql
  readonly format: AnswerFormat | TypedDruidLayout
}
