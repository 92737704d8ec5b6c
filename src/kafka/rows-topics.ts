import { rowsTopic } from '../model/druid-row.ts'
import { allTopics, topicEnds } from './all-topics.ts'
import type { KafkaClient } from './kafka-client.ts'
import type { RecordBatch } from './produce.ts'
import { keepAll } from './retained-records.ts'
import { allowMessagesOf, deleteTopic, ensureTopic, messageBytes, setTopic } from './topics.ts'

export interface RowsTopicSettings {
  readonly clusterName: string
  /** Partitions of an entity's topic: one for each journal partition that its pushes are spread over. */
  readonly partitions: number
  readonly replicationFactor: number
  /** The largest pushed row. */
  readonly rowBytesMax: number
}

const headroomBytes = 4 * 1024 * 1024
/** The approximate size of the records in one batch. */
const batchBytes = 1024 * 1024
/** The bytes of a batch in addition to its records. */
const batchHeadroomBytes = 1024

/** The topics that Druid reads rows from, one for each series entity. A topic is created when it is first written to. */
export class RowsTopics {
  readonly #client: KafkaClient
  readonly #settings: RowsTopicSettings
  readonly #partitions = new Map<number, number>()
  /** Entities whose topic has the required settings. */
  readonly #kept = new Set<number>()

  constructor(client: KafkaClient, settings: RowsTopicSettings) {
    this.#client = client
    this.#settings = settings
  }

  /** The records of one entity as batches for its topic. All rows of a journal partition go to one partition. */
  async batches(
    entityId: number,
    journalPartition: number,
    records: readonly Buffer[],
    signal: AbortSignal,
  ): Promise<RecordBatch[]> {
    const topic = rowsTopic(this.#settings.clusterName, entityId)
    const partition = journalPartition % (this.#partitions.get(entityId) ?? (await this.ensure(entityId, signal)))
    // The topic must accept a batch that contains only the largest record.
    const largestBytes = records.reduce((bytes, record) => Math.max(bytes, record.length), 0) + batchHeadroomBytes
    if (largestBytes > this.#messageBytes) await allowMessagesOf(this.#client, topic, largestBytes)
    const batches: { topic: string; partition: number; values: Buffer[] }[] = []
    let bytes = Number.POSITIVE_INFINITY
    for (const record of records) {
      if (bytes + record.length > batchBytes) {
        batches.push({ topic, partition, values: [] })
        bytes = 0
      }
      batches.at(-1)!.values.push(record)
      bytes += record.length
    }
    return batches
  }

  /** Creates the topic of an entity if needed, and resolves with its number of partitions. */
  async ensure(entityId: number, signal: AbortSignal): Promise<number> {
    const { clusterName, partitions, replicationFactor } = this.#settings
    const settings = { [messageBytes]: String(this.#messageBytes), ...keepAll }
    const name = rowsTopic(clusterName, entityId)
    const definition = { name, partitions, replicationFactor, settings }
    const found = await ensureTopic(this.#client, definition, signal)
    if (!this.#kept.has(entityId)) {
      await setTopic(this.#client, name, keepAll)
      // The largest allowed row may have been increased since the topic was created.
      await allowMessagesOf(this.#client, name, this.#messageBytes)
    }
    this.#kept.add(entityId)
    this.#partitions.set(entityId, found)
    return found
  }

  /** Names and numbers may take more bytes than in the pushed row. */
  get #messageBytes(): number {
    return 2 * this.#settings.rowBytesMax + headroomBytes
  }

  /** Deletes the topic of an entity that was dropped. */
  async remove(entityId: number): Promise<void> {
    this.#partitions.delete(entityId)
    this.#kept.delete(entityId)
    await deleteTopic(this.#client, rowsTopic(this.#settings.clusterName, entityId))
  }

  /** The end offsets of these entities' topics, by partition. Topics that do not exist, or cannot be queried now, are omitted. */
  async ends(entityIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const topics = new Map(entityIds.map((id) => [rowsTopic(this.#settings.clusterName, id), id]))
    const ends = await topicEnds(this.#client, [...topics.keys()])
    return new Map([...ends].map(([topic, offsets]) => [topics.get(topic)!, offsets]))
  }

  /** Those of these entities that have a topic. */
  async left(entityIds: ReadonlySet<number>): Promise<readonly number[]> {
    const there = await allTopics(this.#client)
    return [...entityIds].filter((id) => there.has(rowsTopic(this.#settings.clusterName, id)))
  }

  /** Discards the known topics, so that they are requested again: one may have been deleted. */
  forget(): void {
    this.#partitions.clear()
  }
}
