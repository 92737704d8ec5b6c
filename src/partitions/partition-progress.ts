// The progress of a cluster's pipelines, as seen by a process that accepts pushes: from the catalog, and from the pushes that it has accepted.
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
  /** How far the counters of ingests may lag behind. */
  readonly countEveryMs: number
}

interface Waiter {
  readonly position: number
  readonly resolve: () => void
}

export class PartitionProgress implements IngestProgress {
  readonly #parts: PartitionProgressParts
  readonly #stop = new AbortController()
  /** Processed positions by partition. */
  readonly #processed = new Map<number, number>()
  #validated: ReadonlyMap<number, number> = new Map()
  #rejected: ReadonlyMap<number, number> = new Map()
  /** Rows that were validated for storage and are not known to be visible to queries. */
  #unseen: ReadonlyMap<number, number> = new Map()
  /** Rows of pushes accepted by this process that the counts do not include yet. */
  readonly #pending = new PendingRows()
  /** The processed position of each partition before the counts were read. */
  #counted: ReadonlyMap<number, number> = new Map()
  readonly #waiters = new Set<Waiter>()
  /** Counts run one after another: of two at once, the one that read first might end last. */
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

  /** See the interface. When it resolves, the counts include these rows too. */
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

  /** Does nothing: the processes of a cluster share the counts. */
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

  /** Checks whether queries see all validated rows of an ingest. When this resolves, the counters include the result. A failed check is not an error. */
  async checkVisible(ingestId: number): Promise<void> {
    const { partitions, isSeen } = this.#parts
    try {
      const unseen = unseenOf(await partitions.storedRows(ingestId))
      await partitions.seen(await seenOf(unseen, isSeen))
    } catch {
      // The catalog is unavailable; pipelines make the same check.
    }
    await this.#catchUp()
  }

  /** Pending rows of all ingests, of the pushes that this process has accepted. */
  get pendingRows(): number {
    return this.#pending.all
  }

  accepted(push: AcceptedPush): void {
    const endPosition = positionAfter(push)
    // The partition may have been processed beyond the push a moment ago, and its rows may even be counted.
    if ((this.#counted.get(partitionOf(push.position)) ?? 0) < endPosition) this.#pending.add(push)
    if (this.processedThrough(push.position) >= endPosition) this.#countSoon()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#counting
  }

  /** Resolves when the counts include everything validated before the call. While the catalog is unavailable, they still lag behind. */
  async #catchUp(): Promise<void> {
    // One count serves all callers before its start.
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

  /** Rows are pending until the counts include them. */
  async #count(): Promise<void> {
    const { partitions, rejected } = this.#parts
    const counted = new Map(this.#processed)
    try {
      // Validated rows are read first, so a row that is rejected or not visible yet never appears to be stored.
      const validatedRows = await partitions.validatedRows()
      const unseenRows = rowsByIngest(await partitions.storedRows())
      const rejectedRows = await rejected.counts()
      this.#validated = validatedRows
      this.#rejected = rejectedRows
      this.#unseen = unseenRows
      // There is no notification when they become visible.
      if (unseenRows.size > 0) this.#isCountDue = true
      this.#counted = counted
      for (const [partition, position] of counted) this.#pending.reached(partition, position)
    } catch {
      // The catalog is unavailable.
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
