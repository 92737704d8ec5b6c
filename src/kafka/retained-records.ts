// Controls how long Kafka keeps the records of a topic: they do not expire by age, and are deleted only by us. Also reads the free disk space.
import { deleteRecordsV2, describeLogDirsV4 } from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'
import type { PartitionPlace } from './read-partition.ts'

/** Settings of a topic whose records Kafka never deletes automatically. */
export const keepAll = { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'retention.bytes': '-1' }

/** Deletes the records of a partition before an offset. */
export async function deleteBefore(
  client: KafkaClient,
  { topic, partition }: PartitionPlace,
  offset: number,
): Promise<void> {
  const leader = await client.leaderOf(topic, partition)
  const partitions = [{ partitionIndex: partition, offset: BigInt(offset) }]
  await client.ask(leader, deleteRecordsV2.api, [{ name: topic, partitions }], client.timeoutMs)
}

/** The free bytes on the disk of Kafka's brokers that has the least of them; infinite if the brokers do not report them. */
export async function leastFreeBytes(client: KafkaClient): Promise<number> {
  const brokers = await client.brokerIds()
  const answers = await Promise.all(brokers.map((broker) => client.ask(broker, describeLogDirsV4.api, [])))
  const free = answers.flatMap(({ results }) => results.map(({ usableBytes }) => Number(usableBytes)))
  return Math.min(...free.filter((bytes) => bytes >= 0))
}
