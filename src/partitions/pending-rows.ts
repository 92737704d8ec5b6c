import { positionAfter } from '../journal/journal.ts'
import { partitionOf } from '../journal/partition-position.ts'

interface AcceptedRows {
  readonly ingestId: number
  readonly position: number
  readonly rows: number
}

/** Rows of one ingest in one partition, which came between two positions. */
interface Stretch {
  fromPosition: number
  endPosition: number
  rows: number
}

/** So many stretches stand for the pushes of an ingest in a partition, however many wait; past it neighbours become one. */
const rangesMax = 64

/**
 * How many rows of each ingest wait in the partitions. It takes as little room for a million pushes as for a hundred: of those that were joined, a part
 * is counted as validated by how far the partition has come in them, and none waits no more before the last one is validated.
 */
export class PendingRows {
  /** By partition, then by ingest. */
  readonly #partitions = new Map<number, Map<number, Stretch[]>>()

  /** Of a partition those that come later are told later. */
  add({ ingestId, position, rows }: AcceptedRows): void {
    if (rows === 0) return
    const partition = partitionOf(position)
    const ingests = this.#partitions.get(partition) ?? new Map<number, Stretch[]>()
    this.#partitions.set(partition, ingests)
    const ranges = ingests.get(ingestId) ?? []
    ingests.set(ingestId, ranges)
    ranges.push({ fromPosition: position, endPosition: positionAfter({ position, rows }), rows })
    if (ranges.length > rangesMax) ingests.set(ingestId, joined(ranges))
  }

  /** Rows of a partition before a position wait no more. */
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

/** Each with its neighbour. */
function joined(ranges: readonly Stretch[]): Stretch[] {
  return Array.from({ length: Math.ceil(ranges.length / 2) }, (_, pair) => {
    const one = ranges[2 * pair]!
    const other = ranges[2 * pair + 1] ?? { endPosition: one.endPosition, rows: 0 }
    return { fromPosition: one.fromPosition, endPosition: other.endPosition, rows: one.rows + other.rows }
  })
}

/** What is left behind a position within it: its share, one row at least. */
function shorten(range: Stretch, position: number): void {
  const { fromPosition, endPosition, rows } = range
  range.rows = Math.ceil((rows * (endPosition - position)) / (endPosition - fromPosition))
  range.fromPosition = position
}
