// Keeps Druid in the state that the catalog defines: a supervisor for each entity, the retention of days, and nothing of dropped entities.
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
  /** Time limit of one request. */
  readonly timeoutMs: number
  readonly nowMs: () => number
}

/** A dropped entity is removed again at the earliest after this time, because Druid reports rows for a while after they were deleted. */
const dropAgainMs = 300_000
/** A round is aborted when its failures have taken this many time limits in total. */
const timeoutsMax = 3

/** Several processes may do this at once: each round brings Druid to the required state, from any state. */
export class DruidUpkeep {
  readonly #parts: DruidUpkeepParts
  readonly #rounds = new Serial()
  /** The round that has not started; null if there is none. */
  #next: { isWhole: boolean; readonly done: Promise<void> } | null = null
  /** Entities as Druid was last configured for them; if they differ, Druid is configured again. */
  #configured: ReadonlyMap<number, string> = new Map()
  /** Entities at which the last round failed. The next round processes them last. */
  #failed: ReadonlySet<number> = new Set()
  /** When the remains of an entity were last removed. */
  readonly #dropped = new Map<number, number>()
  readonly #stop = new AbortController()

  constructor(parts: DruidUpkeepParts) {
    this.#parts = parts
  }

  /**
   * Runs one round after the current one; all callers before its start share it. With `isWhole`, the state of Druid is checked too, also for entities that
   * did not change and for dropped ones. Throws Problem `unavailable` while a part is unavailable, and, after all other entities were processed, an Error
   * that names the entities at which something failed.
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
      await this.#report(await ingests.entities(), isWhole, failures)
      await this.#dropDeleted(isWhole, failures)
    } finally {
      this.#failed = failures.ids
    }
    failures.throwAny()
  }

  async #report(entities: readonly Entity[], isWhole: boolean, failures: EntityFailures): Promise<void> {
    const { supervisors, rowsTopics, observe, timeoutMs } = this.#parts
    const changed = entities.filter((entity) => isWhole || this.#configured.get(entity.id) !== configurationOf(entity))
    const ready: Entity[] = []
    for (const entity of failedLast(changed, this.#failed)) {
      // Druid fails to start tasks on a topic that does not exist.
      const hasTopic = await failures.attempt(entity.id, () =>
        rowsTopics.ensure(entity.id, AbortSignal.timeout(timeoutMs)),
      )
      if (hasTopic) ready.push(entity)
    }
    const failed = (id: number, error: unknown): void => failures.add(id, error)
    // Missing supervisors are created with the first rows.
    const ids = await supervisors.ensure(ready, { failed, makes: false })
    if (ids.length > 0) observe({ kind: 'supervisorsChanged', entityIds: ids })
    if (ready.length > 0) {
      const known = await supervisors.retentions()
      for (const entity of ready) await failures.attempt(entity.id, () => supervisors.retain(entity, known))
    }
    const untold = failures.ids
    this.#configured = new Map(
      entities.filter(({ id }) => !untold.has(id)).map((entity) => [entity.id, configurationOf(entity)]),
    )
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
    // Another process that still knew an entity, or a task that continued to write, may have created something of it again since. Only entities that the
    // catalog lists as dropped are checked: an unknown entity may be newer than the catalog read here.
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

/** The parts of an entity that determine its configuration in Druid. */
function configurationOf({ fields, duplicates, retention, hours }: Entity): string {
  return JSON.stringify([fields, duplicates, retention, hours === undefined ? 'none' : [hours.retention]])
}
