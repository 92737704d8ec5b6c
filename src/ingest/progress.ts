import type { IngestCounters } from '../model/ingest.ts'

export interface AcceptedPush {
  readonly ingestId: number
  readonly position: number
  readonly rows: number
}

/** The pipeline's progress through the journal. */
export interface IngestProgress {
  /**
   * The pipeline's position in the partition of this position: rows from there up to the returned position are validated, that is stored and queryable,
   * or kept as rejected. A journal with a single order has one partition.
   */
  processedThrough(position: number): number
  /** Resolves when rows before `position` are validated; rejects with the signal's reason when it is aborted. */
  waitFor(position: number, signal: AbortSignal): Promise<void>
  /** Throws as `requireCounted` does. */
  counters(ingestId: number): IngestCounters
  /** Rows of an ingest that arrived through this process and are not validated yet; null while counts are incomplete. */
  pendingOf(ingestId: number): number | null
  /** Throws Problem `unavailable` while the counts of `counters` are incomplete. */
  requireCounted(): void
  /** Counts rows of an ingest that the journal accepted; its other counters change when the rows are validated. */
  accepted(push: AcceptedPush): void
}
