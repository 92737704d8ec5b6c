import type { IngestCount } from '../../catalog/manifest.ts'
import type { Tally } from '../../ingest/pipeline.ts'
import type { IngestCounters } from '../../model/ingest.ts'

interface Count {
  /** Until what a start judges again is done, those alone that came meanwhile. */
  received: number
  judged: number
  rejected: number
}

/** The counters of all ingests. What was judged is counted anew from where the store begins, what was received is counted once. */
export class Counters {
  readonly #counts = new Map<number, Count>()
  #settled = false

  /** What a start judges again is done: what it judged is what had been received before, and no more than that. */
  settle(): void {
    for (const count of this.#counts.values()) count.received += count.judged
    this.#settled = true
  }

  get settled(): boolean {
    return this.#settled
  }

  get judgedRows(): number {
    let rows = 0
    for (const count of this.#counts.values()) rows += count.judged
    return rows
  }

  /** Rows of all ingests that are acknowledged and not judged yet. */
  get pendingRows(): number {
    let rows = 0
    for (const { received, judged } of this.#counts.values()) rows += Math.max(0, received - judged)
    return rows
  }

  /** The store begins: these were judged before, all others are judged anew. */
  restart(base: readonly IngestCount[]): void {
    for (const count of this.#counts.values()) {
      count.judged = 0
      count.rejected = 0
    }
    for (const { ingestId, judged, rejected } of base) {
      const count = this.#of(ingestId)
      count.judged = judged
      count.rejected = rejected
    }
  }

  accepted(ingestId: number, rows: number): void {
    this.#of(ingestId).received += rows
  }

  judged(tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      const count = this.#of(tally.ingestId)
      count.judged += tally.rows
      count.rejected += tally.rejected
    }
  }

  of(ingestId: number): IngestCounters {
    const { received, judged, rejected } = this.#counts.get(ingestId) ?? { received: 0, judged: 0, rejected: 0 }
    // Rows may be judged a moment before their push is counted here.
    const known = Math.max(received, judged)
    return { received: known, stored: judged - rejected, rejected, pending: known - judged }
  }

  #of(ingestId: number): Count {
    const known = this.#counts.get(ingestId)
    if (known !== undefined) return known
    const count = { received: 0, judged: 0, rejected: 0 }
    this.#counts.set(ingestId, count)
    return count
  }
}
