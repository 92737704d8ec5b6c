import type { ClusterDeletionCatalog } from '../../catalog/deletions.ts'
import type { ClusterDeletionChange, DeletionChange, HiddenRows } from '../../model/deletion.ts'
import type { Entity } from '../../model/entity.ts'
import type { StoredRows } from '../journal-rows.ts'
import type { LiveDeletions } from '../live-feed.ts'
import { withoutDeleted } from '../without-deleted.ts'

export interface EntityDeletionParts {
  readonly catalog: Pick<ClusterDeletionCatalog, 'changesAfter'>
  readonly entityId: number
  /** Undefined after the entity is dropped. */
  readonly entity: () => Pick<Entity, 'duplicates' | 'hidden'> | undefined
  /** Resolves when queries of this process see the state in the catalog. */
  readonly refresh: () => Promise<void>
  /** Called when there are new changes to send. */
  readonly changed: () => void
  /** The last change that all readers have been sent. */
  readonly sentChange: () => number
  /** See `ClusterIdsParts`: no reader resumes from before an older change. */
  readonly changesKeptMs: number
  readonly nowMs: () => number
}

interface Known extends ClusterDeletionChange {
  readonly knownMs: number
}

/**
 * Deletions of an entity, for its live readers. A process that makes a deletion first records it as under way in the catalog, and then queries where the
 * partitions end, which is the place of the deletion. So if none is under way after rows were read, no later deletion has a place before their end.
 */
export class EntityDeletions {
  readonly #parts: EntityDeletionParts
  /** The last change is always kept: new readers begin after it. */
  #changes: readonly Known[] = []
  /** The same changes with their places in one partition, by partition. */
  readonly #placed = new Map<number, readonly DeletionChange[]>()
  #polling: Promise<boolean> | null = null
  #next: Promise<boolean> | null = null

  constructor(parts: EntityDeletionParts) {
    this.#parts = parts
  }

  /** Resolves with whether no deletion is under way. If so, all deletions made before the call are known. */
  settle(): Promise<boolean> {
    // A running check may miss deletions made since it began, so callers that arrive meanwhile share the next one.
    this.#next ??= this.#pollAfter(this.#polling)
    return this.#next
  }

  async #pollAfter(before: Promise<unknown> | null): Promise<boolean> {
    await before?.catch(() => undefined)
    this.#next = null
    this.#polling = this.#poll()
    return this.#polling
  }

  async #poll(): Promise<boolean> {
    const { catalog, entityId, refresh, changed, nowMs } = this.#parts
    this.#forget()
    const { changes, isUnderWay } = await catalog.changesAfter(entityId, this.#last)
    if (changes.length > 0) {
      // Rows after its place are sent as queries see them from then on.
      await refresh()
      const knownMs = nowMs()
      const added = changes.filter(({ id }) => id > this.#last).map((change) => ({ knownMs, ...change }))
      this.#changes = [...this.#changes, ...added]
      this.#placed.clear()
      if (added.length > 0) changed()
    }
    return !isUnderWay
  }

  /** Drops changes that no reader needs. Clocks of processes differ, so changes are kept twice as long as readers may resume from before them. */
  #forget(): void {
    const { sentChange, changesKeptMs, nowMs } = this.#parts
    const oldMs = nowMs() - 2 * changesKeptMs
    if (this.#changes.length < 2 || this.#changes[0]!.knownMs >= oldMs) return
    const sentId = sentChange()
    const first = this.#changes.findIndex(({ id, knownMs }) => id > sentId || knownMs >= oldMs)
    if (first === 0) return
    // If there is none, -1 keeps only the last change.
    this.#changes = this.#changes.slice(first)
    this.#placed.clear()
  }

  get #last(): number {
    return this.#changes.at(-1)?.id ?? 0
  }

  ofPartition(partition: number): LiveDeletions {
    return {
      changesOf: () => this.#placedIn(partition),
      // `PartitionRows` does not advance while a deletion is under way, so rows are not held here.
      firstPendingPosition: () => Number.POSITIVE_INFINITY,
      seen: (stored) => this.#seen(stored),
    }
  }

  #placedIn(partition: number): readonly DeletionChange[] {
    const known = this.#placed.get(partition)
    if (known !== undefined) return known
    const placed = this.#changes.map(({ places, knownMs: _, ...change }) => ({
      ...change,
      place: places[partition] ?? 0,
    }))
    this.#placed.set(partition, placed)
    return placed
  }

  #seen(stored: StoredRows): StoredRows {
    const { duplicates, hidden = [] } = this.#parts.entity() ?? {}
    // Where rows replace each other, items are queried from the store.
    if (duplicates === 'replace' || hidden.length === 0) return stored
    const { positions } = stored.batch
    const [least, most] = positions.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ] as [number, number])
    const near = hidden.filter(({ pushed }) => pushed.some(({ from, before }) => from <= most && least < before))
    const isBefore = ({ pushed }: HiddenRows, row: number): boolean =>
      pushed.some(({ from, before }) => from <= positions[row]! && positions[row]! < before)
    return withoutDeleted(stored, near, isBefore)
  }
}
