import type { ColumnType } from './column.ts'

export const deletionOperators = ['<', '<=', '>', '>=', '=', '!='] as const

/** Selects what a deletion hides among the rows pushed before it. */
export interface DeletionSelection {
  /** The tag that `ids` and `prefixes` filter. */
  readonly tag: string
  /** Same meaning as in `Selection`. */
  readonly ids: readonly string[] | null
  readonly prefixes: readonly string[] | null
  /** Both bounds are inclusive; null means unbounded. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** Metrics that read as null; null if whole rows are hidden. */
  readonly metrics: readonly DeletionMetric[] | null
  readonly where: DeletionCondition | null
}

export interface DeletionMetric {
  readonly name: string
  readonly type: ColumnType
}

/** A null value never meets a condition. */
export interface DeletionCondition {
  readonly metric: DeletionMetric
  readonly operator: (typeof deletionOperators)[number]
  readonly value: number | bigint | string | boolean
}

/** Rows hidden by a deletion on a cluster, where the rows themselves stay as they were pushed. */
export interface HiddenRows {
  readonly selection: DeletionSelection
  /** Positions of the rows pushed before the deletion, one range for each partition of the journal. */
  readonly pushed: readonly PositionRange[]
  /** Where newer rows replace older ones: the items that met the condition; all of their rows are hidden. Null if each row is tested separately. */
  readonly items: readonly HiddenItems[] | null
}

/** Rows hidden by a deletion of the catalog. Later deletions have higher ids. */
export interface HiddenByDeletion extends HiddenRows {
  readonly id: number
}

export interface PositionRange {
  readonly from: number
  /** Exclusive. */
  readonly before: number
}

/** Items of one combination of tag values; `tags` is keyed by tag name. */
export interface HiddenItems {
  readonly tags: Readonly<Record<string, string | null>>
  readonly times: readonly number[]
}

export interface Deletion {
  readonly id: number
  readonly entityId: number
  readonly selection: DeletionSelection
  readonly reason: string
  /** The subscriber who requested it. */
  readonly subscriber: string
  readonly createdMs: number
  /** Rows with a lower position were pushed before the deletion. On a cluster `HiddenRows.pushed` defines that, and this is its highest bound. */
  readonly position: number
  /** Number of rows it hid. */
  readonly rows: number
  /** When permanent removal of its rows began; null while the deletion can be undone. */
  readonly erasedMs: number | null
}

/** A deletion was made or undone. In the order of all rows, the change comes after the rows before `place`. */
export interface DeletionChange {
  /** Ascending across all entities. */
  readonly id: number
  readonly entityId: number
  readonly deletionId: number
  readonly place: number
  readonly isUndone: boolean
  readonly selection: DeletionSelection
}

/** On a cluster a change has one place for each partition of the entity's rows: the offset before which rows precede the change. */
export interface ClusterDeletionChange extends Omit<DeletionChange, 'place'> {
  readonly places: readonly number[]
}

export interface DeletionRequest
  extends Pick<Deletion, 'entityId' | 'selection' | 'reason' | 'subscriber' | 'createdMs'> {
  /** Positions of the rows pushed before it. */
  readonly pushed: readonly PositionRange[]
  /** Dry run: only counts the rows that would be hidden. */
  readonly isDry: boolean
  /** Upper limit for undoable deletions of the entity. */
  readonly deletionsMax: number
  /** Maximum wait before the deletion starts, in milliseconds. */
  readonly waitMs: number
}

export interface UndoRequest extends Pick<DeletionRequest, 'entityId' | 'waitMs'> {
  readonly deletionId: number
  readonly nowMs: number
}

/** `deletion` is null for a dry run. */
export interface DeletionOutcome {
  readonly rows: number
  readonly deletion: Deletion | null
}
