import type { JournalEntry, JournalWriter } from '../journal/journal.ts'
import type { Ingest } from '../model/ingest.ts'
import type { BatchIds } from './batch-id.ts'
import type { IngestProgress } from './progress.ts'
import type { Receipt, Receipts } from './receipts.ts'
import { checkBody } from './scan/check-body.ts'

export interface Push {
  readonly subscriberId: number
  readonly ingest: Ingest
  /** Decompressed. Kept by the journal as it is: nobody may change it afterwards. */
  readonly body: Uint8Array
  readonly format: JournalEntry['format']
  /** Answer with the receipt once the rows are queryable. */
  readonly wait: boolean
}

export interface PushAnswer {
  readonly batch: string
  readonly rows: number
}

export interface PushParts {
  readonly journal: Pick<JournalWriter, 'append'>
  readonly batchIds: BatchIds
  readonly progress: IngestProgress
  readonly receipts: Receipts
  readonly nowMs: () => number
  /** How long a push waits for its rows to be queryable, before it gives the plain answer. */
  readonly ingestWaitMs: number
}

export class Pushes {
  readonly #parts: PushParts

  constructor(parts: PushParts) {
    this.#parts = parts
  }

  /**
   * Takes the rows of one request: when this resolves they are on disk. Throws Problem `invalid_json` or `invalid_body` for a body that
   * holds no rows, and the Problems of `JournalWriter.append`; nothing is stored then.
   */
  async push({ subscriberId, ingest, body, format, wait }: Push): Promise<PushAnswer | Receipt> {
    const { journal, batchIds, progress, receipts, nowMs, ingestWaitMs } = this.#parts
    const rows = checkBody(body, format)
    const position = await journal.append({
      ingestId: ingest.id,
      fieldsVersion: ingest.fieldsVersion,
      subscriberId,
      receivedMs: nowMs(),
      format,
      idempotencyKey: null,
      rows,
      body,
    })
    progress.accepted(ingest.id, rows)
    const key = { position, rows, ingestId: ingest.id, subscriberId }
    const batch = batchIds.encode(key)
    if (!wait || !(await becomesQueryable(progress, position + rows, ingestWaitMs))) return { batch, rows }
    return receipts.ofKey(batch, key)
  }
}

async function becomesQueryable(progress: IngestProgress, position: number, timeoutMs: number): Promise<boolean> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    await progress.waitFor(position, timeout)
    return true
  } catch (error) {
    if (timeout.aborted) return false
    throw error
  }
}
