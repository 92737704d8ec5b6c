// What the processes of a cluster keep together. Definitions, access, rejected rows, items and secrets are as on one machine; there is no manifest,
// for Druid knows its own segments.
import type { CancelsElsewhere } from './cancels-elsewhere.ts'
import type { SharedCatalog } from './catalog.ts'
import type { ClusterDeletionCatalog } from './deletions.ts'
import type { PartitionCatalog, PartitionState } from './partitions.ts'
import type { PushKeyCatalog } from './push-keys.ts'

/** What may change under a process by another one's doing. */
export interface ClusterChangeListener {
  /** Ingests, entities, retention, dropped entities, deletions of rows. */
  definitions(version: number): void
  access(version: number): void
  /** All partitions, each time one of them got on. */
  partitions(partitions: readonly PartitionState[]): void
}

export interface ClusterChanges {
  /**
   * Tells what changed since it was called, at this process or another one: mostly at once, within two seconds while the database answers,
   * and when it answers again. The first call of each is the state at the beginning. Listeners must not throw.
   */
  listen(listener: ClusterChangeListener): void
}

export interface ClusterCatalog extends SharedCatalog {
  /** Pipelines keep what they validate by partition; `outcomes` is for replays. */
  readonly partitions: PartitionCatalog
  readonly pushKeys: PushKeyCatalog
  readonly slotWaits: SlotWaitCatalog
  readonly deletions: ClusterDeletionCatalog
  readonly changes: ClusterChanges
  readonly cancelsElsewhere: CancelsElsewhere
  /** Throws Problem `unavailable` when the database does not answer. */
  ping(): Promise<void>
}

/** Which entities wait for slots of Druid, as the process knows that looked last. */
export interface SlotWaitCatalog {
  /** By entity, since when. */
  list(): Promise<ReadonlyMap<number, number>>
  /** Notes who waits now; who did before keeps its time. Whether that changed anything. */
  put(entityIds: readonly number[], nowMs: number): Promise<boolean>
}
