// Positions in a journal of partitions (docs/formats/kafka-topics.md): each partition has a range of its own, and each record in it has 256 of these.

/** So many partitions have room below 2^53. */
export const partitionsMax = 64
/** Positions of one record: an entry of more rows takes several records. */
const recordPositions = 256
const partitionPositions = 2 ** 47

/** The first position of the record at an offset of a partition. Throws RangeError past the last that has a place. */
export function positionAt(partition: number, offset: number): number {
  const inPartition = offset * recordPositions
  if (partition < 0 || partition >= partitionsMax || offset < 0 || inPartition >= partitionPositions) {
    throw new RangeError(`no position is left for offset ${offset} of partition ${partition}`)
  }
  return partition * partitionPositions + inPartition
}

export function partitionOf(position: number): number {
  return Math.floor(position / partitionPositions)
}

/** The first offset whose record begins at the position or after it. */
export function offsetFrom(position: number): number {
  return Math.ceil((position - partitionOf(position) * partitionPositions) / recordPositions)
}

/** How many records an entry of so many rows takes. */
export function recordsOf(rows: number): number {
  return Math.ceil(Math.max(1, rows) / recordPositions)
}
