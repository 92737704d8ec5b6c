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

/** What a deletion hides where rows stay as they were pushed: on a cluster. */
export interface HiddenRows {
  readonly selection: DeletionSelection
  /** Where the rows stand that were pushed before it: one range for each partition of the journal. */
  readonly pushed: readonly PositionRange[]
  /** The items that met its condition, all rows of which it takes, where newer rows replace older ones; null where each row is judged by itself. */
  readonly items: readonly HiddenItems[] | null
}

/** What a deletion of the catalog hides; those made later have a higher id. */
export interface HiddenByDeletion extends HiddenRows {
  readonly id: number
}

export interface PositionRange {
  readonly from: number
  /** It is not included. */
  readonly before: number
}

/** Items of one combination of tags, by the tags' names. */
export interface HiddenItems {
  readonly tags: Readonly<Record<string, string | null>>
  readonly times: readonly number[]
}

export interface Deletion {
  readonly id: number
  readonly entityId: number
  readonly selection: DeletionSelection
  readonly reason: string
  /** The subscriber who asked for it. */
  readonly subscriber: string
  readonly createdMs: number
  /** Rows before it were pushed before the deletion; on a cluster, where `HiddenRows` say that, the highest of theirs. */
  readonly position: number
  /** How many rows it took from view. */
  readonly rows: number
  /** From when on its rows are removed for good; null while it can be taken back. */
  readonly erasedMs: number | null
}

/** A deletion was made, or taken back: at its place in the order of all rows, of which it follows those before the place. */
export interface DeletionChange {
  /** Rising with the changes of all entities. */
  readonly id: number
  readonly entityId: number
  readonly deletionId: number
  readonly place: number
  readonly isUndone: boolean
  readonly selection: DeletionSelection
}

/** One of a cluster has its place in each partition of the entity's rows: the offset that it follows the rows before. */
export interface ClusterDeletionChange extends Omit<DeletionChange, 'place'> {
  readonly places: readonly number[]
}

export interface DeletionRequest
  extends Pick<Deletion, 'entityId' | 'selection' | 'reason' | 'subscriber' | 'createdMs'> {
  /** Where the rows stand that were pushed before it. */
  readonly pushed: readonly PositionRange[]
  /** Nothing is changed: what it would take is counted. */
  readonly isDry: boolean
  /** The most deletions of the entity that can be taken back. */
  readonly deletionsMax: number
  /** How long it may wait until it begins. */
  readonly waitMs: number
}

export interface TakeBackRequest extends Pick<DeletionRequest, 'entityId' | 'waitMs'> {
  readonly deletionId: number
  readonly nowMs: number
}

/** `deletion` is null for a dry one. */
export interface DeletionOutcome {
  readonly rows: number
  readonly deletion: Deletion | null
}
