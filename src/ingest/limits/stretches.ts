import { laneOf } from '../../journal/lane-position.ts'
import type { IngestProgress } from '../progress.ts'

/** Rows up to `endPosition` that came together, and what they take. */
interface Stretch {
  endPosition: number
  bytes: number
}

/** A stretch is as long as this, so that their number is small whatever the size of pushes. */
const stretchBytes = 1024 * 1024

/** What is in the journal and not judged yet, in bytes. */
export class Stretches {
  readonly #progress: Pick<IngestProgress, 'processedThrough'>
  /** By lane: a lane is judged in order, whatever the others do. */
  readonly #lanes = new Map<number, Stretch[]>()
  #bytes = 0

  constructor(progress: Pick<IngestProgress, 'processedThrough'>) {
    this.#progress = progress
  }

  /** As it was when `letGo` was called last, and what was added since. */
  get bytes(): number {
    return this.#bytes
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

  /** Forgets what is judged, and says how much it was. */
  letGo(): number {
    const before = this.#bytes
    for (const [lane, stretches] of this.#lanes) {
      for (let first = stretches[0]; first !== undefined; first = stretches[0]) {
        // The end itself may be the first position of what follows.
        const lastPosition = first.endPosition - 1
        if (this.#progress.processedThrough(lastPosition) <= lastPosition) break
        stretches.shift()
        this.#bytes -= first.bytes
      }
      if (stretches.length === 0) this.#lanes.delete(lane)
    }
    return before - this.#bytes
  }
}
