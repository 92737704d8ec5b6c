// How far the pipelines of a cluster have come, as a process sees it that takes pushes: what the catalog tells, and what came through here.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterChanges } from '../catalog/cluster-catalog.ts'
import type { PartitionCatalog, PartitionState, StoredRows } from '../catalog/partitions.ts'
import type { RejectedCatalog } from '../catalog/rejected.ts'
import type { AcceptedPush, IngestProgress } from '../ingest/progress.ts'
import { positionAfter } from '../journal/journal.ts'
import { partitionOf, positionAt } from '../journal/partition-position.ts'
import { Serial } from '../lib/serial.ts'
import type { IngestCounters } from '../model/ingest.ts'
import { PendingRows } from './pending-rows.ts'
import { type IsSeen, seenOf, unseenOf } from './visibility-watch.ts'

export interface PartitionProgressParts {
  readonly changes: ClusterChanges
  readonly partitions: Pick<PartitionCatalog, 'validatedRows' | 'storedRows' | 'seen'>
  readonly rejected: Pick<RejectedCatalog, 'counts'>
  readonly isSeen: IsSeen
  /** How long the counts of ingests may lag behind. */
  readonly countEveryMs: number
}

interface Waiter {
  readonly position: number
  readonly resolve: () => void
}

export class PartitionProgress implements IngestProgress {
  readonly #parts: PartitionProgressParts
  readonly #stop = new AbortController()
  /** By partition. */
  readonly #processed = new Map<number, number>()
  #validated: ReadonlyMap<number, number> = new Map()
  #rejected: ReadonlyMap<number, number> = new Map()
  /** Rows that were validated to be stored, and that queries were not found to see. */
  #unseen: ReadonlyMap<number, number> = new Map()
  /** Of pushes that came through here, by what the counts hold. */
  readonly #pending = new PendingRows()
  /** How far each partition had come before the counts were read. */
  #counted: ReadonlyMap<number, number> = new Map()
  readonly #waiters = new Set<Waiter>()
  /** Of two counts at once, the one that read first might end last. */
  readonly #counts = new Serial()
  #nextCount: Promise<void> | null = null
  #counting: Promise<void> | null = null
  #isCountDue = false

  constructor(parts: PartitionProgressParts) {
    this.#parts = parts
    parts.changes.listen({
      partitions: (partitions) => this.#moved(partitions),
      definitions: () => undefined,
      access: () => undefined,
    })
  }

  processedThrough(position: number): number {
    const partition = partitionOf(position)
    return this.#processed.get(partition) ?? positionAt(partition, 0)
  }

  /** As the interface says; the counts hold these rows then, too. */
  async waitFor(position: number, signal: AbortSignal): Promise<void> {
    await this.#reach(position, signal)
    await this.#catchUp()
  }

  #reach(position: number, signal: AbortSignal): Promise<void> {
    if (this.processedThrough(position) >= position) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiter = { position, resolve: () => settle(resolve) }
      const onAbort = (): void => settle(() => reject(signal.reason))
      const settle = (done: () => void): void => {
        this.#waiters.delete(waiter)
        signal.removeEventListener('abort', onAbort)
        done()
      }
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
      else this.#waiters.add(waiter)
    })
  }

  /** The processes of a cluster share what is counted. */
  requireCounted(): void {}

  pendingOf(ingestId: number): number {
    return this.#pending.of(ingestId)
  }

  counters(ingestId: number): IngestCounters {
    const validated = this.#validated.get(ingestId) ?? 0
    const rejected = Math.min(validated, this.#rejected.get(ingestId) ?? 0)
    const unseen = Math.min(validated - rejected, this.#unseen.get(ingestId) ?? 0)
    const waiting = this.#pending.of(ingestId)
    return { received: validated + waiting, stored: validated - rejected - unseen, rejected, pending: waiting + unseen }
  }

  /** Looks whether queries see all rows of an ingest that are validated: the counters show it when this resolves. It never fails for that. */
  async look(ingestId: number): Promise<void> {
    const { partitions, isSeen } = this.#parts
    try {
      const unseen = unseenOf(await partitions.storedRows(ingestId))
      await partitions.seen(await seenOf(unseen, isSeen))
    } catch {
      // The catalog is away: pipelines look as well.
    }
    await this.#catchUp()
  }

  /** Of all ingests, as far as they came through here. */
  get pendingRows(): number {
    return this.#pending.all
  }

  accepted(push: AcceptedPush): void {
    const endPosition = positionAfter(push)
    // Its partition may have come past it a moment ago, and its rows may even be in the counts.
    if ((this.#counted.get(partitionOf(push.position)) ?? 0) < endPosition) this.#pending.add(push)
    if (this.processedThrough(push.position) >= endPosition) this.#countSoon()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#counting
  }

  /** Resolves when the counts hold all that was validated before the call. They lag behind still while the catalog is away. */
  async #catchUp(): Promise<void> {
    // One count is for all who ask before it begins.
    this.#nextCount ??= Promise.resolve().then(() =>
      this.#counts.run(() => {
        this.#nextCount = null
        return this.#count()
      }),
    )
    await this.#nextCount
  }

  #moved(partitions: readonly PartitionState[]): void {
    for (const { partition, processedPosition } of partitions) this.#processed.set(partition, processedPosition)
    for (const { position, resolve } of [...this.#waiters]) {
      if (this.processedThrough(position) >= position) resolve()
    }
    this.#countSoon()
  }

  #countSoon(): void {
    this.#isCountDue = true
    if (!this.#stop.signal.aborted) this.#counting ??= this.#countOn()
  }

  async #countOn(): Promise<void> {
    const { signal } = this.#stop
    while (this.#isCountDue && !signal.aborted) {
      this.#isCountDue = false
      await this.#counts.run(() => this.#count())
      await sleep(this.#parts.countEveryMs, undefined, { signal }).catch(() => {})
    }
    this.#counting = null
  }

  /** Rows are pending until they are in the counts. */
  async #count(): Promise<void> {
    const { partitions, rejected } = this.#parts
    const counted = new Map(this.#processed)
    try {
      // Validated rows first: it never looks as if a row was stored that is rejected, or is not seen.
      const validatedRows = await partitions.validatedRows()
      const unseenRows = rowsByIngest(await partitions.storedRows())
      const rejectedRows = await rejected.counts()
      this.#validated = validatedRows
      this.#rejected = rejectedRows
      this.#unseen = unseenRows
      // Nobody tells when they are seen.
      if (unseenRows.size > 0) this.#isCountDue = true
      this.#counted = counted
      for (const [partition, position] of counted) this.#pending.reached(partition, position)
    } catch {
      // The catalog is away.
      this.#isCountDue = true
    }
  }
}

function rowsByIngest(stored: readonly StoredRows[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>()
  for (const { ingestId, rows: rowsToStore, seenRows } of unseenOf(stored)) {
    rows.set(ingestId, (rows.get(ingestId) ?? 0) + Math.max(0, rowsToStore - seenRows))
  }
  return rows
}
