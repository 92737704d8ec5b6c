import { partitionOf } from '../../journal/partition-position.ts'
import type { IngestProgress } from '../progress.ts'

/** Rows that were added one after another, up to `endPosition`, and their size. */
interface PendingSpan {
  endPosition: number
  bytes: number
}

/** Minimum size of a span before the next begins, so that there are few spans whatever the size of pushes. */
const spanBytes = 1024 * 1024

/** Bytes in the journal that are not validated yet. */
export class PendingBytes {
  readonly #progress: Pick<IngestProgress, 'processedThrough'>
  /** By partition: each is validated in order, independently of the others. */
  readonly #partitions = new Map<number, PendingSpan[]>()
  #bytes = 0

  constructor(progress: Pick<IngestProgress, 'processedThrough'>) {
    this.#progress = progress
  }

  /** The bytes after the last call of `release`, plus those added since. */
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

  /** Forgets validated spans, and returns their bytes. */
  release(): number {
    const before = this.#bytes
    for (const [partition, spans] of this.#partitions) {
      for (let first = spans[0]; first !== undefined; first = spans[0]) {
        // The end itself may be the first position of the next span.
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
