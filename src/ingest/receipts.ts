import type { FaultsOfBatch, RejectedCatalog } from '../catalog/rejected.ts'
import { Problem } from '../model/problem.ts'
import type { RejectCode } from '../model/row-fault.ts'
import type { BatchIds, BatchKey } from './batch-id.ts'
import type { IngestProgress } from './progress.ts'

/** The state of one batch's rows: `rows = stored + rejected + pending`. */
export interface Receipt {
  readonly batch: string
  readonly rows: number
  readonly stored: number
  readonly rejected: number
  readonly pending: number
  /** Stored rows that replaced an earlier row of the same batch. */
  readonly replaced: number
  /** The first rejected rows, by index. */
  readonly errors: readonly ReceiptError[]
}

export interface ReceiptError {
  readonly index: number
  readonly field: string | null
  readonly code: RejectCode
  readonly message: string
}

type BatchOutcome = Pick<Receipt, 'stored' | 'rejected' | 'pending'>

export interface ReceiptParts {
  readonly batchIds: BatchIds
  readonly rejected: Pick<RejectedCatalog, 'ofBatch'>
  readonly progress: IngestProgress
  /** How many of a batch's `stored` rows, those validated to be stored, queries do not see yet. */
  readonly unseen: (batch: BatchKey, stored: number) => Promise<number>
  /** The most rejected rows that a receipt lists. */
  readonly errorsMax: number
}

export class Receipts {
  readonly #parts: ReceiptParts

  constructor(parts: ReceiptParts) {
    this.#parts = parts
  }

  /**
   * The receipt of a batch that was pushed to this ingest; `ingestId` is null if the ingest does not exist. Throws Problem `batch_not_found` for an
   * id that was never issued for it, `forbidden` for another subscriber's batch. It does not reveal which ingests exist: responses to anyone but
   * the batch's subscriber do not depend on that.
   */
  async receipt(subscriberId: number, ingestId: number | null, batch: string): Promise<Receipt> {
    const key = this.#parts.batchIds.decode(batch)
    if (key !== null && key.subscriberId !== subscriberId) {
      throw new Problem(
        'forbidden',
        'A receipt is only for the subscriber that pushed the batch, and this key belongs to another one. Use a key of that subscriber. An admin key can list the rejected rows of the ingest.',
      )
    }
    if (key === null || key.ingestId !== ingestId) {
      throw new Problem(
        'batch_not_found',
        'No push to an ingest with this alias has this batch id. Use the whole `batch` of the answer, and the same alias.',
      )
    }
    return this.ofKey(batch, key)
  }

  async ofKey(batch: string, key: BatchKey): Promise<Receipt> {
    const { first, replaced, ...outcome } = await this.#outcome(key, this.#parts.errorsMax)
    const errors = first
      .slice(0, outcome.rejected)
      .map(({ index, field, code, message }) => ({ index, field, code, message }))
    return { batch, rows: key.rows, ...outcome, replaced: Math.min(replaced, outcome.stored), errors }
  }

  async outcome(key: BatchKey): Promise<BatchOutcome> {
    const { stored, rejected, pending } = await this.#outcome(key, 0)
    return { stored, rejected, pending }
  }

  async #outcome(key: BatchKey, limit: number): Promise<BatchOutcome & Pick<FaultsOfBatch, 'first' | 'replaced'>> {
    const { progress, rejected: catalog, unseen } = this.#parts
    const validated = Math.min(key.rows, Math.max(0, progress.processedThrough(key.position) - key.position))
    const { count, first, replaced } = await catalog.ofBatch(key.ingestId, key.position, limit)
    // Rejected rows are kept shortly before the position after them is published; until then they count as pending.
    const rejected = Math.min(count, validated)
    const missing = validated === rejected ? 0 : await unseen(key, validated - rejected)
    return {
      stored: validated - rejected - missing,
      rejected,
      pending: key.rows - validated + missing,
      first,
      replaced,
    }
  }
}
