import type { DroppedCatalog, IngestCatalog } from '../catalog/catalog.ts'

interface DepartureParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly dropped: DroppedCatalog
}

/** What has to leave the store, as the catalog says: entities that were dropped, and rows that are older than an entity keeps them. */
export class Departures {
  readonly #parts: DepartureParts
  #sinceMs: ReadonlyMap<number, number> = new Map()
  #dropped: readonly number[] = []

  private constructor(parts: DepartureParts) {
    this.#parts = parts
  }

  static async open(parts: DepartureParts): Promise<Departures> {
    const departures = new Departures(parts)
    await departures.refresh()
    return departures
  }

  async refresh(): Promise<void> {
    const entities = await this.#parts.ingests.entities()
    const dropped = await this.#parts.dropped.list()
    this.#sinceMs = new Map(entities.flatMap(({ id, sinceMs }) => (sinceMs === null ? [] : [[id, sinceMs] as const])))
    this.#dropped = dropped.filter(({ isRemoved }) => !isRemoved).map(({ entityId }) => entityId)
  }

  /** Rows of the entity before this date have left; null while none have. */
  sinceMs(entityId: number): number | null {
    return this.#sinceMs.get(entityId) ?? null
  }

  /** An entity that was dropped and of which something is kept still. */
  get nextDropped(): number | null {
    return this.#dropped[0] ?? null
  }

  /** The store holds nothing of a dropped entity any more: what the catalog keeps of it goes too. */
  async remove(entityId: number): Promise<void> {
    await this.#parts.dropped.remove(entityId)
    this.#dropped = this.#dropped.filter((dropped) => dropped !== entityId)
  }
}
