import { fetchV12 } from '@platformatic/kafka'
import type { KafkaClient } from '../../src/kafka/kafka-client.ts'
import { endOffset } from '../../src/kafka/read-partition.ts'

interface Aborted {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

const controlBatch = 1 << 5
const abortMarker = 0

/** All values of a partition that a read-committed consumer sees, up to its current end. */
export async function committedRecords(client: KafkaClient, topic: string, partition: number): Promise<Buffer[]> {
  const values: Buffer[] = []
  const end = await endOffset(client, { topic, partition }, 'last')
  for (let offset = await endOffset(client, { topic, partition }, 'first'); offset < end; ) {
    const wanted = {
      partition,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
      fetchOffset: BigInt(offset),
      partitionMaxBytes: 1 << 24,
    }
    const topics = [{ topicId: topic, partitions: [wanted] }]
    const leader = await client.leaderOf(topic, partition)
    const answer = await client.ask(leader, fetchV12.api, 500, 1, 1 << 24, 1, 0, 0, topics, [], '')
    const found = answer.responses[0]?.partitions[0]
    const aborted: Aborted[] = [...(found?.abortedTransactions ?? [])]
    for (const batch of found?.records ?? []) {
      const next = Number(batch.firstOffset) + batch.lastOffsetDelta + 1
      if ((batch.attributes & controlBatch) !== 0) {
        const isAbort = batch.records[0]?.key?.readInt16BE(2) === abortMarker
        const index = aborted.findIndex(({ producerId }) => producerId === batch.producerId)
        if (isAbort && index >= 0) aborted.splice(index, 1)
      } else if (!aborted.some((one) => one.producerId === batch.producerId && one.firstOffset <= batch.firstOffset)) {
        for (const { offsetDelta, value } of batch.records) {
          if (Number(batch.firstOffset) + offsetDelta >= offset && value !== null) values.push(value)
        }
      }
      offset = Math.max(offset, next)
    }
  }
  return values
}
