// Keeps Druid as the catalog says: a supervisor for each entity, how long days are kept, and nothing of entities that were dropped.
import type { DroppedCatalog, IngestCatalog } from '../../../catalog/catalog.ts'
import type { RowsTopics } from '../../../kafka/rows-topics.ts'
import { Serial } from '../../../lib/serial.ts'
import type { Entity } from '../../../model/entity.ts'
import type { Observe } from '../../../observe/event.ts'
import type { Supervisors } from '../supervision/supervisors.ts'
import { EntityFailures } from './entity-failures.ts'

export interface DruidUpkeepParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly dropped: DroppedCatalog
  readonly supervisors: Pick<Supervisors, 'ensure' | 'drop' | 'left' | 'retain' | 'retentions'>
  readonly rowsTopics: Pick<RowsTopics, 'ensure' | 'left' | 'remove'>
  readonly observe: Observe
  /** How long one request may take. */
  readonly timeoutMs: number
  readonly nowMs: () => number
}

/** Druid goes on telling of rows for a while after they were deleted. */
const dropAgainMs = 300_000
/** So many requests may fail by their time before a round is given up. */
const timeoutsMax = 3

/** Several processes may do this at once: each round brings Druid to what is asked, from whatever is there. */
export class DruidUpkeep {
  readonly #parts: DruidUpkeepParts
  readonly #rounds = new Serial()
  /** The round that has not begun. */
  #next: { isWhole: boolean; readonly done: Promise<void> } | null = null
  /** Entities as Druid was told of them; others are told again. */
  #told: ReadonlyMap<number, string> = new Map()
  /** Those at which the last round failed come last in the next. */
  #failed: ReadonlySet<number> = new Set()
  /** When what is left of an entity was removed last. */
  readonly #dropped = new Map<number, number>()
  readonly #stop = new AbortController()

  constructor(parts: DruidUpkeepParts) {
    this.#parts = parts
  }

  /**
   * One round, after the one that is under way; all who ask before it begins share it. With `isWhole`, Druid is asked what it has, also
   * of entities that did not change and of dropped ones. Throws Problem `unavailable` while a part is away, and an Error that names the
   * entities at which something failed, after all others were looked after.
   */
  check(isWhole: boolean): Promise<void> {
    if (this.#next !== null) {
      this.#next.isWhole ||= isWhole
      return this.#next.done
    }
    const round = { isWhole, done: Promise.resolve().then(() => this.#rounds.run(begin)) }
    const begin = (): Promise<void> => {
      this.#next = null
      return this.#round(round.isWhole)
    }
    this.#next = round
    return round.done
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#rounds.run(async () => undefined)
  }

  async #round(isWhole: boolean): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { ingests, timeoutMs, nowMs } = this.#parts
    const failures = new EntityFailures({ nowMs, budgetMs: timeoutsMax * timeoutMs })
    try {
      await this.#tell(await ingests.entities(), isWhole, failures)
      await this.#dropDeleted(isWhole, failures)
    } finally {
      this.#failed = failures.ids
    }
    failures.throwAny()
  }

  async #tell(entities: readonly Entity[], isWhole: boolean, failures: EntityFailures): Promise<void> {
    const { supervisors, rowsTopics, observe, timeoutMs } = this.#parts
    const changed = entities.filter((entity) => isWhole || this.#told.get(entity.id) !== tellingOf(entity))
    const ready: Entity[] = []
    for (const entity of failedLast(changed, this.#failed)) {
      // Druid fails to start tasks on a topic that is not there.
      const hasTopic = await failures.attempt(entity.id, () =>
        rowsTopics.ensure(entity.id, AbortSignal.timeout(timeoutMs)),
      )
      if (hasTopic) ready.push(entity)
    }
    const failed = (id: number, error: unknown): void => failures.add(id, error)
    // Those that are not there are made with the first rows.
    const ids = await supervisors.ensure(ready, { failed, makes: false })
    if (ids.length > 0) observe({ kind: 'supervisorsChanged', entityIds: ids })
    if (ready.length > 0) {
      const known = await supervisors.retentions()
      for (const entity of ready) await failures.attempt(entity.id, () => supervisors.retain(entity, known))
    }
    const untold = failures.ids
    this.#told = new Map(entities.filter(({ id }) => !untold.has(id)).map((entity) => [entity.id, tellingOf(entity)]))
  }

  async #dropDeleted(isWhole: boolean, failures: EntityFailures): Promise<void> {
    const { dropped, supervisors, rowsTopics, observe, nowMs } = this.#parts
    const listed = await dropped.list()
    for (const { entityId, isRemoved } of listed) {
      if (isRemoved) continue
      await failures.attempt(entityId, async () => {
        await this.#drop(entityId)
        if (await dropped.remove(entityId, this.#stop.signal)) observe({ kind: 'entityRemoved', entityId })
      })
    }
    if (!isWhole || listed.length === 0) return
    // Another process that knew one of them still, or a task that wrote on, may have made something of it again since. Only what the catalog says was
    // dropped is looked for: what it does not know may be newer than the catalog.
    const isDue = (id: number): boolean => nowMs() - (this.#dropped.get(id) ?? Number.NEGATIVE_INFINITY) >= dropAgainMs
    const gone = new Set(listed.map(({ entityId }) => entityId).filter(isDue))
    const left = [...(await supervisors.left(gone)), ...(await rowsTopics.left(gone))]
    for (const entityId of new Set(left)) await failures.attempt(entityId, () => this.#drop(entityId))
  }

  async #drop(entityId: number): Promise<void> {
    const { supervisors, rowsTopics, nowMs } = this.#parts
    await supervisors.drop(entityId)
    await rowsTopics.remove(entityId)
    this.#dropped.set(entityId, nowMs())
  }
}

function failedLast(entities: readonly Entity[], failed: ReadonlySet<number>): readonly Entity[] {
  return [...entities.filter(({ id }) => !failed.has(id)), ...entities.filter(({ id }) => failed.has(id))]
}

/** All of an entity that Druid is told. */
function tellingOf({ fields, duplicates, retention, hours }: Entity): string {
  return JSON.stringify([fields, duplicates, retention, hours === undefined ? 'none' : [hours.retention]])
}
