import type { ClusterDeletionCatalog } from '../../catalog/deletions.ts'
import type { ClusterDeletionChange, DeletionChange, HiddenRows } from '../../model/deletion.ts'
import type { Entity } from '../../model/entity.ts'
import type { StoredRows } from '../journal-rows.ts'
import type { LiveDeletions } from '../live-feed.ts'
import { withoutDeleted } from '../without-deleted.ts'

export interface EntityDeletionParts {
  readonly catalog: Pick<ClusterDeletionCatalog, 'changesAfter'>
  readonly entityId: number
  /** Undefined once it is dropped. */
  readonly entity: () => Pick<Entity, 'duplicates' | 'hidden'> | undefined
  /** Resolves when queries of this process see what the catalog says. */
  readonly refresh: () => Promise<void>
  /** There is more to be told. */
  readonly changed: () => void
  /** The last change that all readers have been told. */
  readonly told: () => number
  /** As of `ClusterIdsParts`: nobody goes on from before what was changed earlier. */
  readonly changesKeptMs: number
  readonly nowMs: () => number
}

interface Known extends ClusterDeletionChange {
  readonly knownMs: number
}

/**
 * What was deleted of an entity, as its live readers are told it. Who makes a deletion says so in the catalog before it asks where the rows end, which is
 * then the place of the deletion. So if nothing is under way after some rows were read, no deletion to come has a place before the end of these.
 */
export class EntityDeletions {
  readonly #parts: EntityDeletionParts
  /** The last one stays: who begins now begins behind it. */
  #changes: readonly Known[] = []
  /** The same with their places in one partition. */
  readonly #placed = new Map<number, readonly DeletionChange[]>()
  #looking: Promise<boolean> | null = null
  #next: Promise<boolean> | null = null

  constructor(parts: EntityDeletionParts) {
    this.#parts = parts
  }

  /** Whether no deletion is under way. Then all are known that were made before the call. */
  settle(): Promise<boolean> {
    // A look that has begun may miss what was made since: those who come meanwhile share the next one.
    this.#next ??= this.#lookAfter(this.#looking)
    return this.#next
  }

  async #lookAfter(before: Promise<unknown> | null): Promise<boolean> {
    await before?.catch(() => undefined)
    this.#next = null
    this.#looking = this.#look()
    return this.#looking
  }

  async #look(): Promise<boolean> {
    const { catalog, entityId, refresh, changed, nowMs } = this.#parts
    this.#forget()
    const { changes, isUnderWay } = await catalog.changesAfter(entityId, this.#last)
    if (changes.length > 0) {
      // Rows behind its place are told as queries see them then.
      await refresh()
      const knownMs = nowMs()
      const news = changes.filter(({ id }) => id > this.#last).map((change) => ({ knownMs, ...change }))
      this.#changes = [...this.#changes, ...news]
      this.#placed.clear()
      if (news.length > 0) changed()
    }
    return !isUnderWay
  }

  /** What nobody is told any more. Clocks of processes differ, so it is kept for twice as long as anybody may go on from before it. */
  #forget(): void {
    const { told, changesKeptMs, nowMs } = this.#parts
    const oldMs = nowMs() - 2 * changesKeptMs
    if (this.#changes.length < 2 || this.#changes[0]!.knownMs >= oldMs) return
    const toldId = told()
    const first = this.#changes.findIndex(({ id, knownMs }) => id > toldId || knownMs >= oldMs)
    if (first === 0) return
    // Where there is none, -1 leaves the last one.
    this.#changes = this.#changes.slice(first)
    this.#placed.clear()
  }

  get #last(): number {
    return this.#changes.at(-1)?.id ?? 0
  }

  ofPartition(partition: number): LiveDeletions {
    return {
      changesOf: () => this.#placedIn(partition),
      // The rows of a partition are not given further while one is under way.
      heldAt: () => Number.POSITIVE_INFINITY,
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
    // Where rows replace each other, items are asked of the store.
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
