import type { ColumnType } from './column.ts'

export const deletionOperators = ['<', '<=', '>', '>=', '=', '!='] as const

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
  readonly operator: (typeof deletionOperators)[number]
  readonly value: number | bigint | string | boolean
}

export interface Deletion {
  readonly id: number
  readonly entityId: number
  readonly selection: DeletionSelection
  readonly reason: string
  /** The subscriber who asked for it. */
  readonly subscriber: string
  readonly createdMs: number
  /** Rows before it were pushed before the deletion. */
  readonly position: number
  /** How many rows it took from view. */
  readonly rows: number
  /** From when on its rows are removed for good; null while it can be taken back. */
  readonly erasedMs: number | null
}

export interface DeletionRequest
  extends Pick<Deletion, 'entityId' | 'selection' | 'reason' | 'subscriber' | 'createdMs'> {
  /** Nothing is changed: what it would take is counted. */
  readonly isDry: boolean
  /** The most deletions of the entity that can be taken back. */
  readonly deletionsMax: number
}

/** `deletion` is null for a dry one. */
export interface DeletionOutcome {
  readonly rows: number
  readonly deletion: Deletion | null
}
