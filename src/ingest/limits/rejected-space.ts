import { keptRowBytes, type RejectedCatalog } from '../../catalog/rejected.ts'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import type { IngestProgress } from '../progress.ts'
import { PendingBytes } from './pending-bytes.ts'

/** Retry delays: until the operator has handled rejected rows, and until waiting rows are validated. */
const [keptRetryS, waitingRetryS] = [60, 1]

export interface RejectedSpaceParts {
  readonly rejected: Pick<RejectedCatalog, 'keptBytes'>
  readonly progress: Pick<IngestProgress, 'processedThrough'>
  /**
   * The number of rejected rows of an ingest, exact for all rows that `progress` covers; NaN while unknown. Null if other processes validate
   * too.
   */
  readonly rejectedRows: ((ingestId: number) => number) | null
  readonly bytesMax: number
}

/** Rows of one ingest that may turn out to be rejected, each at the full size of a rejected row. */
class Unsure {
  readonly waiting: PendingBytes
  /** Rows being written to the journal. */
  sentBytes = 0
  /** Rows that were validated after the last read of the catalog. */
  validatedBytes = 0
  /** The number of rejected rows at the last check. */
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
 * Bounds the size of each ingest's rejected rows, which are kept until the operator discards them. The catalog is read periodically. Rows pushed in
 * between, and rows waiting for validation, count as if all were rejected, so the bound is exceeded by at most one push.
 */
export class RejectedSpace {
  readonly #parts: RejectedSpaceParts
  /** By ingest id; ingests without rejected rows may be missing. */
  #keptBytes: ReadonlyMap<number, number> = new Map()
  readonly #unsure = new Map<number, Unsure>()
  #refreshing: Promise<void> | null = null

  constructor(parts: RejectedSpaceParts) {
    this.#parts = parts
  }

  /** Total size of the rejected rows of all ingests, at the last refresh. */
  get totalBytes(): number {
    return [...this.#keptBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  /** The largest size of one ingest's rejected rows, at the last refresh. */
  get mostBytes(): number {
    return [...this.#keptBytes.values()].reduce((most, bytes) => Math.max(most, bytes), 0)
  }

  async refresh(): Promise<void> {
    // A refresh that began before this call may miss changes that the caller knows of.
    await this.#refreshing?.catch(() => undefined)
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null
    })
    await this.#refreshing
  }

  /** Throws Problem `overloaded` while the ingest's rejected rows exceed their bound, or may do so after waiting rows are validated. */
  requireSpace({ id, alias }: Pick<Ingest, 'id' | 'alias'>): void {
    const { bytesMax } = this.#parts
    const kept = this.#keptBytes.get(id) ?? 0
    if (kept > bytesMax)
      throw new Problem(
        'overloaded',
        `The rejected rows of the ingest ${alias} take more than ${bytesMax} bytes (limits.rejectedBytes), so it accepts no more rows. Nothing was stored: send it again once the operator has discarded or replayed some: GET /admin/ingests/${alias}/rejected shows them.`,
        { retryAfterS: keptRetryS },
      )
    const unsure = this.#unsure.get(id)
    if (unsure === undefined) return
    this.#settle(id, unsure)
    // Refreshing early enough keeps validated rows from blocking pushes.
    if (unsure.validatedBytes > 0 && kept + unsure.bytes > bytesMax / 2) void this.refresh().catch(() => undefined)
    if (unsure.bytes === 0 || kept + unsure.bytes <= bytesMax) return
    throw new Problem(
      'overloaded',
      `The rejected rows of the ingest ${alias} take ${kept} of ${bytesMax} bytes (limits.rejectedBytes), and rows that wait for validation could fill the rest. Nothing was stored: send it again in a moment.`,
      { retryAfterS: waitingRetryS },
    )
  }

  /** Counts a push that is being written to the journal. */
  sent(id: number, rows: number, bytes: number): void {
    this.#of(id).sentBytes += mostOf(rows, bytes)
  }

  /** The push is in the journal; if `endPosition` is null, it was not written and never will be. */
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

  /** If some of the validated rows were rejected, all of them count until the catalog is read. */
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
