import type { IngestCounters } from '../model/ingest.ts'

/** How far the pipeline has come behind the journal. */
export interface IngestProgress {
  /** Rows before this position are judged: stored and queryable, or kept as rejected. */
  readonly processedPosition: number
  /** Resolves once rows before `position` are judged; rejects with the signal's reason when it is aborted. */
  waitFor(position: number, signal: AbortSignal): Promise<void>
  counters(ingestId: number): IngestCounters
  /** Rows of an ingest that the journal has taken; the rest of its counters follow when they are judged. */
  accepted(ingestId: number, rows: number): void
}
