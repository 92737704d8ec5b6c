import type { Definitions } from '../catalog/definitions.ts'
import type { DeletionCatalog } from '../catalog/deletions.ts'
import { didYouMean } from '../lib/likely-word.ts'
import type {
  DeletionOutcome,
  DeletionRequest,
  DeletionSelection,
  PositionRange,
  UndoRequest,
} from '../model/deletion.ts'
import type { Entity } from '../model/entity.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { Problem } from '../model/problem.ts'
import { type DeletionAnswer, type DryDeletionAnswer, deletionAnswer } from './deletion-schemas.ts'
import { pageOf } from './list-page.ts'

/** A requested deletion. */
export interface RequestedDeletion {
  readonly reason: string
  readonly subscriber: string
  readonly isDry: boolean
  /** Returns the rows of the entity to delete. Throws Problem `invalid_request`. */
  readonly select: (entity: Entity, nowMs: number) => DeletionSelection
}

export interface DeletionAdminParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities'>
  readonly catalog: Pick<DeletionCatalog, 'list'>
  readonly store: {
    /** `pushed` resolves as in `DeletionAdminParts`; it may be called twice. */
    delete(
      request: Omit<DeletionRequest, 'pushed'>,
      pushed: () => Promise<readonly PositionRange[]>,
    ): Promise<DeletionOutcome>
    takeBack(request: UndoRequest): Promise<boolean>
  }
  /** Resolves with the positions of an entity's rows acknowledged so far, after queries see those of them that are stored. */
  readonly pushed: (entityId: number, signal: AbortSignal) => Promise<readonly PositionRange[]>
  readonly tokens: NextTokens
  /** See `Audit.tell`. */
  readonly setAfter: (after: unknown) => Promise<void>
  readonly settings: {
    /** How long a deletion waits until rows pushed before it are validated. */
    readonly validationWaitMs: number
    /** How long a deletion waits until those rows are on disk. */
    readonly waitMs: number
    readonly deletionsMax: number
  }
  readonly nowMs: () => number
}

/** Deletes rows and takes deletions back. */
export class DeletionAdmin {
  readonly #parts: DeletionAdminParts

  constructor(parts: DeletionAdminParts) {
    this.#parts = parts
  }

  /**
   * Deletes rows acknowledged before the call. Throws Problem `not_found` for an unknown entity, `invalid_request`, `conflict` when there are too many
   * deletions, `unavailable` while many pushed rows are not validated yet, `damaged_data` when a file cannot be read.
   */
  async delete(name: string, asked: RequestedDeletion): Promise<DeletionAnswer | DryDeletionAnswer> {
    const { store, setAfter, settings, nowMs } = this.#parts
    const { reason, subscriber, isDry } = asked
    const entity = this.#entity(name)
    const createdMs = nowMs()
    const selection = asked.select(entity, createdMs)
    const { deletionsMax, waitMs } = settings
    const request = {
      entityId: entity.id,
      selection,
      reason,
      subscriber,
      createdMs,
      isDry,
      deletionsMax,
      waitMs,
    }
    const { rows, deletion } = await store.delete(request, () => this.#pushed(entity))
    if (deletion === null) return { rows }
    const answer = deletionAnswer(deletion)
    await setAfter(answer)
    return answer
  }

  /** Newest first. Throws Problem `not_found` for an unknown entity. */
  async list(name: string, request: PageRequest): Promise<Page<DeletionAnswer>> {
    const { catalog, tokens } = this.#parts
    const { id: entityId } = this.#entity(name)
    return pageOf<DeletionAnswer>(request, {
      tokens,
      scope: ['/admin/entities/deletions', name],
      keyOf: ({ id }) => String(id),
      itemsAfter: async (after, limit) => {
        const all = await catalog.list(entityId)
        const older = after === null ? all : all.filter(({ id }) => id < Number(after))
        return older.slice(0, limit).map(deletionAnswer)
      },
    })
  }

  /** Restores the rows of a deletion. Throws Problem `not_found`, and `conflict` when the rows are being removed or have been removed. */
  async takeBack(name: string, id: string): Promise<void> {
    const { catalog, store, setAfter, settings, nowMs } = this.#parts
    const entity = this.#entity(name)
    const known = (await catalog.list(entity.id)).find((one) => String(one.id) === id)
    const request = { entityId: entity.id, waitMs: settings.waitMs, nowMs: nowMs() }
    if (known !== undefined && (await store.takeBack({ ...request, deletionId: known.id }))) {
      await setAfter({ rows: known.rows })
      return
    }
    const now = (await catalog.list(entity.id)).find((one) => String(one.id) === id)
    if (now === undefined) {
      throw new Problem(
        'not_found',
        `"${name}" has no deletion ${JSON.stringify(id)}, or it was taken back. GET /admin/entities/${name}/deletions lists them.`,
      )
    }
    throw new Problem(
      'conflict',
      `Deletion ${id} cannot be taken back: its rows are permanently removed (deletions.eraseAfterMs). An earlier backup still has them.`,
    )
  }

  #entity(name: string): Entity {
    const { definitions } = this.#parts
    const entity = definitions.entity(name)
    if (entity !== undefined) return entity
    const names = definitions.entities().map((known) => known.name)
    throw new Problem(
      'not_found',
      `There is no series entity "${name}".${didYouMean(name, names)} GET /consumer/data/entities lists all that this key can read.`,
    )
  }

  /** The positions of all rows acknowledged so far, which count as pushed before the deletion. */
  async #pushed({ id }: Entity): Promise<readonly PositionRange[]> {
    const { pushed, settings } = this.#parts
    const timeout = AbortSignal.timeout(settings.validationWaitMs)
    try {
      return await pushed(id, timeout)
    } catch (error) {
      if (!timeout.aborted) throw error
      throw new Problem(
        'unavailable',
        'Rows pushed earlier are still being validated, or cannot be queried yet. Retry the deletion in a moment.',
      )
    }
  }
}
