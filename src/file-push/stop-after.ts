import type { PushBatch } from '../client/push-batch.ts'

/** Enough rows were rejected, or the outcome of sent rows is unknown. */
export type StopReason = 'rejected' | 'untold'

export interface StopAfterOptions {
  /** The number of rejected rows at which to stop. */
  readonly rejectedMax: number
  /** A batch is sent only while fewer rows than this are in flight, or on disk and not validated. */
  readonly unvalidatedMax: number
  readonly validated: () => { readonly rows: number; readonly rejected: number }
  /** No more outcomes will arrive: a push has failed, or receipts are missing. */
  readonly isOver: () => boolean
  /** Called if it stops before the last batch. */
  readonly stopped: (why: StopReason) => void
  readonly sleep: (ms: number) => Promise<void>
}

const pollMs = 50

/**
 * Yields batches until `rejectedMax` rows are known to be rejected. Rows are validated after they are on disk, so each batch waits until few enough are
 * unvalidated, which bounds how many are sent after the limit was reached. Stops if the outcomes will not become known.
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
