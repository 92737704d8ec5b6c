// An SQL query that the store answers from its own columns, as plain data: the aggregation, and how its groups are finished.

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
  /** One for each column. */
  readonly outputs: readonly Scalar[]
  /** The number of values computed for each group, including intermediate ones. */
  readonly steps: number
  /** Whether the query has no grouping keys, so that there is one group even without rows. */
  readonly isOneGroup: boolean
}

/** A query for plain rows. */
export interface SqlScanPlan {
  readonly scan: ScanPlan
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  /** One for each column, computed from the scan's rows. */
  readonly outputs: readonly Scalar[]
  /** The number of values that are read or computed for each row. */
  readonly steps: number
  /** The number of rows to skip at the start of the scan's rows. */
  readonly offset: number
}

/** A plan of a query that the store answers. */
export type PlannedSql = SqlPlan | SqlScanPlan

/** The same as a query to the store. */
export interface PlannedSqlQuery {
  readonly language: 'sql'
  readonly plan: PlannedSql
  readonly format: AnswerFormat | TypedDruidLayout
}
