import type { ComparisonOperator } from '../lib/comparison-operator.ts'
import type { ColumnType } from './column.ts'

/** What a deletion takes from view, of the rows that were pushed before it. */
export interface DeletionSelection {
  /** The tag that `ids` and `prefixes` are of. */
  readonly tag: string
  /** As of `Selection`. */
  readonly ids: readonly string[] | null
  readonly prefixes: readonly string[] | null
  /** Both dates belong to it; null is no bound. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** The metrics that read as null; null where rows are not seen at all. */
  readonly metrics: readonly DeletionMetric[] | null
  readonly where: DeletionCondition | null
}

export interface DeletionMetric {
  readonly name: string
  readonly type: ColumnType
}

/** No null meets one. */
export interface DeletionCondition {
  readonly metric: DeletionMetric
  readonly operator: ComparisonOperator
  readonly value: number | bigint | string | boolean
}

export interface Deletion {
  readonly id: number
  readonly entityId: number
  readonly selection: DeletionSelection
  readonly reason: string
  /** The subscriber who asked for it; null is the administrator. */
  readonly subscriber: string | null
  readonly createdMs: number
  /** How many rows it took from view. */
  readonly rows: number
  /** When its rows were removed for good; null while it can be taken back. */
  readonly erasedMs: number | null
}
