import { Problem } from '../../model/problem.ts'
import type { IngestProgress } from '../progress.ts'

/** Rows up to `endPosition` that came together, and what their bodies take. */
interface Stretch {
  endPosition: number
  bytes: number
}

/** A stretch is as long as this, so that their number is small whatever the size of pushes. */
const stretchBytes = 1024 * 1024

/** What is in the journal and not judged yet, in bytes of bodies; bounded, so that a pipeline that lags behind is waited for. */
export class Backlog {
  readonly #progress: Pick<IngestProgress, 'processedThrough'>
  readonly #bytesMax: number
  readonly #stretches: Stretch[] = []
  #bytes = 0

  constructor(progress: Pick<IngestProgress, 'processedThrough'>, bytesMax: number) {
    this.#progress = progress
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    for (let first = this.#stretches[0]; first !== undefined; first = this.#stretches[0]) {
      if (this.#progress.processedThrough(first.endPosition) < first.endPosition) break
      this.#stretches.shift()
      this.#bytes -= first.bytes
    }
    return this.#bytes
  }

  /** Throws Problem `overloaded` while the backlog is over its bound. */
  requireRoom(): void {
    if (this.bytes < this.#bytesMax) return
    throw new Problem(
      'overloaded',
      `More than ${this.#bytesMax} bytes of pushed rows (journal.backlogBytes) wait to be judged. Nothing was stored: send it again later.`,
    )
  }

  add(endPosition: number, bytes: number): void {
    this.#bytes += bytes
    const last = this.#stretches.at(-1)
    if (last === undefined || last.bytes >= stretchBytes) this.#stretches.push({ endPosition, bytes })
    else {
      last.endPosition = endPosition
      last.bytes += bytes
    }
  }
}
