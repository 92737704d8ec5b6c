import type { PushBatch } from './batches.ts'

export interface StopAfterOptions {
  /** So many rejected rows are enough. */
  readonly rejectedMax: number
  /** So many rows may be on their way, or on disk and not judged, when the next ones are sent. */
  readonly unjudgedMax: number
  readonly judged: () => { readonly rows: number; readonly rejected: number }
  /** Nothing more will be learnt of what was sent: a push has failed, or the receipts do not come. */
  readonly isOver: () => boolean
  /** Called where it ends before the last batch. */
  readonly stopped: () => void
  readonly sleep: (ms: number) => Promise<void>
}

const pollMs = 50

/**
 * The batches up to the one before which so many rows are known to be rejected. Rows are judged after they are on disk, so each batch waits until few
 * enough are unjudged: that bounds how many are sent after the last one that counts.
 */
export async function* stopAfter<Batch extends PushBatch>(
  batches: AsyncGenerator<Batch>,
  { rejectedMax, unjudgedMax, judged, isOver, stopped, sleep }: StopAfterOptions,
): AsyncGenerator<Batch> {
  let sent = 0
  for await (const batch of batches) {
    while (!isOver() && judged().rejected < rejectedMax && sent - judged().rows >= unjudgedMax) await sleep(pollMs)
    if (judged().rejected >= rejectedMax) {
      stopped()
      return
    }
    sent += batch.rows
    yield batch
  }
}
