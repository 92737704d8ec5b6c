// The catalog that the processes of a cluster share. Definitions, access, rejected rows, items and secrets are the same as on one machine. There is no
// manifest, because Druid tracks its own segments.
import type { SharedCatalog } from './catalog.ts'
import type { ClusterDeletionCatalog } from './deletions.ts'
import type { PartitionCatalog, PartitionState } from './partitions.ts'
import type { PushKeyCatalog } from './push-keys.ts'

/** Notified when another process changes the shared state. */
export interface ClusterChangeListener {
  /** Ingests, entities, retention, dropped entities or deletions of rows have changed. */
  definitions(version: number): void
  access(version: number): void
  /** Receives all partitions whenever one of them advances. */
  partitions(partitions: readonly PartitionState[]): void
}

export interface ClusterChanges {
  /**
   * Reports changes made by this process or another one after this call: usually at once, within two seconds while the database responds, and after it
   * responds again. The first call of each method reports the initial state. Listeners must not throw.
   */
  listen(listener: ClusterChangeListener): void
}

export interface ClusterCatalog extends SharedCatalog {
  /** Pipelines store validation outcomes by partition; `outcomes` is for replays. */
  readonly partitions: PartitionCatalog
  readonly pushKeys: PushKeyCatalog
  readonly slotWaits: SlotWaitCatalog
  readonly deletions: ClusterDeletionCatalog
  readonly changes: ClusterChanges
  readonly cancelsElsewhere: CancelsElsewhere
  /** Throws Problem `unavailable` when the database does not respond. */
  ping(): Promise<void>
}

/** Entities that wait for slots of Druid, as recorded by the process that last checked. */
export interface SlotWaitCatalog {
  /** The start of the wait in milliseconds since the epoch, by entity id. */
  list(): Promise<ReadonlyMap<number, number>>
  /** Records the entities that wait now; those that waited before keep their time. Returns whether the set changed. */
  put(entityIds: readonly number[], nowMs: number): Promise<boolean>
}

/** A query that runs under an id chosen by its caller. */
export interface NamedQuery {
  readonly id: string
  readonly readerId: string
}

/** Cancels queries that run in other processes. */
export interface CancelsElsewhere {
  /**
   * Cancels the query if another process runs it, and returns whether one did. Throws Problem `unavailable` while the database is away, and `overloaded` when
   * too many cancellations are pending.
   */
  cancel(query: NamedQuery): Promise<boolean>
  /** Sets the handler for cancellations from other processes: `cancel` returns whether the query ran here. It must not throw. */
  listen(cancel: (query: NamedQuery) => boolean): void
}
