// Deletes Kafka records that are no longer needed and old enough: pushes that were validated, and rows that Druid has published.
import type { PartitionCatalog } from '../catalog/partitions.ts'
import { offsetFrom } from '../journal/partition-position.ts'
import type { KafkaClient } from '../kafka/kafka-client.ts'
import { committedOffset, endOffset, offsetSince, type PartitionPlace } from '../kafka/read-partition.ts'
import { deleteBefore } from '../kafka/retained-records.ts'
import { rowsTopic } from '../model/druid-row.ts'
import type { Observe } from '../observe/event.ts'

export interface TopicTrimParts {
  readonly client: KafkaClient
  readonly clusterName: string
  /** The topic of the journal, and the group that validates it. */
  readonly journal: string
  readonly group: string
  readonly partitions: Pick<PartitionCatalog, 'partition'>
  /** By partition, the offset from which Druid would read an entity's topic again; null while it is not known. */
  readonly readFrom: (entityId: number) => Promise<ReadonlyMap<number, number> | null>
  /** Younger records are kept. */
  readonly retentionMs: number
  readonly nowMs: () => number
  readonly observe: Observe
}

export class TopicTrim {
  readonly #parts: TopicTrimParts
  /** The first offset that was needed at the last check, by topic and partition. */
  #needed: ReadonlyMap<string, number> = new Map()

  constructor(parts: TopicTrimParts) {
    this.#parts = parts
  }

  /**
   * One round over the journal and the topics of these entities, which deletes records that are no longer needed. Throws the first failure after all were
   * tried: one topic that cannot be trimmed must not let the others grow.
   */
  async check(entityIds: readonly number[]): Promise<void> {
    const needed = new Map<string, number>()
    const failures: unknown[] = []
    const attempt = (work: Promise<void>): Promise<unknown> => work.catch((error: unknown) => failures.push(error))
    await attempt(this.#trimJournal())
    for (const entityId of entityIds) await attempt(this.#trimRows(entityId, needed))
    this.#needed = needed
    if (failures.length > 0) throw failures[0]
  }

  async #trimJournal(): Promise<void> {
    const { client, journal, group, partitions } = this.#parts
    const count = (await client.leadersOf(journal)).length
    for (let partition = 0; partition < count; partition++) {
      const place = { topic: journal, partition }
      // Kafka forgets the committed offset of a group that is inactive for long; the catalog does not.
      const committed = (await committedOffset(client, group, place)) ?? 0
      const { processedPosition } = await partitions.partition(partition)
      await this.#trim(place, Math.max(committed, offsetFrom(processedPosition)))
    }
  }

  async #trimRows(entityId: number, needed: Map<string, number>): Promise<void> {
    const { clusterName, readFrom } = this.#parts
    const topic = rowsTopic(clusterName, entityId)
    const from = await readFrom(entityId)
    for (const [partition, offset] of from ?? []) {
      const name = `${topic}:${partition}`
      needed.set(name, offset)
      // After a failure, a task and the rows that will be read again are missing from Druid's report for a moment. Two checks must therefore agree.
      await this.#trim({ topic, partition }, Math.min(offset, this.#needed.get(name) ?? 0))
    }
  }

  async #trim(place: PartitionPlace, neededFrom: number): Promise<void> {
    const { client, retentionMs, nowMs, observe } = this.#parts
    const first = await endOffset(client, place, 'first')
    if (neededFrom <= first) return
    const before = Math.min(neededFrom, await offsetSince(client, place, nowMs() - retentionMs))
    if (before <= first) return
    await deleteBefore(client, place, before)
    observe({ kind: 'topicTrimmed', ...place, beforeOffset: before })
  }
}
