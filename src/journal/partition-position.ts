// Positions in a journal of partitions (docs/formats/kafka-topics.md): each partition has its own range, and each record in it 256 positions.

/** The number of partitions that fit below 2^53. */
export const partitionsMax = 64
/** Positions of one record; an entry with more rows takes several records. */
const recordPositions = 256
const partitionPositions = 2 ** 47

/** The first position of the record at an offset of a partition. Throws RangeError beyond the partition's last position. */
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

/** The number of records of an entry with this number of rows. */
export function recordsOf(rows: number): number {
  return Math.ceil(Math.max(1, rows) / recordPositions)
}
