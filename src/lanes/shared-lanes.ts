// The pipelines of a cluster share the lanes of the journal. Each lane has one judge at a time: a pipeline that takes a lane over shuts
// the former one out.

import { setTimeout as sleep } from 'node:timers/promises'
import type { LaneCatalog } from '../catalog/lanes.ts'
import type { SetAsideCatalog } from '../catalog/set-aside.ts'
import type { EntryJudge } from '../ingest/entry-judge.ts'
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
import { type LaneParts, LaneTaken, LaneWorker } from './lane-worker.ts'

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

export interface SharedLanesParts {
  readonly client: KafkaClient
  /** A cursor of its own for each lane. */
  readonly openCursor: () => JournalCursor
  readonly rowsTopics: RowsTopics
  readonly lanes: LaneCatalog
  readonly outcomes: LaneParts['outcomes']
  readonly judge: EntryJudge
  /** Told of the entities whose rows are in their topics now. */
  readonly written?: (entityIds: readonly number[]) => void
  readonly setAside: Pick<SetAsideCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  readonly settings: PipelineSettings
}

const heartbeatsASession = 4
/** All members say that they are there within a heartbeat or so. */
const rebalanceTimeoutMs = 10_000
/** The rows of the largest body, over a slow network. Who takes a lane over ends what is left open, so that nobody waits for this. */
const transactionTimeoutMs = 300_000
const retryMs = 500
const refreshMs = 1000

interface Lane {
  readonly stop: AbortController
  readonly running: Promise<void>
}

export class SharedLanes {
  readonly #parts: SharedLanesParts
  readonly #stop = new AbortController()
  readonly #lanes = new Map<number, Lane>()
  readonly #member: Promise<void>
  readonly #refreshing: Promise<void>

  /** Begins to judge the lanes that it is given. */
  constructor(parts: SharedLanesParts) {
    this.#parts = parts
    const { client, settings } = parts
    const { topic, sessionTimeoutMs } = settings
    const member = new GroupMember(client, {
      group: this.#group,
      topic,
      sessionTimeoutMs,
      heartbeatMs: this.#heartbeatMs,
      rebalanceTimeoutMs,
      assigned: (lanes) => this.#assigned(new Set(lanes)),
    })
    this.#member = member.run(this.#stop.signal)
    this.#refreshing = this.#refresh()
  }

  /** The lanes that are judged here. */
  get lanes(): readonly number[] {
    return [...this.#lanes.keys()]
  }

  /** Resolves when the steps that are being made are done, and the others have the lanes. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#assigned(new Set())
    await Promise.all([this.#member, this.#refreshing, ...[...this.#lanes.values()].map(({ running }) => running)])
  }

  get #group(): string {
    return `${this.#parts.settings.clusterName}-pipeline`
  }

  get #heartbeatMs(): number {
    return this.#parts.settings.sessionTimeoutMs / heartbeatsASession
  }

  #assigned(assigned: ReadonlySet<number>): void {
    for (const [lane, { stop }] of this.#lanes) if (!assigned.has(lane)) stop.abort()
    if (this.#stop.signal.aborted) return
    for (const lane of assigned) {
      const known = this.#lanes.get(lane)
      if (known !== undefined && !known.stop.signal.aborted) continue
      const stop = new AbortController()
      // One that is given back at once is begun anew when it has ended.
      const running = Promise.resolve(known?.running).then(() => this.#judge(lane, stop.signal))
      const own: Lane = { stop, running }
      this.#lanes.set(lane, own)
      void running.then(() => {
        if (this.#lanes.get(lane) === own) this.#lanes.delete(lane)
      })
    }
  }

  /** Never rejects: what fails is begun anew. */
  async #judge(lane: number, signal: AbortSignal): Promise<void> {
    const { openCursor, observe } = this.#parts
    while (!signal.aborted) {
      const journal = openCursor()
      try {
        await this.#worker(lane, journal).run(signal)
      } catch (error) {
        const message = messageOf(error)
        // Who is shut out hears within a few heartbeats that the lane is another's; if it is not, the lane is taken back.
        const isTaken = error instanceof LaneTaken || isFenced(error)
        const retryInMs = isTaken ? 2 * this.#heartbeatMs : retryMs
        if (!signal.aborted) observe({ kind: 'laneFailed', lane, message, retryInMs })
        await sleep(retryInMs, undefined, { signal }).catch(() => {})
      } finally {
        await journal.close()
      }
    }
    observe({ kind: 'laneLeft', lane })
  }

  #worker(lane: number, journal: JournalCursor): LaneWorker {
    const { client, settings, rowsTopics, lanes, outcomes, judge, setAside, nowMs, written, observe } = this.#parts
    const { topic, compression, stepBytes, stepRows, timeoutMs } = settings
    const transactionalId = `${this.#group}-${lane}`
    const place = { topic, partition: lane }
    const firstOffset = (): Promise<number> =>
      client.persist(
        async () => (await committedOffset(client, this.#group, place)) ?? endOffset(client, place, 'first'),
        AbortSignal.timeout(timeoutMs),
      )
    return new LaneWorker({
      lane,
      journal,
      firstOffset,
      place: { group: this.#group, topic },
      producer: new TransactionalProducer(client, { transactionalId, compression, transactionTimeoutMs }),
      rowsTopics,
      lanes,
      outcomes,
      judge,
      written: written ?? (() => undefined),
      setAside,
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
      // The catalog may be away: then lanes stand still as well.
      await this.#parts.judge.refresh().catch(() => {})
    }
  }
}
