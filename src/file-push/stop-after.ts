import type { PushBatch } from '../client/push-batch.ts'

/** So many rows are rejected, or nobody tells what became of those that were sent. */
export type StopReason = 'rejected' | 'untold'

export interface StopAfterOptions {
  /** So many rejected rows are enough. */
  readonly rejectedMax: number
  /** So many rows may be on their way, or on disk and not validated, when the next ones are sent. */
  readonly unvalidatedMax: number
  readonly validated: () => { readonly rows: number; readonly rejected: number }
  /** Nothing more will be learnt of what was sent: a push has failed, or the receipts do not come. */
  readonly isOver: () => boolean
  /** Called where it ends before the last batch. */
  readonly stopped: (why: StopReason) => void
  readonly sleep: (ms: number) => Promise<void>
}

const pollMs = 50

/**
 * The batches up to the one before which so many rows are known to be rejected. Rows are validated after they are on disk, so each batch waits until few
 * enough are unvalidated: that bounds how many are sent after the last one that counts. None is sent where that will not be learnt.
 */
export async function* stopAfter<Batch extends PushBatch>(
  batches: AsyncGenerator<Batch>,
  { rejectedMax, unvalidatedMax, validated, isOver, stopped, sleep }: StopAfterOptions,
): AsyncGenerator<Batch> {
  let sent = 0
  for await (const batch of batches) {
    while (!isOver() && validated().rejected < rejectedMax && sent - validated().rows >= unvalidatedMax)
      await sleep(pollMs)
    const { rows, rejected } = validated()
    const why = rejected >= rejectedMax ? 'rejected' : isOver() && rows < sent ? 'untold' : null
    if (why !== null) {
      stopped(why)
      return
    }
    sent += batch.rows
    yield batch
  }
}
