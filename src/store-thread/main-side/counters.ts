import type { IngestCount } from '../../catalog/manifest.ts'
import type { Tally } from '../../ingest/pipeline.ts'
import type { IngestCounters } from '../../model/ingest.ts'

interface Count {
  /** Until the start has validated the journal again, only rows that were received meanwhile. */
  received: number
  validated: number
  rejected: number
}

/** The counters of all ingests. Validated rows are counted again from the position at which the store starts; received rows are counted once. */
export class Counters {
  readonly #counts = new Map<number, Count>()
  #settled = false

  /** Called when the start has validated the journal again. The rows validated so far are exactly those received before the start. */
  settle(): void {
    for (const count of this.#counts.values()) count.received += count.validated
    this.#settled = true
  }

  get settled(): boolean {
    return this.#settled
  }

  get validatedRows(): number {
    let rows = 0
    for (const count of this.#counts.values()) rows += count.validated
    return rows
  }

  /** Rows of all ingests that are acknowledged but not validated yet. */
  get pendingRows(): number {
    let rows = 0
    for (const { received, validated } of this.#counts.values()) rows += Math.max(0, received - validated)
    return rows
  }

  /** Called when the store starts: these rows were validated before, all others are validated again. */
  restart(base: readonly IngestCount[]): void {
    for (const count of this.#counts.values()) {
      count.validated = 0
      count.rejected = 0
    }
    for (const { ingestId, validated, rejected } of base) {
      const count = this.#of(ingestId)
      count.validated = validated
      count.rejected = rejected
    }
  }

  accepted(ingestId: number, rows: number): void {
    this.#of(ingestId).received += rows
  }

  validated(tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      const count = this.#of(tally.ingestId)
      count.validated += tally.rows
      count.rejected += tally.rejected
    }
  }

  of(ingestId: number): IngestCounters {
    const { received, validated, rejected } = this.#counts.get(ingestId) ?? { received: 0, validated: 0, rejected: 0 }
    // Rows may be validated a moment before their push is counted here.
    const known = Math.max(received, validated)
    return { received: known, stored: validated - rejected, rejected, pending: known - validated }
  }

  #of(ingestId: number): Count {
    const known = this.#counts.get(ingestId)
    if (known !== undefined) return known
    const count = { received: 0, validated: 0, rejected: 0 }
    this.#counts.set(ingestId, count)
    return count
  }
}
