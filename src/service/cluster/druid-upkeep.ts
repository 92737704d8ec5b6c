// Keeps Druid as the catalog says: a supervisor for each entity, how long days are kept, and nothing of entities that were dropped.
import type { DroppedCatalog, IngestCatalog } from '../../catalog/catalog.ts'
import { Serial } from '../../lib/serial.ts'
import type { Entity } from '../../model/entity.ts'
import type { Observe } from '../../observe/event.ts'
import type { RowsTopics } from '../../pipeline/rows-topics.ts'
import type { Supervisors } from '../../store/druid/supervision/supervisors.ts'

export interface DruidUpkeepParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly dropped: DroppedCatalog
  readonly supervisors: Pick<Supervisors, 'ensure' | 'end' | 'drop' | 'retain'>
  readonly rowsTopics: Pick<RowsTopics, 'ensure' | 'remove'>
  readonly observe: Observe
  /** How long one round may take. */
  readonly timeoutMs: number
}

/** Several processes may do this at once: each round brings Druid to what is asked, from whatever is there. */
export class DruidUpkeep {
  readonly #parts: DruidUpkeepParts
  readonly #rounds = new Serial()
  /** Entities as Druid was told of them; others are told again. */
  #told: ReadonlyMap<number, string> = new Map()
  readonly #stop = new AbortController()

  constructor(parts: DruidUpkeepParts) {
    this.#parts = parts
  }

  /** One round. `isWhole`: Druid is asked what it has, also of entities that did not change. Throws Problem `unavailable` while a part is away. */
  check(isWhole: boolean): Promise<void> {
    return this.#rounds.run(() => this.#round(isWhole))
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#rounds.run(async () => undefined)
  }

  async #round(isWhole: boolean): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { ingests, supervisors, rowsTopics, observe, timeoutMs } = this.#parts
    const entities = await ingests.entities()
    const changed = entities.filter((entity) => isWhole || this.#told.get(entity.id) !== tellingOf(entity))
    // Druid fails to start tasks on a topic that is not there.
    for (const { id } of changed) await rowsTopics.ensure(id, AbortSignal.timeout(timeoutMs))
    const ids = await supervisors.ensure(changed)
    if (ids.length > 0) observe({ kind: 'supervisorsChanged', entityIds: ids })
    for (const { id, retention } of changed) await supervisors.retain(id, retention)
    this.#told = new Map(entities.map((entity) => [entity.id, tellingOf(entity)]))
    await this.#dropDeleted()
  }

  async #dropDeleted(): Promise<void> {
    const { dropped, supervisors, rowsTopics, observe } = this.#parts
    for (const { entityId, isRemoved } of await dropped.list()) {
      if (isRemoved) continue
      await supervisors.drop(entityId)
      await rowsTopics.remove(entityId)
      if (await dropped.remove(entityId, this.#stop.signal)) observe({ kind: 'entityRemoved', entityId })
    }
  }
}

/** All of an entity that Druid is told. */
function tellingOf({ fields, duplicates, retention }: Entity): string {
  return JSON.stringify([fields, duplicates, retention])
}
