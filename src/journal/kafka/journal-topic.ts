import type { KafkaClient } from '../../kafka/kafka-client.ts'
import { isTransient } from '../../kafka/kafka-errors.ts'
import { keepAll } from '../../kafka/retained-records.ts'
import { allowMessagesOf, ensureTopic, messageBytes, setTopic } from '../../kafka/topics.ts'
import { partitionsMax } from '../partition-position.ts'

export interface JournalTopic {
  readonly name: string
  /** The number of partitions of a new topic; an existing one keeps its own. */
  readonly partitions: number
  readonly replicationFactor: number
  /** The largest body of a push. */
  readonly bodyBytesMax: number
}

const headroomBytes = 1024 * 1024
/** Bodies of the smallest rows (`{}` and a comma) need a further record for each 256 rows. */
const headroomShare = 1 / 32

/** The largest batch: a push with the largest body, or many smaller ones. */
function batchBytesMax(bodyBytesMax: number): number {
  return Math.ceil(bodyBytesMax * (1 + headroomShare)) + headroomBytes
}

/** Creates the topic if needed, and resolves to its number of partitions. Throws an Error that describes the fault of an existing topic. */
export async function openJournalTopic(client: KafkaClient, topic: JournalTopic, signal: AbortSignal): Promise<number> {
  const { name, partitions: wanted, replicationFactor, bodyBytesMax } = topic
  const neededBytes = batchBytesMax(bodyBytesMax)
  const settings = { [messageBytes]: String(neededBytes), ...keepAll }
  const definition = { name, partitions: wanted, replicationFactor, settings }
  const partitions = await ensureTopic(client, definition, signal)
  if (partitions > partitionsMax) {
    throw new Error(`the topic ${name} has ${partitions} partitions, but a journal has at most ${partitionsMax}`)
  }
  // A topic made by hand deletes messages after a week, validated or not.
  await setTopic(client, name, keepAll)
  // The largest body may have been increased since the topic was made.
  await allowMessagesOf(client, name, neededBytes).catch((cause: unknown) => {
    throw isTransient(cause) ? cause : mustTake(name, neededBytes, cause)
  })
  return partitions
}

function mustTake(topic: string, bytes: number, cause: unknown): Error {
  const message = `the topic ${topic} accepts smaller messages than limits.ingestBodyBytes needs, and Kafka does not allow this service to change that: set its max.message.bytes to ${bytes}`
  return new Error(message, { cause })
}
