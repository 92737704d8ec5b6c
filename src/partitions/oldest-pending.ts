import type { PartitionCatalog } from '../catalog/partitions.ts'
import type { JournalCursor } from '../journal/journal.ts'
import { positionAt } from '../journal/partition-position.ts'

export interface OldestPendingParts {
  /** The number of partitions in the journal. */
  readonly partitions: number
  readonly catalog: Pick<PartitionCatalog, 'partitions'>
  /** Opens a cursor that does not wait for new rows. */
  readonly openCursor: () => JournalCursor
  readonly nowMs: () => number
}

/** When the oldest push that no pipeline has validated was received; now, if none waits. Later pushes in its partition may be a moment older. */
export async function oldestPendingMs({ partitions, catalog, openCursor, nowMs }: OldestPendingParts): Promise<number> {
  let oldestMs = nowMs()
  const processed = new Map(
    (await catalog.partitions()).map(({ partition, processedPosition }) => [partition, processedPosition]),
  )
  const cursor = openCursor()
  try {
    for (let partition = 0; partition < partitions; partition++) {
      const position = processed.get(partition) ?? positionAt(partition, 0)
      const [first] = await cursor.read(position, Number.POSITIVE_INFINITY, 1)
      if (first !== undefined) oldestMs = Math.min(oldestMs, first.receivedMs)
    }
  } finally {
    await cursor.close()
  }
  return oldestMs
}
