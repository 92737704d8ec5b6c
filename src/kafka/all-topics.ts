// Reads the state of all Kafka topics at once. Some may be broken, including topics that are not ours; the others are returned all the same.
import { listOffsetsV7, MultipleErrors, metadataV12 } from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'

const noLeader = -1
const anyEpoch = -1
const latest = -1n

/** By topic, the leaders of its partitions; negative where a partition has no leader now. */
export async function allTopics(client: KafkaClient): Promise<ReadonlyMap<string, readonly number[]>> {
  const { topics } = await evenInPart(client.ask('any', metadataV12.api, null, false, false))
  const found = new Map<string, readonly number[]>()
  for (const { name, partitions } of topics) {
    const leaders: number[] = []
    for (const { partitionIndex, leaderId } of partitions) leaders[partitionIndex] = leaderId
    if (name != null) found.set(name, leaders)
  }
  return found
}

/** The end offsets of these topics, by partition. Topics that do not exist, or cannot be queried now, are omitted. */
export async function topicEnds(
  client: KafkaClient,
  topics: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  // Makes the brokers known, so that leaders can be queried.
  await client.brokerIds()
  const all = await allTopics(client)
  const ends = new Map<string, number[]>()
  for (const topic of topics) {
    const leaders = all.get(topic) ?? []
    if (leaders.length > 0 && leaders.every((leader) => leader > noLeader)) ends.set(topic, [])
  }
  const byLeader = new Map<number, { readonly name: string; readonly partitions: { partitionIndex: number }[] }[]>()
  for (const name of ends.keys()) {
    for (const [partitionIndex, leader] of all.get(name)!.entries()) {
      const asked = byLeader.get(leader) ?? []
      byLeader.set(leader, asked)
      if (asked.at(-1)?.name !== name) asked.push({ name, partitions: [] })
      asked.at(-1)!.partitions.push({ partitionIndex })
    }
  }
  for (const [leader, asked] of byLeader) {
    const wanted = asked.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map((partition) => ({ ...partition, currentLeaderEpoch: anyEpoch, timestamp: latest })),
    }))
    const answer = await evenInPart(client.ask(leader, listOffsetsV7.api, -1, 0, wanted))
    for (const { name, partitions } of answer.topics) {
      for (const { partitionIndex, offset, errorCode } of partitions) {
        if (errorCode === 0) ends.get(name)![partitionIndex] = Number(offset)
      }
    }
  }
  for (const [name, own] of ends) if (Object.keys(own).length < all.get(name)!.length) ends.delete(name)
  return ends
}

/** A response with some errors also contains everything else. */
async function evenInPart<Answer extends object>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    const answer: unknown = error instanceof MultipleErrors ? Reflect.get(error, 'response') : undefined
    if (!isAnswer<Answer>(answer)) throw error
    return answer
  }
}

function isAnswer<Answer extends object>(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, 'topics'))
}
