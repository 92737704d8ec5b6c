import type {
  ClusterDeletionChange,
  Deletion,
  DeletionChange,
  HiddenByDeletion,
  HiddenRows,
} from '../model/deletion.ts'
import type { StoredVector } from './manifest.ts'

export interface DeletionCatalog {
  /** Deletions of an entity, newest first, without those that were taken back. */
  list(entityId: number): Promise<readonly Deletion[]>
  /** Deletions of all entities. */
  all(): Promise<readonly Deletion[]>
  /** Ordered by deletion and file. Throws an Error when a stored vector is damaged. */
  vectors(): Promise<readonly StoredVector[]>
  /** Stores a deletion with its vectors in one transaction, which is on disk before this resolves. */
  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    vectors: readonly Omit<StoredVector, 'deletionId'>[],
  ): Promise<{ readonly deletion: Deletion; readonly change: DeletionChange }>
  /** Removes a deletion with its vectors; the returned change has the given place. Null when there is no deletion that can be taken back. */
  takeBack(entityId: number, id: number, place: number, nowMs: number): Promise<DeletionChange | null>
  /** Changes of all entities that are not forgotten yet, ordered by id. */
  changes(): Promise<readonly DeletionChange[]>
  /** The id of the last change. */
  lastChange(): Promise<number>
  /** Whether an entity has a change later than `changeId` that was made before a date. */
  hasChanged(entityId: number, changeId: number, beforeMs: number): Promise<boolean>
  /** Forgets changes made before a date, except the last such change of each entity. */
  forgetChanges(beforeMs: number): Promise<void>
  /** Marks deletions made up to a date, and not marked yet, so that their rows are removed from now on. Returns the number marked. */
  erase(beforeMs: number, nowMs: number): Promise<number>
}

/** A deletion of a cluster that is being made or taken back. Other deletions of its entity, and live readers of it, wait until it is done. */
export interface DeletionInProgress {
  readonly entityId: number
  /** Unique to this operation. */
  readonly name: string
}

/** How a change of deletions is published to live readers, and the date before which earlier changes are forgotten. */
export interface PublishedChange {
  readonly underWay: DeletionInProgress
  readonly places: ClusterDeletionChange['places']
  readonly madeMs: number
  readonly forgetBeforeMs: number
}

/** Deletions that the processes of a cluster share. */
export interface ClusterDeletionCatalog extends Pick<DeletionCatalog, 'list' | 'lastChange' | 'hasChanged'> {
  /** Returns false while another deletion of the entity is in progress. Expires automatically after `leaseMs` unless renewed. */
  begin(underWay: DeletionInProgress, leaseMs: number): Promise<boolean>
  renew(underWay: DeletionInProgress, leaseMs: number): Promise<void>
  /** Ends the operation if it failed. Does nothing after it has succeeded. */
  end(underWay: DeletionInProgress): Promise<void>
  /** Changes of an entity later than `changeId`, ordered by id: all made before an operation in progress began, or before this call if there is none. */
  changesAfter(
    entityId: number,
    changeId: number,
  ): Promise<{ readonly changes: readonly ClusterDeletionChange[]; readonly isUnderWay: boolean }>
  /** Returns false when there is no such deletion. Throws Problem `unavailable` when the operation is no longer in progress. */
  takeBack(id: number, change: PublishedChange): Promise<boolean>
  /** Hidden rows by entity id, in the order of the deletions. */
  hidden(): Promise<ReadonlyMap<number, readonly HiddenByDeletion[]>>
  /**
   * Throws Problem `not_found` when the entity was dropped, `conflict` when it already has `deletionsMax` deletions or they would note more than `itemsMax`
   * items, `unavailable` when the operation is no longer in progress.
   */
  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    hidden: Omit<HiddenRows, 'selection'>,
    bounds: { readonly deletionsMax: number; readonly itemsMax: number },
    change: PublishedChange,
  ): Promise<Deletion>
}
