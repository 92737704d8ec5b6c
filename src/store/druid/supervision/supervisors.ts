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

/** Called for each entity at which Druid failed; the other entities are processed all the same. */
export type EntityFailed = (entityId: number, error: unknown) => void

/** The retention rules of all entities that are set in Druid. */
export interface KnownRetentions {
  readonly rulesOf: (entityId: number, kept?: 'rows' | 'hours') => unknown
}

export interface EnsureOptions {
  /** If absent, the first failure is thrown. */
  readonly failed?: EntityFailed
  /** Whether missing supervisors are created. */
  readonly makes?: boolean
}

/** The state of an entity's supervisor. */
export interface SupervisorState {
  readonly entityId: number
  readonly isHealthy: boolean
  /** Druid's name for the state: `RUNNING`, `SUSPENDED`, `UNHEALTHY_TASKS`. */
  readonly state: string
}

/** A task that started more recently than this may be killed when its supervisor changes, instead of being asked to publish. */
const settledMs = 30_000
const pollEveryMs = 250
const indexerPath = '/druid/indexer/v1'
const supervisorPath = `${indexerPath}/supervisor`
const coordinatorPath = '/druid/coordinator/v1'
/** Druid's interval for all of time. */
const allTime = '-146136543-09-08T08:23:32.096Z_146140482-04-24T15:36:27.903Z'

/**
 * Manages one supervisor per entity, which reads its topic. Each call brings Druid to the requested state from any state, so several processes may make
 * it at once and repeat it. All of them throw Problem `unavailable` while Druid is unavailable.
 */
export class Supervisors {
  readonly #parts: SupervisorsParts
  readonly #management: Management

  constructor(parts: SupervisorsParts) {
    this.#parts = parts
    this.#management = new Management(parts.client, parts.settings.clusterName)
  }

  /**
   * Creates or corrects the supervisors of these entities, and configures how Druid merges their segments. Returns the entities whose supervisor was changed.
   * A new field changes nothing: tasks discover it in the rows. A suspended supervisor stays suspended. A supervisor whose tasks have just started is not
   * changed: Druid would kill them, and until other tasks have read the same rows, these are missing or duplicated.
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
        // Checked separately: the process that created the supervisor may have failed, or ended, before this step.
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
   * Those of these entities that still have a supervisor or segments in Druid. After a process has dropped an entity, another process that still knew it may
   * create its supervisor again, and a task that was ended may still have published.
   */
  async left(entityIds: ReadonlySet<number>): Promise<readonly number[]> {
    const sources = await this.#management.list(`${coordinatorPath}/datasources`)
    const names = new Set([...(await this.#known()).keys(), ...sources.map(String)])
    return [...entityIds].filter((id) => this.#sourcesOf(id).some((name) => names.has(name)))
  }

  /** Permanently stops reading the entity's topic. Rows that were read stay queryable. */
  async end(entityId: number): Promise<void> {
    const name = this.#management.nameOf(entityId)
    await this.#management.orMissing('POST', `${supervisorPath}/${name}/terminate`)
  }

  /** Deletes all rows and hours of an entity and ends its supervisor. Segments are marked as unused, and then removed by a Druid task. */
  async drop(entityId: number): Promise<void> {
    await this.end(entityId)
    for (const name of this.#sourcesOf(entityId)) {
      // The tasks would read a topic that no longer exists, or wait for a server to load segments that no server will load.
      await this.#endTasks(name)
      await this.#management.orMissing('DELETE', `${coordinatorPath}/config/compaction/${name}`)
      await this.#management.orMissing('DELETE', `${coordinatorPath}/datasources/${name}`)
      await this.#management.orMissing('DELETE', `${coordinatorPath}/datasources/${name}/intervals/${allTime}`)
    }
  }

  /** Permanently deletes rows and hours before a date, except rows that a task still reads. */
  async purge(entityId: number, beforeMs: number): Promise<void> {
    const interval = `${allTime.split('_')[0]}/${new Date(beforeMs).toISOString()}`
    for (const source of this.#sourcesOf(entityId)) {
      const path = `${coordinatorPath}/datasources/${source}`
      await this.#management.orMissing('POST', `${path}/markUnused`, { interval })
      await this.#management.orMissing('DELETE', `${path}/intervals/${interval.replace('/', '_')}`)
    }
  }

  /**
   * Resolves when all tasks that currently read the entity's topic have published their rows, and servers serve them. Other tasks continue to read
   * meanwhile.
   */
  async handOver(entityId: number, signal: AbortSignal): Promise<void> {
    const name = this.#management.nameOf(entityId)
    const reading = new Set(await this.#taskIds(name))
    if (reading.size === 0) return
    const taskGroupIds = Array.from({ length: this.#parts.settings.taskCount }, (_, id) => id)
    await this.#management.orMissing('POST', `${supervisorPath}/${name}/taskGroups/handoff`, { taskGroupIds })
    while ((await this.#taskIds(name)).some((id) => reading.has(id))) await sleep(pollEveryMs, undefined, { signal })
  }

  /** The rules for `retain`, in one request for any number of entities. */
  async retentions(): Promise<KnownRetentions> {
    const rules = await this.#management.ask('GET', `${coordinatorPath}/rules`)
    return {
      rulesOf: (entityId, kept = 'rows') => member(rules, this.#sourcesOf(entityId)[kept === 'rows' ? 0 : 1]) ?? [],
    }
  }

  /**
   * Makes Druid's servers drop days older than the retention. Where hours are kept, rows may stay as long as hours: most are removed earlier, after hours
   * have replaced them, but late rows stay.
   */
  async retain(entity: Pick<Entity, 'id' | 'retention' | 'hours'>, known: KnownRetentions): Promise<void> {
    const { id, retention, hours } = entity
    const nowMs = this.#parts.nowMs()
    const [rows, ofHours] = this.#sourcesOf(id)
    const rules = rowsRules(retention, hours, nowMs)
    if (!holds(known.rulesOf(id), rules)) await this.#rule(rows, rules)
    const kept = known.rulesOf(id, 'hours')
    // Hours that never existed need no rules.
    if (hours === undefined && holds(kept, [])) return
    const keptRules = hoursRules(hours, nowMs)
    if (!holds(kept, keptRules)) await this.#rule(ofHours, keptRules)
  }

  async #rule(dataSource: string, rules: readonly object[]): Promise<void> {
    await this.#management.ask('POST', `${coordinatorPath}/rules/${dataSource}`, rules)
  }

  /**
   * For each partition of the entity's topic, the offset from which its tasks would read after a restart. Null while it is not known, or when the entity has
   * no supervisor.
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
      // The offsets of a task that is just starting are not known.
      if (typeof offsets !== 'object' || offsets === null) return null
      for (const [partition, offset] of Object.entries(offsets)) {
        if (typeof offset !== 'number') return null
        from.set(Number(partition), Math.min(offset, from.get(Number(partition)) ?? offset))
      }
    }
    return from.size === 0 ? null : from
  }

  /** Whether Druid would ask all running tasks to publish before it ends them. True if none is running. */
  isSettled(entityId: number): Promise<boolean> {
    return this.#isReading(this.#management.nameOf(entityId))
  }

  /** The states of all our supervisors. */
  async states(): Promise<SupervisorState[]> {
    const listed = await this.#management.list(`${supervisorPath}?state=true`)
    return listed.flatMap((entry) => {
      const entityId = this.#management.entityOf(String(member(entry, 'id')))
      if (entityId === null) return []
      const state = { isHealthy: member(entry, 'healthy') === true, state: String(member(entry, 'detailedState')) }
      return [{ entityId, ...state }]
    })
  }

  /** Checks that the process at the management URL of Druid responds. Throws Problem `unavailable`. */
  async checkReachable(): Promise<void> {
    await this.#management.ask('GET', '/status/health')
  }

  /** The data sources of rows, and of hours that outlive them. */
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

  /** Ends the tasks of a data source. Their unpublished rows are lost. */
  async #endTasks(dataSource: string): Promise<void> {
    for (const id of await this.#taskIds(dataSource)) {
      await this.#management.orMissing('POST', `${indexerPath}/task/${id}/shutdown`)
    }
  }

  /** Whether Druid knows the tasks well enough to ask them to publish before it starts others. */
  async #isReading(dataSource: string): Promise<boolean> {
    const tasks = await this.#tasks(dataSource)
    return tasks.every((task) => isSettled(task, this.#parts.nowMs()))
  }

  async #taskIds(dataSource: string): Promise<string[]> {
    return (await this.#tasks(dataSource)).map((task) => String(member(task, 'id')))
  }

  /** The tasks that read its topic and have not ended. */
  async #tasks(dataSource: string): Promise<unknown[]> {
    const found: unknown[] = []
    for (const state of ['running', 'pending', 'waiting']) {
      const tasks = await this.#management.list(`${indexerPath}/tasks?state=${state}&datasource=${dataSource}`)
      found.push(...tasks.filter((task) => member(task, 'type') === 'index_kafka'))
    }
    return found
  }

  /** The compaction configurations by data source. */
  async #compactions(): Promise<Map<string, unknown>> {
    const answer = await this.#management.ask('GET', `${coordinatorPath}/config/compaction`)
    const listed = member(answer, 'compactionConfigs')
    if (!Array.isArray(listed)) throw new Error('Druid answered something other than configurations of compaction')
    return new Map(listed.map((entry: unknown) => [String(member(entry, 'dataSource')), entry]))
  }

  /** The specifications of all supervisors by name. */
  async #known(): Promise<Map<string, unknown>> {
    const listed = await this.#management.list(`${supervisorPath}?full`)
    return new Map(listed.map((entry) => [String(member(entry, 'id')), member(entry, 'spec')]))
  }
}

/** Whether a supervisor is suspended by its specification. */
export function isResting(spec: unknown): boolean {
  return member(spec, 'suspended') === true
}

/** Whether a task runs on a host, and is old enough that Druid asks it to publish. */
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

/** The offsets at which the next tasks of a suspended supervisor will start. */
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

/** Whether Druid's specification, which also has defaults, contains everything in ours. */
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
