import type { IngestCounters } from '../model/ingest.ts'

export interface AcceptedPush {
  readonly ingestId: number
  readonly position: number
  readonly rows: number
}

/** How far the pipeline has come behind the journal. */
export interface IngestProgress {
  /**
   * How far the pipeline has come in the partition that this position lies in: rows from there up to the answer are validated, which is stored and
   * queryable, or kept as rejected. A journal that is one order has one partition.
   */
  processedThrough(position: number): number
  /** Resolves once rows before `position` are validated; rejects with the signal's reason when it is aborted. */
  waitFor(position: number, signal: AbortSignal): Promise<void>
  /** Throws as `requireCounted` does. */
  counters(ingestId: number): IngestCounters
  /** Rows of an ingest that came through this process and are not validated yet; null as long as not all is known. */
  pendingOf(ingestId: number): number | null
  /** Throws Problem `unavailable` as long as not all is known that `counters` counts. */
  requireCounted(): void
  /** Rows of an ingest that the journal has taken; the rest of its counters follow when they are validated. */
  accepted(push: AcceptedPush): void
}
