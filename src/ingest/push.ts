import { type BodyFormat, type JournalWriter, positionAfter } from '../journal/journal.ts'
import type { Ingest } from '../model/ingest.ts'
import type { Observe } from '../observe/event.ts'
import type { BatchIds } from './batch-id.ts'
import type { IdempotencyKeys, JournalledPush } from './idempotency/idempotency-keys.ts'
import type { Intake } from './limits/intake.ts'
import type { IngestProgress } from './progress.ts'
import type { Receipt, Receipts } from './receipts.ts'
import { checkBodyInSlices, checkSmallBody, type RowsLimit } from './scan/check-body.ts'

export interface Push {
  readonly subscriberId: number
  /** The API key of the request, to which per-key limits apply. */
  readonly keyId: string
  readonly ingest: Ingest
  /** Decompressed. The journal keeps this array, so it must not be changed afterwards. */
  readonly body: Uint8Array
  readonly format: BodyFormat
  readonly idempotencyKey: string | null
  /** Whether to respond with the receipt, when the rows are queryable. */
  readonly wait: boolean
}

export interface PushResult {
  readonly batch: string
  readonly rows: number
}

/** The position of a push's rows. */
export interface PlacedBatch {
  readonly ingest: Pick<Ingest, 'id' | 'kind' | 'entityId'>
  readonly position: number
  readonly rows: number
}

export interface PushParts {
  readonly journal: Pick<JournalWriter, 'append'>
  /** The replica that must have a push before it is acknowledged; null without one. Both methods throw Problem `unavailable` if it is unreachable. */
  readonly replica: { requireReachable(): void; reached(position: number): Promise<void> } | null
  readonly keys: Pick<IdempotencyKeys, 'once'>
  readonly intake: Intake
  readonly batchIds: BatchIds
  readonly progress: Pick<IngestProgress, 'accepted'>
  /** Resolves when queries see all stored rows of a batch; rejects with the signal's reason when it is aborted. */
  readonly isQueryable: (batch: PlacedBatch, signal: AbortSignal) => Promise<void>
  readonly receipts: Receipts
  readonly observe: Observe
  readonly nowMs: () => number
  /** How long a push waits for its rows to be queryable before it returns the plain response. */
  readonly ingestWaitMs: number
  /** The most rows of a push. */
  readonly rowsMax: number
}

export class Pushes {
  readonly #parts: PushParts
  readonly #rowsLimit: RowsLimit

  constructor(parts: PushParts) {
    this.#parts = parts
    this.#rowsLimit = { rowsMax: parts.rowsMax, name: 'limits.pushRows' }
  }

  /**
   * Stores the rows of one request; they are on disk when this resolves. A push with a known idempotency key returns the first push's response. Throws the
   * Problems of `checkBody`, `IdempotencyKeys.once`, `Intake.requireSpace` and `JournalWriter.append`, with nothing stored. Only if the replica becomes
   * unreachable meanwhile may rows be stored although the push fails with `unavailable`.
   */
  async push(push: Push): Promise<PushResult | Receipt> {
    const { replica, keys, batchIds, receipts } = this.#parts
    const { subscriberId, ingest, body, idempotencyKey } = push
    replica?.requireReachable()
    const { position, rows } =
      idempotencyKey === null
        ? await this.#store(push)
        : await keys.once({ subscriberId, ingestId: ingest.id, key: idempotencyKey, body, format: push.format }, () =>
            this.#store(push),
          )
    // The key is recorded by then: a retry with it waits for the same rows.
    if (replica !== null) await replica.reached(positionAfter({ position, rows }))
    const key = { position, rows, ingestId: ingest.id, subscriberId }
    const batch = batchIds.encode(key)
    if (!push.wait || !(await this.#becomesQueryable({ ingest, position, rows }))) return { batch, rows }
    return receipts.ofKey(batch, key)
  }

  async #store(push: Push): Promise<JournalledPush> {
    const { journal, intake, progress, observe, nowMs } = this.#parts
    const { subscriberId, ingest, body, format, idempotencyKey } = push
    intake.requireSpace(push)
    const rows = checkSmallBody(body, format, this.#rowsLimit) ?? (await this.#checkLargeBody(push))
    intake.sent(push, rows, body.length)
    const receivedMs = nowMs()
    const { id: ingestId, fieldsVersion } = ingest
    const entry = { ingestId, fieldsVersion, subscriberId, receivedMs, format, idempotencyKey, rows, body }
    let position: number
    try {
      position = await journal.append(entry, ingest)
    } catch (error) {
      intake.failed(push, rows, body.length)
      throw error
    }
    progress.accepted({ ingestId, position, rows })
    observe({ kind: 'pushTaken', ingestId, rows, receivedMs })
    intake.stored(push, rows, body.length, positionAfter({ position, rows }))
    return { position, rows, receivedMs }
  }

  async #checkLargeBody(push: Push): Promise<number> {
    const rows = await checkBodyInSlices(push.body, push.format, this.#rowsLimit)
    // Other pushes may have arrived meanwhile.
    this.#parts.intake.requireSpace(push)
    return rows
  }

  /** Returns false on a timeout. */
  async #becomesQueryable(batch: PlacedBatch): Promise<boolean> {
    const timeout = AbortSignal.timeout(this.#parts.ingestWaitMs)
    try {
      await this.#parts.isQueryable(batch, timeout)
      return true
    } catch (error) {
      if (timeout.aborted) return false
      throw error
    }
  }
}
