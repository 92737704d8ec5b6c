// Waits until Druid has published the rows of an entity: from then on batch tasks see them, and no task reads them again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { KafkaClient } from '../kafka/kafka-client.ts'
import { endOffset, fetchRecords, type PartitionPlace } from '../kafka/read-partition.ts'
import type { PositionRange } from '../model/deletion.ts'
import { rowsTopic } from '../model/druid-row.ts'
import type { PartitionProgress } from './partition-progress.ts'

export interface PublishedRowsParts {
  readonly journal: { acknowledged(): Promise<readonly PositionRange[]> }
  readonly progress: Pick<PartitionProgress, 'waitFor'>
  readonly client: KafkaClient
  readonly clusterName: string
  readonly supervisors: {
    /** By partition, the offset from which Druid would read an entity's topic again; null while it is not known. */
    readFrom(entityId: number): Promise<ReadonlyMap<number, number> | null>
    /** Whether its tasks can be asked to publish. */
    isSettled(entityId: number): Promise<boolean>
    handOver(entityId: number, signal: AbortSignal): Promise<void>
  }
  readonly pollEveryMs: number
}

const readBytes = 1024 * 1024

/** Resolves when all rows of an entity that were acknowledged so far are published. Rejects with the signal's reason. */
export async function rowsArePublished(
  parts: PublishedRowsParts,
  entityId: number,
  signal: AbortSignal,
): Promise<void> {
  const { journal, progress, client, clusterName, supervisors, pollEveryMs } = parts
  const ranges = await journal.acknowledged()
  await Promise.all(ranges.map(({ before }) => progress.waitFor(before, signal)))
  const topic = rowsTopic(clusterName, entityId)
  const places = (await client.leadersOf(topic)).map((_, partition) => ({ topic, partition }))
  const ends = await Promise.all(places.map((place) => endOffset(client, place, 'last')))
  for (;;) {
    signal.throwIfAborted()
    const from = await supervisors.readFrom(entityId)
    const isRead = async (place: PartitionPlace): Promise<boolean> =>
      isPast(client, place, from?.get(place.partition) ?? 0, ends[place.partition]!)
    if ((await Promise.all(places.map(isRead))).every(Boolean)) return
    if (await supervisors.isSettled(entityId)) await supervisors.handOver(entityId, signal)
    await sleep(pollEveryMs, undefined, { signal })
  }
}

/** Whether there are no rows from an offset to the end. Tasks never read transaction markers and aborted rows. */
async function isPast(client: KafkaClient, place: PartitionPlace, from: number, end: number): Promise<boolean> {
  let offset = Math.max(from, await endOffset(client, place, 'first'))
  while (offset < end) {
    const { records, nextOffset } = await fetchRecords(client, { ...place, offset, bytesMax: readBytes, waitMs: 0 })
    if (records.some((record) => record.offset < end)) return false
    if (nextOffset <= offset) return false
    offset = nextOffset
  }
  return true
}
