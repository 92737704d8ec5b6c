import type { FaultsOfBatch, RejectedCatalog } from '../catalog/rejected.ts'
import { Problem } from '../model/problem.ts'
import type { RejectCode } from '../model/row-fault.ts'
import type { BatchIds, BatchKey } from './batch-id.ts'
import type { IngestProgress } from './progress.ts'

/** Where the rows of one batch are: `rows = stored + rejected + pending`. */
export interface Receipt {
  readonly batch: string
  readonly rows: number
  readonly stored: number
  readonly rejected: number
  readonly pending: number
  /** How many of the stored rows replaced an earlier one of the same batch. */
  readonly replaced: number
  /** The first of the rejected rows, by index. */
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
  /** How many rows of a batch are validated to be stored and not seen by queries yet; `stored` is how many of it are to be. */
  readonly unseen: (batch: BatchKey, stored: number) => Promise<number>
  /** How many rejected rows a receipt shows. */
  readonly errorsMax: number
}

export class Receipts {
  readonly #parts: ReceiptParts

  constructor(parts: ReceiptParts) {
    this.#parts = parts
  }

  /**
   * The receipt of a batch that was pushed to this ingest; null is one that does not exist. Throws Problem `batch_not_found` for an id that
   * was never given for it, `forbidden` for another subscriber's batch. Which ingests there are is not to be learnt from it: none of what is
   * answered to others than who pushed the batch depends on that.
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
        'No push to an ingest with this alias was answered with this batch id. Use the whole `batch` of the answer, and the same alias.',
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
    // Rejected rows are kept a moment before the position that covers them is known: until then they are pending still.
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
