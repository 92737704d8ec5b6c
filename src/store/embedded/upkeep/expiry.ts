import type { DroppedCatalog, IngestCatalog } from '../../../catalog/catalog.ts'
import { Serial } from '../../../lib/serial.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import type { Observe } from '../../../observe/event.ts'
import type { KeptRules } from '../hours/keep-hours.ts'

interface ExpiryParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly dropped: DroppedCatalog
  readonly observe: Observe
  readonly reach: Reach
  readonly signal: AbortSignal
}

/** What has to leave the store, as the catalog says: entities that were dropped, and rows that are older than an entity keeps them. */
export class Expiry {
  readonly #parts: ExpiryParts
  readonly #removals = new Serial()
  #sinceMs: ReadonlyMap<number, number> = new Map()
  #kept: ReadonlyMap<number, KeptRules> = new Map()
  #dropped: readonly number[] = []
  /** Those that the store has forgotten. */
  readonly #forgotten = new Set<number>()

  private constructor(parts: ExpiryParts) {
    this.#parts = parts
  }

  static async open(parts: ExpiryParts): Promise<Expiry> {
    const expiry = new Expiry(parts)
    await expiry.refresh()
    return expiry
  }

  async refresh(): Promise<void> {
    const entities = await this.#parts.ingests.entities()
    const dropped = await this.#parts.dropped.list()
    this.#sinceMs = new Map(entities.flatMap(({ id, sinceMs }) => (sinceMs === null ? [] : [[id, sinceMs] as const])))
    this.#kept = new Map(
      entities.flatMap(({ id, fields, hours }) => (hours === undefined ? [] : [[id, { id, fields, hours }] as const])),
    )
    this.#dropped = dropped
      .filter(({ isRemoved, entityId }) => !isRemoved && !this.#forgotten.has(entityId))
      .map(({ entityId }) => entityId)
  }

  /** Rows of the entity before this date have left; null while none have. */
  sinceMs(entityId: number): number | null {
    return this.#sinceMs.get(entityId) ?? null
  }

  /** Null where no hours are kept of rows that leave. */
  keptRules(entityId: number): KeptRules | null {
    return this.#kept.get(entityId) ?? null
  }

  /** With the fields that the entity has now: rows may have some that came since it was read. Rejects where the catalog cannot be read. */
  async keptRulesNow(kept: KeptRules): Promise<KeptRules> {
    const entity = (await this.#parts.ingests.entities()).find(({ id }) => id === kept.id)
    return entity === undefined ? kept : { ...kept, fields: entity.fields }
  }

  /** Rows and hours before this date are kept in no way; null where all are. */
  goneMs(entityId: number): number | null {
    const kept = this.keptRules(entityId)
    return kept === null ? this.sinceMs(entityId) : kept.hours.sinceMs
  }

  /** An entity that was dropped and of which the store holds something still. */
  get nextDropped(): number | null {
    return this.#dropped[0] ?? null
  }

  /** The store holds nothing of a dropped entity any more: what the catalog keeps of it goes too, a little at a time. */
  remove(entityId: number): void {
    this.#forgotten.add(entityId)
    this.#dropped = this.#dropped.filter((dropped) => dropped !== entityId)
    void this.#removals.run(() => this.#remove(entityId))
  }

  /** Resolves when nothing is being removed any more. */
  settle(): Promise<void> {
    return this.#removals.run(async () => undefined)
  }

  /** What is left after a failure goes at the next start. */
  async #remove(entityId: number): Promise<void> {
    const { dropped, observe, reach, signal } = this.#parts
    try {
      if (await dropped.remove(entityId, signal)) reach('drop-removed')
    } catch (error) {
      observe({ kind: 'removalFailed', name: `entity ${entityId}`, message: String(error) })
    }
  }
}
