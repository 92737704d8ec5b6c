import type { IngestCount } from '../catalog/manifest.ts'
import type { Tally } from './pipeline.ts'

/** Counts of each ingest's validated and rejected rows, in the store's thread. */
export class IngestCounts {
  readonly #counts: Map<number, IngestCount>
  #changed = new Set<number>()

  constructor(base: readonly IngestCount[]) {
    this.#counts = new Map(base.map((count) => [count.ingestId, count]))
  }

  add(tallies: readonly Tally[]): void {
    for (const { ingestId, rows, rejected } of tallies) {
      const count = this.#counts.get(ingestId) ?? { ingestId, validated: 0, rejected: 0 }
      this.#counts.set(ingestId, { ingestId, validated: count.validated + rows, rejected: count.rejected + rejected })
      this.#changed.add(ingestId)
    }
  }

  /** The counts that changed since the last call. */
  takeChanged(): readonly IngestCount[] {
    const changed = [...this.#changed].map((ingestId) => this.#counts.get(ingestId)!)
    this.#changed = new Set()
    return changed
  }
}
