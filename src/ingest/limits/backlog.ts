import { laneOf } from '../../journal/lane-position.ts'
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
  /** By lane: a lane is judged in order, whatever the others do. */
  readonly #lanes = new Map<number, Stretch[]>()
  #bytes = 0

  constructor(progress: Pick<IngestProgress, 'processedThrough'>, bytesMax: number) {
    this.#progress = progress
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    for (const stretches of this.#lanes.values()) this.#letGo(stretches)
    return this.#bytes
  }

  /** Throws Problem `overloaded` while the backlog is over its bound. */
  requireRoom(): void {
    if (this.bytes < this.#bytesMax) return
    throw new Problem(
      'overloaded',
      `More than ${this.#bytesMax} bytes of pushed rows (journal.backlogBytes) wait to be judged. Nothing was stored. Send it again later.`,
    )
  }

  add(endPosition: number, bytes: number): void {
    this.#bytes += bytes
    const lane = laneOf(endPosition - 1)
    const stretches = this.#lanes.get(lane) ?? []
    this.#lanes.set(lane, stretches)
    const last = stretches.at(-1)
    if (last === undefined || last.bytes >= stretchBytes) stretches.push({ endPosition, bytes })
    else {
      last.endPosition = endPosition
      last.bytes += bytes
    }
  }

  #letGo(stretches: Stretch[]): void {
    for (let first = stretches[0]; first !== undefined; first = stretches[0]) {
      // The end itself may be the first position of what follows.
      const lastPosition = first.endPosition - 1
      if (this.#progress.processedThrough(lastPosition) <= lastPosition) break
      stretches.shift()
      this.#bytes -= first.bytes
    }
  }
}
