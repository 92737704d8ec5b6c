import { positionAfter } from '../journal/journal.ts'
import { partitionOf } from '../journal/partition-position.ts'

interface AcceptedRows {
  readonly ingestId: number
  readonly position: number
  readonly rows: number
}

/** Rows of one ingest in one partition, between two positions. */
interface PositionSpan {
  fromPosition: number
  endPosition: number
  rows: number
}

/** The most ranges that are kept for an ingest in a partition. Beyond it, neighbours are merged. */
const rangesMax = 64

/**
 * Counts the waiting rows of each ingest in the partitions, in bounded memory for any number of pushes. The validated part of a merged range is estimated
 * from the position reached within it; at least one row waits until the last push of the range is validated.
 */
export class PendingRows {
  /** By partition, then by ingest. */
  readonly #partitions = new Map<number, Map<number, PositionSpan[]>>()

  /** The pushes of a partition must be added in order of position. */
  add({ ingestId, position, rows }: AcceptedRows): void {
    if (rows === 0) return
    const partition = partitionOf(position)
    const ingests = this.#partitions.get(partition) ?? new Map<number, PositionSpan[]>()
    this.#partitions.set(partition, ingests)
    const ranges = ingests.get(ingestId) ?? []
    ingests.set(ingestId, ranges)
    ranges.push({ fromPosition: position, endPosition: positionAfter({ position, rows }), rows })
    if (ranges.length > rangesMax) ingests.set(ingestId, joined(ranges))
  }

  /** Rows of a partition before a position no longer wait. */
  reached(partition: number, position: number): void {
    const ingests = this.#partitions.get(partition)
    for (const [ingestId, ranges] of ingests ?? []) {
      const passed = ranges.findIndex(({ endPosition }) => endPosition > position)
      ranges.splice(0, passed < 0 ? ranges.length : passed)
      const first = ranges[0]
      if (first === undefined) ingests?.delete(ingestId)
      else if (first.fromPosition < position) shorten(first, position)
    }
  }

  of(ingestId: number): number {
    let rows = 0
    for (const ingests of this.#partitions.values()) {
      for (const range of ingests.get(ingestId) ?? []) rows += range.rows
    }
    return rows
  }

  get all(): number {
    let rows = 0
    for (const ingests of this.#partitions.values()) {
      for (const ranges of ingests.values()) for (const range of ranges) rows += range.rows
    }
    return rows
  }
}

/** Merges each range with its neighbour. */
function joined(ranges: readonly PositionSpan[]): PositionSpan[] {
  return Array.from({ length: Math.ceil(ranges.length / 2) }, (_, pair) => {
    const one = ranges[2 * pair]!
    const other = ranges[2 * pair + 1] ?? { endPosition: one.endPosition, rows: 0 }
    return { fromPosition: one.fromPosition, endPosition: other.endPosition, rows: one.rows + other.rows }
  })
}

/** Reduces a range to its part after a position within it: a proportional number of rows, at least one. */
function shorten(range: PositionSpan, position: number): void {
  const { fromPosition, endPosition, rows } = range
  range.rows = Math.ceil((rows * (endPosition - position)) / (endPosition - fromPosition))
  range.fromPosition = position
}
