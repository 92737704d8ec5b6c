import {
  ConfigResourceTypes,
  createTopicsV7,
  deleteTopicsV6,
  describeConfigsV4,
  IncrementalAlterConfigOperationTypes,
  incrementalAlterConfigsV1,
} from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'
import { hasErrorId } from './kafka-errors.ts'

export interface TopicDefinition {
  readonly name: string
  readonly partitions: number
  readonly replicationFactor: number
  /** Settings of this topic alone, with Kafka's names and values. */
  readonly settings: Readonly<Record<string, string>>
}

export const messageBytes = 'max.message.bytes'
const set = IncrementalAlterConfigOperationTypes.SET
const topicExists: ReadonlySet<string> = new Set(['TOPIC_ALREADY_EXISTS'])
const unknownTopic: ReadonlySet<string> = new Set(['UNKNOWN_TOPIC_OR_PARTITION'])

/** Creates a topic if it does not exist, and resolves with its number of partitions. */
export async function ensureTopic(
  client: KafkaClient,
  definition: TopicDefinition,
  signal: AbortSignal,
): Promise<number> {
  const known = await client.persist(() => partitionsOf(client, definition.name), signal)
  if (known > 0) return known
  const { name, partitions, replicationFactor, settings } = definition
  const configs = Object.entries(settings).map(([setting, value]) => ({ name: setting, value }))
  const topic = { name, numPartitions: partitions, replicationFactor, assignments: [], configs }
  return client.persist(async () => {
    try {
      await client.ask('any', createTopicsV7.api, [topic], client.timeoutMs, false)
    } catch (error) {
      if (!hasErrorId(error, topicExists)) throw error
    }
    // Its leaders become known a moment later, and writers then find them.
    return (await client.leadersOf(name)).length
  }, signal)
}

/** 0 where there is no such topic. */
async function partitionsOf(client: KafkaClient, name: string): Promise<number> {
  try {
    return (await client.leadersOf(name)).length
  } catch (error) {
    if (hasErrorId(error, unknownTopic)) return 0
    throw error
  }
}

/** The value of a setting of a topic, whether set for it or for all topics. */
export async function topicSetting(client: KafkaClient, topic: string, setting: string): Promise<string | null> {
  const resource = { resourceName: topic, configurationKeys: [setting] }
  const resources = [{ resourceType: ConfigResourceTypes.TOPIC, ...resource }]
  const { results } = await client.ask('any', describeConfigsV4.api, resources, false, false)
  return results[0]?.configs.find(({ name }) => name === setting)?.value ?? null
}

/** Changes the settings of an existing topic. Settings that already have their value are not sent. */
export async function setTopic(
  client: KafkaClient,
  topic: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const configs: { name: string; value: string; configOperation: typeof set }[] = []
  for (const [name, value] of Object.entries(settings)) {
    if ((await topicSetting(client, topic, name)) !== value) configs.push({ name, value, configOperation: set })
  }
  if (configs.length === 0) return
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configs }
  await client.ask('any', incrementalAlterConfigsV1.api, [resource], false)
}

/**
 * Makes a topic accept messages of this many bytes. A topic that accepts larger ones is not changed. Throws Kafka's own error if the setting is not
 * allowed.
 */
export async function allowMessagesOf(client: KafkaClient, topic: string, bytes: number): Promise<void> {
  if (Number(await topicSetting(client, topic, messageBytes)) >= bytes) return
  await setTopic(client, topic, { [messageBytes]: String(bytes) })
}

/** Does nothing if the topic does not exist. */
export async function deleteTopic(client: KafkaClient, name: string): Promise<void> {
  try {
    await client.ask('any', deleteTopicsV6.api, [{ name }], client.timeoutMs)
  } catch (error) {
    if (!hasErrorId(error, unknownTopic)) throw error
  }
}
