// The pipelines of a cluster share the partitions of the journal. Each partition has one validator at a time: a pipeline that takes a partition over shuts
// the former one out.

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
  /** The journal's. */
  readonly topic: string
  readonly compression: Compression
  readonly stepBytes: number
  readonly stepRows: number
  readonly timeoutMs: number
  /** A pipeline that is not heard of for so long is taken for dead. */
  readonly sessionTimeoutMs: number
}

export interface SharedPartitionsParts {
  readonly client: KafkaClient
  /** A cursor of its own for each partition. */
  readonly openCursor: () => JournalCursor
  readonly rowsTopics: RowsTopics
  readonly partitions: PartitionCatalog
  readonly outcomes: PartitionParts['outcomes']
  readonly validator: EntryValidator
  /** Told of the entities whose rows are in their topics now. */
  readonly written?: (entityIds: readonly number[]) => void
  readonly quarantine: Pick<QuarantineCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  readonly settings: PipelineSettings
}

const heartbeatsASession = 4
/** All members say that they are there within a heartbeat or so. */
const rebalanceTimeoutMs = 10_000
/** The rows of the largest body, over a slow network. Who takes a partition over ends what is left open, so that nobody waits for this. */
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

  /** Begins to validate the partitions that it is given. */
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

  /** The partitions that are validated here. */
  get partitions(): readonly number[] {
    return [...this.#partitions.keys()]
  }

  /** Resolves when the steps that are being made are done, and the others have the partitions. */
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
      // One that is given back at once is begun anew when it has ended.
      const running = Promise.resolve(known?.running).then(() => this.#validate(partition, stop.signal))
      const own: Partition = { stop, running }
      this.#partitions.set(partition, own)
      void running.then(() => {
        if (this.#partitions.get(partition) === own) this.#partitions.delete(partition)
      })
    }
  }

  /** Never rejects: what fails is begun anew. */
  async #validate(partition: number, signal: AbortSignal): Promise<void> {
    const { openCursor, observe } = this.#parts
    while (!signal.aborted) {
      const journal = openCursor()
      try {
        await this.#worker(partition, journal).run(signal)
      } catch (error) {
        const message = messageOf(error)
        // Who is shut out hears within a few heartbeats that the partition is another's; if it is not, the partition is taken back.
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

  /** Learns of entities that are dropped. */
  async #refresh(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await sleep(refreshMs, undefined, { signal }).catch(() => {})
      // The catalog may be away: then partitions stand still as well.
      await this.#parts.validator.refresh().catch(() => {})
    }
  }
}
