// Rows of a cluster as they become queryable. Each partition of an entity's topic has its own feed, as the journal of a single machine does. A reader
// receives the rows of all feeds, and its position covers all partitions.
import type { ClusterChanges } from '../../catalog/cluster-catalog.ts'
import type { Definitions } from '../../catalog/definitions.ts'
import type { ClusterDeletionCatalog } from '../../catalog/deletions.ts'
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
import type { Follower, Following, LiveQuery, LiveRows } from '../live-rows.ts'
import type { Held } from './cluster-ids.ts'
import { EntityDeletions } from './entity-deletions.ts'
import { FollowedPartitions } from './followed-partitions.ts'
import { PartitionRows } from './partition-rows.ts'

export interface ClusterRowsParts {
  readonly client: KafkaClient
  readonly clusterName: string
  readonly rowsTopics: Pick<RowsTopics, 'ensure'>
  readonly definitions: Pick<Definitions, 'entities' | 'refresh'>
  readonly deletions: Pick<ClusterDeletionCatalog, 'changesAfter'>
  readonly store: Pick<SeriesQuerier, 'run'>
  readonly changes: ClusterChanges
  readonly isSeen: (entityId: number, row: RowPlace) => Promise<boolean>
  /** See `ClusterIdsParts`. */
  readonly changesKeptMs: number
  readonly observe: Observe
  readonly nowMs: () => number
  /** How long an entity's first reader waits until committed rows are queryable, and how long any call waits for Kafka. */
  readonly waitMs: number
}

interface Opened {
  readonly followed: FollowedPartitions
  readonly rows: readonly PartitionRows[]
  readonly deletions: EntityDeletions
}

interface OpenEntity {
  readonly opened: Promise<Opened>
  readonly stop: AbortController
  readers: number
}

const retryDelayMs = 1000
const retryAfterS = 2

export class ClusterRows implements LiveRows<string> {
  readonly #parts: ClusterRowsParts
  /** Entities that have readers, by id. */
  readonly #openEntities = new Map<number, OpenEntity>()

  constructor(parts: ClusterRowsParts) {
    this.#parts = parts
    parts.changes.listen({ partitions: () => this.#poll(), definitions: () => this.#settle(), access: () => undefined })
  }

  async follow(question: LiveQuery, from: string | null, follower: Follower<string>): Promise<Following> {
    const { entityId } = question.plan.selection
    const openEntity = this.#openEntities.get(entityId) ?? this.#open(entityId)
    openEntity.readers++
    let hasEnded = false
    const left = (): void => {
      if (!hasEnded) this.#readerEnded(entityId, openEntity)
      hasEnded = true
    }
    try {
      const { followed, rows, deletions } = await openEntity.opened
      // A new reader is not sent rows that were queryable, or deletions that were made, before. A resuming one may know deletions that this process does not.
      await Promise.all([from === null ? this.#reach(rows) : undefined, deletions.settle()])
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
      throw unavailable(error)
    }
  }

  /** See `ClusterIdsParts.held`. */
  async held(entityId: number): Promise<readonly Held[]> {
    try {
      const [first, last] = [await this.#endsOf(entityId, 'first'), await this.#endsOf(entityId, 'last')]
      return first.map((firstOffset, partition) => ({ firstOffset, endOffset: last[partition]! }))
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** See `DruidDeletionParts.ends`. Throws Problem `unavailable` while Kafka is unreachable. */
  async ends(entityId: number): Promise<readonly number[]> {
    try {
      return await this.#endsOf(entityId, 'last')
    } catch (cause) {
      const detail = 'Kafka does not report where the rows of the entity end. Nothing was changed: retry later.'
      throw new Problem('unavailable', detail, { retryAfterS, cause })
    }
  }

  async #endsOf(entityId: number, end: 'first' | 'last'): Promise<readonly number[]> {
    const { client, waitMs } = this.#parts
    const signal = AbortSignal.timeout(waitMs)
    const topic = this.#topicOf(entityId)
    const partitions = await this.#partitionsOf(entityId, signal)
    const places = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }))
    return client.persist(() => Promise.all(places.map((place) => endOffset(client, place, end))), signal)
  }

  close(): void {
    for (const { stop } of this.#openEntities.values()) stop.abort()
    this.#openEntities.clear()
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

  #open(entityId: number): OpenEntity {
    const stop = new AbortController()
    const openEntity = { opened: this.#openPartitions(entityId, stop), stop, readers: 0 }
    this.#openEntities.set(entityId, openEntity)
    // The next reader tries again.
    openEntity.opened.catch(() => this.#end(entityId, openEntity))
    return openEntity
  }

  async #openPartitions(entityId: number, { signal }: AbortController): Promise<Opened> {
    const { client, observe, waitMs } = this.#parts
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const partitions = await this.#partitionsOf(entityId, within)
    const moved = (partition: number): void => followed.feeds[partition]?.moved()
    const deletions = this.#deletionsOf(entityId, () => followed)
    const rows = this.#rowsOf({ entityId, partitions, deletions, moved, signal })
    const followed: FollowedPartitions = new FollowedPartitions((send) =>
      rows.map(
        (own, partition) =>
          new LiveFeed({
            rows: own,
            position: () => own.position,
            deletions: deletions.ofPartition(partition),
            store: this.#parts.store,
            send: (news) => send(partition, news),
            observe,
            signal,
            retryDelayMs,
          }),
      ),
    )
    await Promise.all(rows.map((own) => client.persist(() => own.begin(within), within)))
    for (const own of rows) void own.run()
    return { followed, rows, deletions }
  }

  #rowsOf({
    entityId,
    partitions,
    deletions,
    moved,
    signal,
  }: {
    readonly entityId: number
    readonly partitions: number
    readonly deletions: EntityDeletions
    readonly moved: (partition: number) => void
    readonly signal: AbortSignal
  }): PartitionRows[] {
    const { client, isSeen, observe, nowMs } = this.#parts
    return Array.from(
      { length: partitions },
      (_, partition) =>
        new PartitionRows({
          client,
          place: { topic: this.#topicOf(entityId), partition },
          entityId,
          entity: () => this.#entity(entityId),
          isSeen,
          settled: () => deletions.settle(),
          moved: () => moved(partition),
          failed: checkFailed(observe),
          nowMs,
          signal,
        }),
    )
  }

  #deletionsOf(entityId: number, followed: () => FollowedPartitions): EntityDeletions {
    const { definitions, deletions: catalog, changesKeptMs, nowMs } = this.#parts
    return new EntityDeletions({
      catalog,
      entityId,
      entity: () => this.#entity(entityId),
      refresh: () => definitions.refresh(),
      changed: () => {
        for (const feed of followed().feeds) feed.moved()
      },
      sentChange: () => followed().sentChange,
      changesKeptMs,
      nowMs,
    })
  }

  #entity(entityId: number): ReturnType<Definitions['entity']> {
    return this.#parts.definitions.entities().find(({ id }) => id === entityId)
  }

  async #reach(rows: readonly PartitionRows[]): Promise<void> {
    const signal = AbortSignal.timeout(this.#parts.waitMs)
    await Promise.all(rows.map((own) => this.#parts.client.persist(() => own.reach(signal), signal)))
  }

  #poll(): void {
    for (const { opened } of this.#openEntities.values()) {
      opened.then(
        ({ rows }) => {
          for (const own of rows) own.poll()
        },
        () => undefined,
      )
    }
  }

  /** Called when deletions may have been made or taken back. */
  #settle(): void {
    const failed = checkFailed(this.#parts.observe)
    for (const { opened } of this.#openEntities.values()) {
      opened.then(
        ({ deletions }) => deletions.settle().catch(failed),
        () => undefined,
      )
    }
  }

  #readerEnded(entityId: number, openEntity: OpenEntity): void {
    openEntity.readers--
    if (openEntity.readers === 0) this.#end(entityId, openEntity)
  }

  #end(entityId: number, openEntity: OpenEntity): void {
    openEntity.stop.abort()
    if (this.#openEntities.get(entityId) === openEntity) this.#openEntities.delete(entityId)
  }
}

function unavailable(cause: unknown): Problem {
  if (cause instanceof Problem) return cause
  return new Problem(
    'unavailable',
    'Live rows are not available now: Kafka does not answer, or stored rows are not queryable yet. Try again later.',
    { retryAfterS, cause },
  )
}
