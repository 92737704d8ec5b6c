import { setTimeout as sleep } from 'node:timers/promises'
import type { DruidClient } from '../../../druid-client/druid-client.ts'
import { hoursSourceName } from '../../../model/druid-row.ts'
import type { Entity } from '../../../model/entity.ts'
import { Management, member } from './management.ts'
import { hoursRules, rowsRules } from './retention-rules.ts'
import { compactionConfig, type SupervisedEntity, type SupervisionSettings, supervisorSpec } from './supervisor-spec.ts'

export interface SupervisorsParts {
  readonly client: Pick<DruidClient, 'manage'>
  readonly settings: SupervisionSettings
  readonly nowMs: () => number
}

/** Told of one entity at which Druid failed, while the others are gone on with. */
export type EntityFailed = (entityId: number, error: unknown) => void

/** What Druid was told of how long it keeps the days of all entities. */
export interface KnownRetentions {
  readonly rulesOf: (entityId: number, kept?: 'rows' | 'hours') => unknown
}

export interface EnsureOptions {
  /** Without it the first failure is thrown. */
  readonly failed?: EntityFailed
  /** Whether supervisors that are not there are made. */
  readonly makes?: boolean
}

/** How an entity's supervisor does. */
export interface SupervisorState {
  readonly entityId: number
  readonly isHealthy: boolean
  /** As Druid names it: `RUNNING`, `SUSPENDED`, `UNHEALTHY_TASKS`. */
  readonly state: string
}

/** A task that began less long ago may be killed when its supervisor changes, instead of being asked to publish. */
const settledMs = 30_000
const askEveryMs = 250
const indexerPath = '/druid/indexer/v1'
const supervisorPath = `${indexerPath}/supervisor`
const coordinatorPath = '/druid/coordinator/v1'
/** All days there can be. */
const allTime = '-146136543-09-08T08:23:32.096Z_146140482-04-24T15:36:27.903Z'

/**
 * Looks after Druid: one supervisor an entity, which reads its topic. Each call brings Druid to what is asked, from whatever is there,
 * so that several processes may make it at once and again. All of them throw Problem `unavailable` while Druid is away.
 */
export class Supervisors {
  readonly #parts: SupervisorsParts
  readonly #management: Management

  constructor(parts: SupervisorsParts) {
    this.#parts = parts
    this.#management = new Management(parts.client, parts.settings.clusterName)
  }

  /**
   * Makes or corrects the supervisors of these entities, and tells Druid how to merge their segments. Answers the entities whose supervisor was changed.
   * A new field changes nothing: tasks find it in the rows. A supervisor that rests goes on resting. One whose tasks only begin is left as it is: Druid
   * would kill them, and until others have read the same rows, these are missing or there twice.
   */
  async ensure(
    entities: readonly SupervisedEntity[],
    { failed = rethrow, makes = true }: EnsureOptions = {},
  ): Promise<number[]> {
    const known = await this.#known()
    const merged = await this.#compactions()
    const changed: number[] = []
    for (const entity of entities) {
      const name = this.#management.nameOf(entity.id)
      try {
        const found = known.get(name)
        if (!makes && found === undefined) continue
        if (await this.#ensureSupervisor(entity, found)) changed.push(entity.id)
        // Asked for by itself: whoever made the supervisor may have failed, or ended, before it came to this.
        for (const source of entity.hours === undefined ? [name] : this.#sourcesOf(entity.id)) {
          const compaction = compactionConfig(source)
          if (holds(merged.get(source), compaction)) continue
          await this.#management.ask('POST', `${coordinatorPath}/config/compaction`, compaction)
        }
      } catch (error) {
        failed(entity.id, error)
      }
    }
    return changed
  }

  /**
   * Those of these entities of which Druid still has something: a supervisor, tasks, or rows. After a process has dropped an entity,
   * another one that still knew it may make its supervisor again, and a task that was ended may have published all the same.
   */
  async left(entityIds: ReadonlySet<number>): Promise<readonly number[]> {
    const sources = await this.#management.list(`${coordinatorPath}/datasources`)
    const names = new Set([...(await this.#known()).keys(), ...sources.map(String)])
    return [...entityIds].filter((id) => this.#sourcesOf(id).some((name) => names.has(name)))
  }

  /** Stops reading the entity's topic, for good. What was read stays queryable. */
  async end(entityId: number): Promise<void> {
    const name = this.#management.nameOf(entityId)
    await this.#management.orMissing('POST', `${supervisorPath}/${name}/terminate`)
  }

  /** Deletes all rows and hours of an entity and ends its supervisor: they are marked as unused, and then removed by a task of Druid. */
  async drop(entityId: number): Promise<void> {
    await this.end(entityId)
    for (const name of this.#sourcesOf(entityId)) {
      // They would read a topic that is gone, or wait for a server to load what nobody is to load any more.
      await this.#endTasks(name)
      await this.#management.orMissing('DELETE', `${coordinatorPath}/config/compaction/${name}`)
      await this.#management.orMissing('DELETE', `${coordinatorPath}/datasources/${name}`)
      await this.#management.orMissing('DELETE', `${coordinatorPath}/datasources/${name}/intervals/${allTime}`)
    }
  }

  /** Deletes for good what is before a date, hours too; rows that a task still reads are not among it. */
  async purge(entityId: number, beforeMs: number): Promise<void> {
    const interval = `${allTime.split('_')[0]}/${new Date(beforeMs).toISOString()}`
    for (const source of this.#sourcesOf(entityId)) {
      const path = `${coordinatorPath}/datasources/${source}`
      await this.#management.orMissing('POST', `${path}/markUnused`, { interval })
      await this.#management.orMissing('DELETE', `${path}/intervals/${interval.replace('/', '_')}`)
    }
  }

  /**
   * Resolves when all tasks that read the entity's topic now have published what they hold, and others serve it. Other tasks go on
   * reading meanwhile.
   */
  async handOver(entityId: number, signal: AbortSignal): Promise<void> {
    const name = this.#management.nameOf(entityId)
    const reading = new Set(await this.#taskIds(name))
    if (reading.size === 0) return
    const taskGroupIds = Array.from({ length: this.#parts.settings.taskCount }, (_, id) => id)
    await this.#management.orMissing('POST', `${supervisorPath}/${name}/taskGroups/handoff`, { taskGroupIds })
    while ((await this.#taskIds(name)).some((id) => reading.has(id))) await sleep(askEveryMs, undefined, { signal })
  }

  /** In one request, however many entities there are: it is given to `retain`. */
  async retentions(): Promise<KnownRetentions> {
    const rules = await this.#management.ask('GET', `${coordinatorPath}/rules`)
    return {
      rulesOf: (entityId, kept = 'rows') => member(rules, this.#sourcesOf(entityId)[kept === 'rows' ? 0 : 1]) ?? [],
    }
  }

  /**
   * Days older than the retention leave the servers of Druid. Where hours are kept, rows stay as long as these: until hours stand for them, and late
   * ones for ever.
   */
  async retain(entity: Pick<Entity, 'id' | 'retention' | 'hours'>, known: KnownRetentions): Promise<void> {
    const { id, retention, hours } = entity
    const nowMs = this.#parts.nowMs()
    const [rows, ofHours] = this.#sourcesOf(id)
    const rules = rowsRules(retention, hours, nowMs)
    if (!holds(known.rulesOf(id), rules)) await this.#rule(rows, rules)
    const kept = known.rulesOf(id, 'hours')
    // Nothing is told of hours that never were.
    if (hours === undefined && holds(kept, [])) return
    const keptRules = hoursRules(hours, nowMs)
    if (!holds(kept, keptRules)) await this.#rule(ofHours, keptRules)
  }

  async #rule(dataSource: string, rules: readonly object[]): Promise<void> {
    await this.#management.ask('POST', `${coordinatorPath}/rules/${dataSource}`, rules)
  }

  /**
   * For each partition of the entity's topic, the offset from which its tasks would read again if they had to begin anew. Null while that
   * is not known, or when the entity has no supervisor.
   */
  async readFrom(entityId: number): Promise<ReadonlyMap<number, number> | null> {
    const status = await this.#management.orMissing(
      'GET',
      `${supervisorPath}/${this.#management.nameOf(entityId)}/status`,
    )
    const payload = member(status, 'payload')
    const tasks = ['activeTasks', 'publishingTasks'].flatMap((kind): unknown[] => {
      const listed = member(payload, kind)
      return Array.isArray(listed) ? listed : []
    })
    if (tasks.length === 0 && member(payload, 'suspended') === true) return publishedTo(payload)
    const from = new Map<number, number>()
    for (const task of tasks) {
      const offsets = member(task, 'startingOffsets')
      // Of a task that only begins nothing is known.
      if (typeof offsets !== 'object' || offsets === null) return null
      for (const [partition, offset] of Object.entries(offsets)) {
        if (typeof offset !== 'number') return null
        from.set(Number(partition), Math.min(offset, from.get(Number(partition)) ?? offset))
      }
    }
    return from.size === 0 ? null : from
  }

  /** Whether tasks run that Druid asks to publish before it ends them, or none does. */
  isSettled(entityId: number): Promise<boolean> {
    return this.#isReading(this.#management.nameOf(entityId))
  }

  /** Of all our supervisors. */
  async states(): Promise<SupervisorState[]> {
    const listed = await this.#management.list(`${supervisorPath}?state=true`)
    return listed.flatMap((entry) => {
      const entityId = this.#management.entityOf(String(member(entry, 'id')))
      if (entityId === null) return []
      const state = { isHealthy: member(entry, 'healthy') === true, state: String(member(entry, 'detailedState')) }
      return [{ entityId, ...state }]
    })
  }

  /** Whether the processes of Druid that take supervisors and answer queries are there. Throws Problem `unavailable`. */
  async checkReachable(): Promise<void> {
    await this.#management.ask('GET', '/status/health')
  }

  /** Of rows, and of hours that outlive them. */
  #sourcesOf(entityId: number): readonly [rows: string, hours: string] {
    return [this.#management.nameOf(entityId), hoursSourceName(this.#parts.settings.clusterName, entityId)]
  }

  async #ensureSupervisor(entity: SupervisedEntity, found: unknown): Promise<boolean> {
    const { settings } = this.#parts
    if (holds(found, supervisorSpec(entity, settings, declaredIn(found)))) return false
    if (found !== undefined && !(await this.#isReading(this.#management.nameOf(entity.id)))) return false
    const spec = { ...supervisorSpec(entity, settings), ...(isResting(found) ? { suspended: true } : {}) }
    await this.#management.ask('POST', `${supervisorPath}?skipRestartIfUnmodified=true`, spec)
    return true
  }

  /** What the tasks of a data source hold that is not published is lost. */
  async #endTasks(dataSource: string): Promise<void> {
    for (const id of await this.#taskIds(dataSource)) {
      await this.#management.orMissing('POST', `${indexerPath}/task/${id}/shutdown`)
    }
  }

  /** Whether Druid knows its tasks well enough to ask them to publish what they hold before it starts others. */
  async #isReading(dataSource: string): Promise<boolean> {
    const tasks = await this.#tasks(dataSource)
    return tasks.every((task) => isSettled(task, this.#parts.nowMs()))
  }

  async #taskIds(dataSource: string): Promise<string[]> {
    return (await this.#tasks(dataSource)).map((task) => String(member(task, 'id')))
  }

  /** Those that read its topic and have not ended. */
  async #tasks(dataSource: string): Promise<unknown[]> {
    const found: unknown[] = []
    for (const state of ['running', 'pending', 'waiting']) {
      const tasks = await this.#management.list(`${indexerPath}/tasks?state=${state}&datasource=${dataSource}`)
      found.push(...tasks.filter((task) => member(task, 'type') === 'index_kafka'))
    }
    return found
  }

  /** How segments are merged, by the names of their data sources. */
  async #compactions(): Promise<Map<string, unknown>> {
    const answer = await this.#management.ask('GET', `${coordinatorPath}/config/compaction`)
    const listed = member(answer, 'compactionConfigs')
    if (!Array.isArray(listed)) throw new Error('Druid answered something other than configurations of compaction')
    return new Map(listed.map((entry: unknown) => [String(member(entry, 'dataSource')), entry]))
  }

  /** The specifications of all supervisors, by their names. */
  async #known(): Promise<Map<string, unknown>> {
    const listed = await this.#management.list(`${supervisorPath}?full`)
    return new Map(listed.map((entry) => [String(member(entry, 'id')), member(entry, 'spec')]))
  }
}

/** Whether a supervisor's specification says that nobody reads. */
export function isResting(spec: unknown): boolean {
  return member(spec, 'suspended') === true
}

/** Whether a task has a place, and is old enough that Druid asks it to publish. */
export function isSettled(task: unknown, nowMs: number): boolean {
  const hasPlace = typeof member(member(task, 'location'), 'host') === 'string'
  return hasPlace && Date.parse(String(member(task, 'createdTime'))) + settledMs < nowMs
}

function rethrow(_entityId: number, error: unknown): never {
  throw error
}

/** The columns that a supervisor's specification names. */
function declaredIn(supervisor: unknown): ReadonlySet<string> {
  const schema = member(member(supervisor, 'spec'), 'dataSchema')
  const dimensions = member(member(schema, 'dimensionsSpec'), 'dimensions')
  return new Set(
    Array.isArray(dimensions) ? dimensions.map((dimension: unknown) => String(member(dimension, 'name'))) : [],
  )
}

/** Of a supervisor that rests: where its next tasks will begin. */
function publishedTo(payload: unknown): ReadonlyMap<number, number> | null {
  const [latest, lags] = [member(payload, 'latestOffsets'), member(payload, 'minimumLag')]
  if (typeof latest !== 'object' || latest === null) return null
  const from = new Map<number, number>()
  for (const [partition, offset] of Object.entries(latest)) {
    const lag = member(lags, partition)
    if (typeof offset !== 'number' || typeof lag !== 'number') return null
    from.set(Number(partition), offset - lag)
  }
  return from.size === 0 ? null : from
}

/** Whether Druid's specification, which has defaults besides, holds all that ours says. */
function holds(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => holds(actual[index], item))
    )
  }
  if (typeof expected === 'object' && expected !== null) {
    return Object.entries(expected).every(([name, value]) => holds(member(actual, name), value))
  }
  return actual === expected
}
