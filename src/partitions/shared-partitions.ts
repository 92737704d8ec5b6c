// The pipelines of a cluster share the partitions of the journal. Each partition has one validator at a time: a pipeline that takes over a partition
// fences off the former one.

import { setTimeout as sleep } from 'node:timers/promises'
import type { PartitionCatalog } from '../catalog/partitions.ts'
import type { QuarantineCatalog } from '../catalog/quarantine.ts'
import type { EntryValidator } from '../ingest/entry-validator.ts'
import type { JournalCursor } from '../journal/journal.ts'
import { GroupMember } from '../kafka/group-member.ts'
import type { KafkaClient } from '../kafka/kafka-client.ts'
import { isFenced } from '../kafka/kafka-errors.ts'
import type { Compression } from '../kafka/produce.ts'
import { committedOffset, endOffset } from '../kafka/read-partition.ts'
import type { RowsTopics } from '../kafka/rows-topics.ts'
import { TransactionalProducer } from '../kafka/transactional-producer.ts'
import { messageOf } from '../lib/message-of.ts'
import type { Observe } from '../observe/event.ts'
import { type PartitionParts, PartitionTaken, PartitionWorker } from './partition-worker.ts'

export interface PipelineSettings {
  readonly clusterName: string
  /** The topic of the journal. */
  readonly topic: string
  readonly compression: Compression
  readonly stepBytes: number
  readonly stepRows: number
  readonly timeoutMs: number
  /** A pipeline that sends no heartbeat for this long is taken for dead. */
  readonly sessionTimeoutMs: number
}

export interface SharedPartitionsParts {
  readonly client: KafkaClient
  /** Opens a separate cursor for each partition. */
  readonly openCursor: () => JournalCursor
  readonly rowsTopics: RowsTopics
  readonly partitions: PartitionCatalog
  readonly outcomes: PartitionParts['outcomes']
  readonly validator: EntryValidator
  /** Called with the entities whose rows are in their topics now. */
  readonly written?: (entityIds: readonly number[]) => void
  readonly quarantine: Pick<QuarantineCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  readonly settings: PipelineSettings
}

const heartbeatsASession = 4
/** All members rejoin within about one heartbeat. */
const rebalanceTimeoutMs = 10_000
/** Enough for the rows of the largest body over a slow network. A pipeline that takes over a partition ends the open transaction without this wait. */
const transactionTimeoutMs = 300_000
const retryMs = 500
const refreshMs = 1000

interface Partition {
  readonly stop: AbortController
  readonly running: Promise<void>
}

export class SharedPartitions {
  readonly #parts: SharedPartitionsParts
  readonly #stop = new AbortController()
  readonly #partitions = new Map<number, Partition>()
  readonly #member: Promise<void>
  readonly #refreshing: Promise<void>

  /** Starts to validate the partitions that are assigned to it. */
  constructor(parts: SharedPartitionsParts) {
    this.#parts = parts
    const { client, settings } = parts
    const { topic, sessionTimeoutMs } = settings
    const member = new GroupMember(client, {
      group: this.#group,
      topic,
      sessionTimeoutMs,
      heartbeatMs: this.#heartbeatMs,
      rebalanceTimeoutMs,
      assigned: (partitions) => this.#assigned(new Set(partitions)),
    })
    this.#member = member.run(this.#stop.signal)
    this.#refreshing = this.#refresh()
  }

  /** The partitions that this process validates. */
  get partitions(): readonly number[] {
    return [...this.#partitions.keys()]
  }

  /** Resolves when the steps in progress have ended and the partitions are released to other pipelines. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#assigned(new Set())
    await Promise.all([this.#member, this.#refreshing, ...[...this.#partitions.values()].map(({ running }) => running)])
  }

  get #group(): string {
    return `${this.#parts.settings.clusterName}-pipeline`
  }

  get #heartbeatMs(): number {
    return this.#parts.settings.sessionTimeoutMs / heartbeatsASession
  }

  #assigned(assigned: ReadonlySet<number>): void {
    for (const [partition, { stop }] of this.#partitions) if (!assigned.has(partition)) stop.abort()
    if (this.#stop.signal.aborted) return
    for (const partition of assigned) {
      const known = this.#partitions.get(partition)
      if (known !== undefined && !known.stop.signal.aborted) continue
      const stop = new AbortController()
      // A partition that is assigned again at once is restarted when its worker has ended.
      const running = Promise.resolve(known?.running).then(() => this.#validate(partition, stop.signal))
      const own: Partition = { stop, running }
      this.#partitions.set(partition, own)
      void running.then(() => {
        if (this.#partitions.get(partition) === own) this.#partitions.delete(partition)
      })
    }
  }

  /** Never rejects: a worker that fails is restarted. */
  async #validate(partition: number, signal: AbortSignal): Promise<void> {
    const { openCursor, observe } = this.#parts
    while (!signal.aborted) {
      const journal = openCursor()
      try {
        await this.#worker(partition, journal).run(signal)
      } catch (error) {
        const message = messageOf(error)
        // A worker that was fenced off learns within a few heartbeats that the partition belongs to another; if it does not, it takes the partition back.
        const isTaken = error instanceof PartitionTaken || isFenced(error)
        const retryInMs = isTaken ? 2 * this.#heartbeatMs : retryMs
        if (!signal.aborted) observe({ kind: 'partitionFailed', partition, message, retryInMs })
        await sleep(retryInMs, undefined, { signal }).catch(() => {})
      } finally {
        await journal.close()
      }
    }
    observe({ kind: 'partitionLeft', partition })
  }

  #worker(partition: number, journal: JournalCursor): PartitionWorker {
    const { client, settings, rowsTopics, partitions, outcomes, validator, quarantine, nowMs, written, observe } =
      this.#parts
    const { topic, compression, stepBytes, stepRows, timeoutMs } = settings
    const transactionalId = `${this.#group}-${partition}`
    const place = { topic, partition }
    const firstOffset = (): Promise<number> =>
      client.persist(
        async () => (await committedOffset(client, this.#group, place)) ?? endOffset(client, place, 'first'),
        AbortSignal.timeout(timeoutMs),
      )
    return new PartitionWorker({
      partition,
      journal,
      firstOffset,
      place: { group: this.#group, topic },
      producer: new TransactionalProducer(client, { transactionalId, compression, transactionTimeoutMs }),
      rowsTopics,
      partitions,
      outcomes,
      validator,
      written: written ?? (() => undefined),
      quarantine,
      nowMs,
      observe,
      stepBytes,
      stepRows,
      timeoutMs,
    })
  }

  /** Keeps the validator informed about dropped entities. */
  async #refresh(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await sleep(refreshMs, undefined, { signal }).catch(() => {})
      // If the catalog is unavailable, the partitions make no progress either.
      await this.#parts.validator.refresh().catch(() => {})
    }
  }
}
