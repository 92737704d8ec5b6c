import type { SlotWaitCatalog } from '../../../catalog/cluster-catalog.ts'

const namedMax = 20

/** The entities that wait for slots of Druid, as last read by this process. */
export class SlotWaits {
  readonly #waits: Pick<SlotWaitCatalog, 'list'>
  #sinceMs: ReadonlyMap<number, number> = new Map()

  constructor(waits: Pick<SlotWaitCatalog, 'list'>) {
    this.#waits = waits
  }

  get count(): number {
    return this.#sinceMs.size
  }

  async refresh(): Promise<void> {
    this.#sinceMs = await this.#waits.list()
  }

  /** Null if the entity does not wait. */
  sinceMs(entityId: number): number | null {
    return this.#sinceMs.get(entityId) ?? null
  }

  /** The names of the entities that have waited longest. */
  names(entities: readonly { readonly id: number; readonly name: string }[]): readonly string[] {
    const waiting = entities.filter(({ id }) => this.#sinceMs.has(id))
    return waiting
      .toSorted((a, b) => this.#sinceMs.get(a.id)! - this.#sinceMs.get(b.id)!)
      .slice(0, namedMax)
      .map(({ name }) => name)
  }
}
