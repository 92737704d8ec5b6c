import { keptRowBytes, type RejectedCatalog } from '../../catalog/rejected.ts'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import type { IngestProgress } from '../progress.ts'
import { PendingBytes } from './pending-bytes.ts'

/** Until the operator has looked at what is rejected, and until what waits is validated. */
const [keptRetryS, waitingRetryS] = [60, 1]

export interface RejectedSpaceParts {
  readonly rejected: Pick<RejectedCatalog, 'keptBytes'>
  readonly progress: Pick<IngestProgress, 'processedThrough'>
  /**
   * How many rows of an ingest were rejected, exact for all that `progress` tells of; NaN while that is not known. Null where others
   * validate too.
   */
  readonly rejectedRows: ((ingestId: number) => number) | null
  readonly bytesMax: number
}

/** Rows of one ingest that may turn out to be rejected, each with all that a rejected row takes. */
class Unsure {
  readonly waiting: PendingBytes
  /** On their way to the journal. */
  sentBytes = 0
  /** Validated, but not yet in what the catalog was asked for. */
  validatedBytes = 0
  /** How many rows were rejected when it was looked last. */
  rejectedRows: number

  constructor(progress: RejectedSpaceParts['progress'], rejectedRows: number) {
    this.waiting = new PendingBytes(progress)
    this.rejectedRows = rejectedRows
  }

  get bytes(): number {
    return this.sentBytes + this.waiting.bytes + this.validatedBytes
  }
}

/**
 * Bounds what the rejected rows of each ingest take: they are kept until the operator discards them. The catalog is asked from time to time; what was
 * pushed meanwhile, and what waits to be validated, counts as if all of it were rejected, so that the bound is passed by no more than one push.
 */
export class RejectedSpace {
  readonly #parts: RejectedSpaceParts
  /** By ingest id; of an ingest without any there may be nothing. */
  #keptBytes: ReadonlyMap<number, number> = new Map()
  readonly #unsure = new Map<number, Unsure>()
  #refreshing: Promise<void> | null = null

  constructor(parts: RejectedSpaceParts) {
    this.#parts = parts
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
    // One that began before this call may have read before what the caller knows of.
    await this.#refreshing?.catch(() => undefined)
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null
    })
    await this.#refreshing
  }

  /** Throws Problem `overloaded` while the ingest's rejected rows are over their bound, or may be once what waits is validated. */
  requireSpace({ id, alias }: Pick<Ingest, 'id' | 'alias'>): void {
    const { bytesMax } = this.#parts
    const kept = this.#keptBytes.get(id) ?? 0
    if (kept > bytesMax)
      throw new Problem(
        'overloaded',
        `The rejected rows of the ingest ${alias} take more than ${bytesMax} bytes (limits.rejectedBytes), so it takes no more rows. Nothing was stored: send it again once the operator has discarded or replayed some: GET /admin/ingests/${alias}/rejected shows them.`,
        { retryAfterS: keptRetryS },
      )
    const unsure = this.#unsure.get(id)
    if (unsure === undefined) return
    this.#settle(id, unsure)
    // Asked soon enough, what was validated holds up nobody.
    if (unsure.validatedBytes > 0 && kept + unsure.bytes > bytesMax / 2) void this.refresh().catch(() => undefined)
    if (unsure.bytes === 0 || kept + unsure.bytes <= bytesMax) return
    throw new Problem(
      'overloaded',
      `The rejected rows of the ingest ${alias} take ${kept} of ${bytesMax} bytes (limits.rejectedBytes), and rows that wait for validation could fill the rest. Nothing was stored: send it again in a moment.`,
      { retryAfterS: waitingRetryS },
    )
  }

  /** A push is on its way to the journal. */
  sent(id: number, rows: number, bytes: number): void {
    this.#of(id).sentBytes += mostOf(rows, bytes)
  }

  /** It is there; with `endPosition` null it is not, and never will be. */
  arrived(id: number, rows: number, bytes: number, endPosition: number | null): void {
    const unsure = this.#of(id)
    unsure.sentBytes -= mostOf(rows, bytes)
    if (endPosition !== null) unsure.waiting.add(endPosition, mostOf(rows, bytes))
  }

  #of(id: number): Unsure {
    const known = this.#unsure.get(id) ?? new Unsure(this.#parts.progress, this.#parts.rejectedRows?.(id) ?? 0)
    this.#unsure.set(id, known)
    return known
  }

  /** What was validated counts on until the catalog is asked, where some of it was rejected. */
  #settle(id: number, unsure: Unsure): void {
    const validated = unsure.waiting.release()
    if (validated === 0) return
    const rejectedRows = this.#parts.rejectedRows?.(id)
    if (rejectedRows === unsure.rejectedRows) return
    unsure.rejectedRows = rejectedRows ?? 0
    unsure.validatedBytes += validated
  }

  async #read(): Promise<void> {
    for (const [id, unsure] of this.#unsure) this.#settle(id, unsure)
    const validated = [...this.#unsure].map(([id, unsure]) => ({ id, unsure, bytes: unsure.validatedBytes }))
    this.#keptBytes = await this.#parts.rejected.keptBytes()
    for (const { id, unsure, bytes } of validated) {
      unsure.validatedBytes -= bytes
      if (unsure.bytes === 0) this.#unsure.delete(id)
    }
  }
}

const mostOf = (rows: number, bytes: number): number => bytes + rows * keptRowBytes
