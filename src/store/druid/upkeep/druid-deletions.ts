import type { ClusterDeletionCatalog } from '../../../catalog/deletions.ts'
import type { DeletionOutcome, DeletionRequest, DeletionSelection, TakeBackRequest } from '../../../model/deletion.ts'
import type { Entity } from '../../../model/entity.ts'
import { invalidRequest } from '../../../model/problem.ts'
import type { DruidStore } from '../druid-store.ts'

export interface DruidDeletionParts {
  readonly store: Pick<DruidStore, 'countTaken' | 'itemsMeeting'>
  readonly catalog: ClusterDeletionCatalog
  readonly entity: (id: number) => Pick<Entity, 'duplicates'> | undefined
  /** Resolves when queries of this process see what the catalog says. */
  readonly refresh: () => Promise<void>
}

/** Items that an entity's deletions may note together: they go along with each query. */
const itemsMax = 10_000

/** Takes rows in Druid from view: they stay there, and each query passes them over. */
export class DruidDeletions {
  readonly #parts: DruidDeletionParts

  constructor(parts: DruidDeletionParts) {
    this.#parts = parts
  }

  /**
   * Of the rows that were acknowledged before. Throws Problem `conflict` where there are too many deletions, `invalid_request` where its condition is
   * met by too many items.
   */
  async delete(request: DeletionRequest): Promise<DeletionOutcome> {
    const { store, catalog, refresh } = this.#parts
    const { isDry, deletionsMax, pushed, ...asked } = request
    const { entityId, selection } = asked
    requireOrder(selection, this.#parts.entity(entityId)?.duplicates)
    // What it takes from view is counted beside what others of all processes take.
    await refresh()
    const { signal } = new AbortController()
    const items = await store.itemsMeeting(entityId, { selection, pushed }, itemsMax, signal)
    const rows = await store.countTaken(entityId, { selection, pushed, items }, signal)
    if (isDry) return { rows, deletion: null }
    const position = Math.max(0, ...pushed.map(({ before }) => before))
    const deletion = await catalog.create({ ...asked, position, rows }, { pushed, items }, { deletionsMax, itemsMax })
    await refresh()
    return { rows, deletion }
  }

  /** Shows its rows again. False when there is no such deletion. */
  async takeBack({ entityId, deletionId }: TakeBackRequest): Promise<boolean> {
    const { catalog, refresh } = this.#parts
    const isTaken = await catalog.takeBack(entityId, deletionId)
    if (isTaken) await refresh()
    return isTaken
  }
}

/** Druid orders texts by UTF-16, and so not as the contract does where one has a character from U+E000 on, or a pair of halves. */
function requireOrder({ where }: DeletionSelection, duplicates: Entity['duplicates'] | undefined): void {
  if (duplicates === 'replace' || where === null || typeof where.value !== 'string') return
  if (where.operator === '=' || where.operator === '!=' || !/[\ud800-\uffff]/.test(where.value)) return
  throw invalidRequest(
    'where.value',
    `a cluster cannot tell which texts are ${where.operator} one with characters from U+E000 on: compare with = or !=, or with another text`,
  )
}
