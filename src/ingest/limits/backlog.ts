import { Problem } from '../../model/problem.ts'
import type { IngestProgress } from '../progress.ts'
import { PendingBytes } from './pending-bytes.ts'

/** Rows in the journal that are not validated yet, in bytes of bodies. Bounded: pushes are refused while the pipeline lags too far behind. */
export class Backlog {
  readonly #waiting: PendingBytes
  readonly #bytesMax: number

  constructor(progress: Pick<IngestProgress, 'processedThrough'>, bytesMax: number) {
    this.#waiting = new PendingBytes(progress)
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    this.#waiting.release()
    return this.#waiting.bytes
  }

  /** Throws Problem `overloaded` while the backlog is over its bound. */
  requireSpace(): void {
    if (this.bytes < this.#bytesMax) return
    throw new Problem(
      'overloaded',
      `More than ${this.#bytesMax} bytes of pushed rows (journal.backlogBytes) wait for validation. Nothing was stored. Push again later.`,
    )
  }

  add(endPosition: number, bytes: number): void {
    this.#waiting.add(endPosition, bytes)
  }
}
