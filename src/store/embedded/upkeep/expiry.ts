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

/** The data to be removed from the store, according to the catalog: dropped entities, and rows older than an entity's retention. */
export class Expiry {
  readonly #parts: ExpiryParts
  readonly #removals = new Serial()
  #sinceMs: ReadonlyMap<number, number> = new Map()
  #kept: ReadonlyMap<number, KeptRules> = new Map()
  #dropped: readonly number[] = []
  /** Dropped entities that the store no longer has data for. */
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

  /** Rows of the entity before this date have expired; null while none have. */
  sinceMs(entityId: number): number | null {
    return this.#sinceMs.get(entityId) ?? null
  }

  /** Null when no hours of expired rows are kept. */
  keptRules(entityId: number): KeptRules | null {
    return this.#kept.get(entityId) ?? null
  }

  /** The rules with the entity's current fields: rows may have some that were added since. Rejects when the catalog cannot be read. */
  async keptRulesNow(kept: KeptRules): Promise<KeptRules> {
    const entity = (await this.#parts.ingests.entities()).find(({ id }) => id === kept.id)
    return entity === undefined ? kept : { ...kept, fields: entity.fields }
  }

  /** Rows and hours before this date are not kept in any form; null while all are. */
  goneMs(entityId: number): number | null {
    const kept = this.keptRules(entityId)
    return kept === null ? this.sinceMs(entityId) : kept.hours.sinceMs
  }

  /** A dropped entity of which the store still has data; null when there is none. */
  get nextDropped(): number | null {
    return this.#dropped[0] ?? null
  }

  /** Called when the store has no data of a dropped entity left: removes the catalog's data of it too, in small steps. */
  remove(entityId: number): void {
    this.#forgotten.add(entityId)
    this.#dropped = this.#dropped.filter((dropped) => dropped !== entityId)
    void this.#removals.run(() => this.#remove(entityId))
  }

  /** Resolves when no removal is running. */
  settle(): Promise<void> {
    return this.#removals.run(async () => undefined)
  }

  /** After a failure the next start removes the rest. */
  async #remove(entityId: number): Promise<void> {
    const { dropped, observe, reach, signal } = this.#parts
    try {
      if (await dropped.remove(entityId, signal)) reach('drop-removed')
    } catch (error) {
      observe({ kind: 'removalFailed', name: `entity ${entityId}`, message: String(error) })
    }
  }
}
