import type {
  ClusterDeletionChange,
  Deletion,
  DeletionChange,
  HiddenByDeletion,
  HiddenRows,
} from '../model/deletion.ts'
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

/** A deletion of a cluster that is being made or taken back: others of its entity, and live readers of it, wait until it is done. */
export interface UnderWay {
  readonly entityId: number
  /** Nobody else's. */
  readonly name: string
}

/** How a change of deletions is published to live readers, and from when on those before are. */
export interface PublishedChange {
  readonly underWay: UnderWay
  readonly places: ClusterDeletionChange['places']
  readonly madeMs: number
  readonly forgetBeforeMs: number
}

/** What processes of a cluster keep together. */
export interface ClusterDeletionCatalog extends Pick<DeletionCatalog, 'list' | 'lastChange' | 'hasChanged'> {
  /** False while another one of the entity is under way. It ends by itself after `leaseMs`, unless it is renewed. */
  begin(underWay: UnderWay, leaseMs: number): Promise<boolean>
  renew(underWay: UnderWay, leaseMs: number): Promise<void>
  /** Nothing came of it, or it is done: then there is nothing to end. */
  end(underWay: UnderWay): Promise<void>
  /** The changes of an entity behind this one, in their order: all that were made before a change under way began, or before this call where none is. */
  changesAfter(
    entityId: number,
    changeId: number,
  ): Promise<{ readonly changes: readonly ClusterDeletionChange[]; readonly isUnderWay: boolean }>
  /** False when there is no such deletion. Throws Problem `unavailable` where it is not under way any more. */
  takeBack(id: number, change: PublishedChange): Promise<boolean>
  /** What is hidden, by entity id; in the order of the deletions. */
  hidden(): Promise<ReadonlyMap<number, readonly HiddenByDeletion[]>>
  /**
   * Throws Problem `not_found` where the entity was dropped, `conflict` where it has as many deletions as it may have, or where these would note
   * more items, `unavailable` where it is not under way any more.
   */
  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    hidden: Omit<HiddenRows, 'selection'>,
    bounds: { readonly deletionsMax: number; readonly itemsMax: number },
    change: PublishedChange,
  ): Promise<Deletion>
}
