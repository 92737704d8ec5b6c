import type { Deletion, DeletionChange, HiddenRows } from '../model/deletion.ts'
import type { StoredVector } from './manifest.ts'

export interface DeletionCatalog {
  /** Of an entity, newest first; those that were taken back are not among them. */
  list(entityId: number): Promise<readonly Deletion[]>
  /** Those of all entities. */
  all(): Promise<readonly Deletion[]>
  /** By deletion and file. Throws an Error when what is kept is damaged. */
  vectors(): Promise<readonly StoredVector[]>
  /** A deletion with what it selects, in one transaction, on disk before this resolves. */
  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    vectors: readonly Omit<StoredVector, 'deletionId'>[],
  ): Promise<{ readonly deletion: Deletion; readonly change: DeletionChange }>
  /** With its vectors; the change has its place. Null when there is none that can be taken back. */
  takeBack(entityId: number, id: number, place: number, nowMs: number): Promise<DeletionChange | null>
  /** Of all entities, in their order, but for those that are forgotten. */
  changes(): Promise<readonly DeletionChange[]>
  /** The id of the last change. */
  lastChange(): Promise<number>
  /** Whether an entity has a change behind this one that was made before a date. */
  hasChanged(entityId: number, changeId: number, beforeMs: number): Promise<boolean>
  /** Forgets changes that were made before a date, but for the last one of them of each entity. */
  forgetChanges(beforeMs: number): Promise<void>
  /** Notes of those that were made before a date, and not noted so yet, that their rows are removed from now on; resolves with how many they are. */
  erase(beforeMs: number, nowMs: number): Promise<number>
}

/** What processes of a cluster keep together. */
export interface ClusterDeletionCatalog extends Pick<DeletionCatalog, 'list'> {
  /** False when there is no such deletion. */
  takeBack(entityId: number, id: number): Promise<boolean>
  /** What is hidden, by entity id. */
  hidden(): Promise<ReadonlyMap<number, readonly HiddenRows[]>>
  /**
   * Throws Problem `not_found` where the entity was dropped, `conflict` where it has as many deletions as it may have, or where these would note
   * more items.
   */
  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    hidden: Omit<HiddenRows, 'selection'>,
    bounds: { readonly deletionsMax: number; readonly itemsMax: number },
  ): Promise<Deletion>
}
