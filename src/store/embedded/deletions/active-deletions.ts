import { addTo } from '../../../lib/add-to.ts'
import type { Deletion, DeletionChange, DeletionSelection } from '../../../model/deletion.ts'

/** A deletion that is in effect or is being made. */
export interface ActiveDeletion {
  /** Null while it is being made. */
  readonly id: number | null
  /** Rows before this position were pushed before the deletion. While it is being made, later rows may have been, too. */
  readonly position: number
  readonly selection: DeletionSelection
}

/** The result of making a deletion or of taking one back. */
interface Done {
  readonly change: DeletionChange
  /** Null if a deletion was taken back. */
  readonly deletion: Deletion | null
}

/** The deletions of entities, erased or not, for code that handles rows outside of files: replayed rows, and rows sent to live clients. */
export class ActiveDeletions {
  #byEntity: ReadonlyMap<number, readonly ActiveDeletion[]>
  #changes: ReadonlyMap<number, readonly DeletionChange[]>
  /** The changes in progress. */
  readonly #held = new Set<{ readonly entityId: number; readonly position: number }>()

  constructor(all: readonly Deletion[], changes: readonly DeletionChange[]) {
    this.#byEntity = byEntity(all)
    this.#changes = byEntity(changes)
  }

  of(entityId: number): readonly ActiveDeletion[] {
    return this.#byEntity.get(entityId) ?? []
  }

  /** The deletions made and taken back, in order. */
  changesOf(entityId: number): readonly DeletionChange[] {
    return this.#changes.get(entityId) ?? []
  }

  /** No later change of the entity will have a position before this one. Infinity if no change is in progress. */
  firstPendingPosition(entityId: number): number {
    let position = Number.POSITIVE_INFINITY
    for (const held of this.#held) if (held.entityId === entityId) position = Math.min(position, held.position)
    return position
  }

  /**
   * Starts to make a deletion of the rows before a position, and perhaps of some after it; or, with null, to take one back. The returned function
   * ends that. Its parameter is the result, null if nothing has changed.
   */
  begin(entityId: number, selection: DeletionSelection | null, position: number): (done: Done | null) => void {
    const held = { entityId, position }
    this.#held.add(held)
    const begun = selection === null ? null : { id: null, position, selection }
    if (begun !== null) this.#put(entityId, [...this.of(entityId), begun])
    return (done) => {
      this.#held.delete(held)
      const gone = (one: ActiveDeletion): boolean =>
        one === begun || (done !== null && done.deletion === null && one.id === done.change.deletionId)
      const made = done?.deletion ?? null
      const others = this.of(entityId).filter((one) => !gone(one))
      this.#put(entityId, made === null ? others : [...others, made])
      if (done === null) return
      this.#changes = new Map(this.#changes).set(entityId, [...this.changesOf(entityId), done.change])
    }
  }

  /** Forgets what the catalog no longer has. What was made after the catalog was read stays. */
  forgetAllBut(all: readonly Deletion[], changes: readonly DeletionChange[]): void {
    const kept = <One extends { readonly id: number | null }>(
      lists: ReadonlyMap<number, readonly One[]>,
      known: readonly { readonly id: number }[],
    ): ReadonlyMap<number, readonly One[]> => {
      const ids = new Set(known.map(({ id }) => id))
      const last = known.reduce((most, { id }) => Math.max(most, id), 0)
      const stays = ({ id }: One): boolean => id === null || id > last || ids.has(id)
      return new Map([...lists].map(([entityId, list]) => [entityId, list.filter(stays)] as const))
    }
    this.#byEntity = kept(this.#byEntity, all)
    this.#changes = kept(this.#changes, changes)
  }

  #put(entityId: number, deletions: readonly ActiveDeletion[]): void {
    this.#byEntity = new Map(this.#byEntity).set(entityId, deletions)
  }
}

function byEntity<One extends { readonly entityId: number }>(all: readonly One[]): Map<number, One[]> {
  const lists = new Map<number, One[]>()
  for (const one of all) {
    addTo(lists, one.entityId, one)
  }
  return lists
}
