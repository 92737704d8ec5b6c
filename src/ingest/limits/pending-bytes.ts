import { partitionOf } from '../../journal/partition-position.ts'
import type { IngestProgress } from '../progress.ts'

/** Rows up to `endPosition` that came together, and what they take. */
interface PendingSpan {
  endPosition: number
  bytes: number
}

/** A stretch is as long as this, so that their number is small whatever the size of pushes. */
const spanBytes = 1024 * 1024

/** What is in the journal and not validated yet, in bytes. */
export class PendingBytes {
  readonly #progress: Pick<IngestProgress, 'processedThrough'>
  /** By partition: a partition is validated in order, whatever the others do. */
  readonly #partitions = new Map<number, PendingSpan[]>()
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
    const partition = partitionOf(endPosition - 1)
    const spans = this.#partitions.get(partition) ?? []
    this.#partitions.set(partition, spans)
    const last = spans.at(-1)
    if (last === undefined || last.bytes >= spanBytes) spans.push({ endPosition, bytes })
    else {
      last.endPosition = endPosition
      last.bytes += bytes
    }
  }

  /** Forgets what is validated, and says how much it was. */
  release(): number {
    const before = this.#bytes
    for (const [partition, spans] of this.#partitions) {
      for (let first = spans[0]; first !== undefined; first = spans[0]) {
        // The end itself may be the first position of what follows.
        const lastPosition = first.endPosition - 1
        if (this.#progress.processedThrough(lastPosition) <= lastPosition) break
        spans.shift()
        this.#bytes -= first.bytes
      }
      if (spans.length === 0) this.#partitions.delete(partition)
    }
    return before - this.#bytes
  }
}
