import type { RejectedCatalog } from '../../catalog/rejected.ts'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'

const retryAfterS = 60

/** Bounds what the rejected rows of each ingest take: they are kept until the operator discards them. */
export class RejectedSpace {
  readonly #rejected: Pick<RejectedCatalog, 'keptBytes'>
  readonly #bytesMax: number
  /** By ingest id; of an ingest without any there may be nothing. */
  #keptBytes: ReadonlyMap<number, number> = new Map()

  constructor(rejected: Pick<RejectedCatalog, 'keptBytes'>, bytesMax: number) {
    this.#rejected = rejected
    this.#bytesMax = bytesMax
  }

  /** What the rejected rows of all ingests took when this was asked last. */
  get totalBytes(): number {
    return [...this.#keptBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  /** The same of the one ingest where it is most. */
  get mostBytes(): number {
    return [...this.#keptBytes.values()].reduce((most, bytes) => Math.max(most, bytes), 0)
  }

  async refresh(): Promise<void> {
    this.#keptBytes = await this.#rejected.keptBytes()
  }

  /** Throws Problem `overloaded` while the ingest's rejected rows are over their bound. */
  requireRoom({ id, alias }: Pick<Ingest, 'id' | 'alias'>): void {
    if ((this.#keptBytes.get(id) ?? 0) <= this.#bytesMax) return
    throw new Problem(
      'overloaded',
      `The rejected rows of the ingest ${alias} take more than ${this.#bytesMax} bytes (limits.rejectedBytes), so it takes no more rows. Nothing was stored: ` +
        `send it again once the operator has looked at them and discarded or replayed them (/admin/ingests/${alias}/rejected).`,
      { retryAfterS },
    )
  }
}
