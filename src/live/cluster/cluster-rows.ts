// Rows of a cluster as they become queryable. Each partition of an entity's topic is told by a feed of its own, as the journal of one machine is; a reader
// gets what they tell, and how far it has come in all of them.
import type { ClusterChanges } from '../../catalog/cluster-catalog.ts'
import type { Definitions } from '../../catalog/definitions.ts'
import type { RowPlace } from '../../catalog/partitions.ts'
import type { KafkaClient } from '../../kafka/kafka-client.ts'
import { endOffset } from '../../kafka/read-partition.ts'
import type { RowsTopics } from '../../kafka/rows-topics.ts'
import { rowsTopic } from '../../model/druid-row.ts'
import { Problem } from '../../model/problem.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import type { SeriesQuerier } from '../../store/series-store.ts'
import { LiveFeed } from '../live-feed.ts'
import type { Follower, Following, LiveQuestion, LiveRows } from '../live-rows.ts'
import type { Held } from './cluster-ids.ts'
import { FollowedPartitions } from './followed-partitions.ts'
import { PartitionRows } from './partition-rows.ts'

export interface ClusterRowsParts {
  readonly client: KafkaClient
  readonly clusterName: string
  readonly rowsTopics: Pick<RowsTopics, 'ensure'>
  readonly definitions: Pick<Definitions, 'entities'>
  readonly store: Pick<SeriesQuerier, 'run'>
  readonly changes: ClusterChanges
  readonly isSeen: (entityId: number, row: RowPlace) => Promise<boolean>
  readonly observe: Observe
  readonly nowMs: () => number
  /** How long the first reader of an entity waits until queries see what is committed, and anybody for Kafka. */
  readonly waitMs: number
}

interface Opened {
  readonly followed: FollowedPartitions
  readonly rows: readonly PartitionRows[]
}

interface Told {
  readonly opened: Promise<Opened>
  readonly stop: AbortController
  readers: number
}

const retryDelayMs = 1000
const retryAfterS = 2

export class ClusterRows implements LiveRows<string> {
  readonly #parts: ClusterRowsParts
  /** Of entities that have readers, by id. */
  readonly #told = new Map<number, Told>()

  constructor(parts: ClusterRowsParts) {
    this.#parts = parts
    parts.changes.listen({ partitions: () => this.#look(), definitions: () => undefined, access: () => undefined })
  }

  async follow(question: LiveQuestion, from: string | null, follower: Follower<string>): Promise<Following> {
    const { entityId } = question.plan.selection
    const told = this.#told.get(entityId) ?? this.#open(entityId)
    told.readers++
    let hasEnded = false
    const left = (): void => {
      if (!hasEnded) this.#left(entityId, told)
      hasEnded = true
    }
    try {
      const { followed, rows } = await told.opened
      // Who begins now is told nothing that was queryable before.
      if (from === null) await this.#reach(rows)
      const following = followed.follow(question, from, follower)
      return {
        wait: (waits) => following.wait(waits),
        end: () => {
          following.end()
          left()
        },
      }
    } catch (error) {
      left()
      throw untold(error)
    }
  }

  /** As `ClusterIdsParts.held`. */
  async held(entityId: number): Promise<readonly Held[]> {
    const { client, waitMs } = this.#parts
    const signal = AbortSignal.timeout(waitMs)
    try {
      const topic = this.#topicOf(entityId)
      const partitions = await this.#partitionsOf(entityId, signal)
      return await client.persist(
        () =>
          Promise.all(
            Array.from({ length: partitions }, async (_, partition) => ({
              firstOffset: await endOffset(client, { topic, partition }, 'first'),
              endOffset: await endOffset(client, { topic, partition }, 'last'),
            })),
          ),
        signal,
      )
    } catch (error) {
      throw untold(error)
    }
  }

  close(): void {
    for (const { stop } of this.#told.values()) stop.abort()
    this.#told.clear()
    this.#parts.client.close()
  }

  #topicOf(entityId: number): string {
    return rowsTopic(this.#parts.clusterName, entityId)
  }

  /** An entity that was never pushed to has no topic yet. */
  #partitionsOf(entityId: number, signal: AbortSignal): Promise<number> {
    const { client, rowsTopics } = this.#parts
    return client.persist(() => rowsTopics.ensure(entityId, signal), signal)
  }

  #open(entityId: number): Told {
    const stop = new AbortController()
    const told = { opened: this.#openPartitions(entityId, stop), stop, readers: 0 }
    this.#told.set(entityId, told)
    // The next reader tries again.
    told.opened.catch(() => this.#end(entityId, told))
    return told
  }

  async #openPartitions(entityId: number, { signal }: AbortController): Promise<Opened> {
    const { client, definitions, isSeen, store, observe, nowMs, waitMs } = this.#parts
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const partitions = await this.#partitionsOf(entityId, within)
    const failed = checkFailed(observe)
    const rows = Array.from({ length: partitions }, (_, partition) => {
      const place = { topic: this.#topicOf(entityId), partition }
      const entity = () => definitions.entities().find(({ id }) => id === entityId)
      const moved = (): void => feeds[partition]?.moved()
      return new PartitionRows({ ...{ client, place, entityId, entity, isSeen, moved, failed, nowMs, signal } })
    })
    const followed = new FollowedPartitions((send) =>
      rows.map((own, partition) => {
        const position = (): number => own.position
        return new LiveFeed({
          rows: own,
          position,
          store,
          send: (news) => send(partition, news),
          observe,
          signal,
          retryDelayMs,
        })
      }),
    )
    const { feeds } = followed
    await Promise.all(rows.map((own) => client.persist(() => own.begin(within), within)))
    for (const own of rows) void own.run()
    return { followed, rows }
  }

  async #reach(rows: readonly PartitionRows[]): Promise<void> {
    const signal = AbortSignal.timeout(this.#parts.waitMs)
    await Promise.all(rows.map((own) => this.#parts.client.persist(() => own.reach(signal), signal)))
  }

  #look(): void {
    for (const { opened } of this.#told.values()) {
      opened.then(
        ({ rows }) => {
          for (const own of rows) own.look()
        },
        () => undefined,
      )
    }
  }

  #left(entityId: number, told: Told): void {
    told.readers--
    if (told.readers === 0) this.#end(entityId, told)
  }

  #end(entityId: number, told: Told): void {
    told.stop.abort()
    if (this.#told.get(entityId) === told) this.#told.delete(entityId)
  }
}

function untold(cause: unknown): Problem {
  if (cause instanceof Problem) return cause
  return new Problem(
    'unavailable',
    'Live rows cannot be told now: Kafka is away, or queries do not see yet what is stored. Try again later.',
    { retryAfterS, cause },
  )
}
