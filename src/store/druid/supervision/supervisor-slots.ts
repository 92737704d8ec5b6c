// Controls which entities Druid's tasks read: supervisors are suspended, which frees their slots, and resumed.
import { isDeepStrictEqual } from 'node:util'
import { Management, member } from './management.ts'
import { type SupervisedEntity, supervisorSpec } from './supervisor-spec.ts'
import { isResting, isSettled, type SupervisorsParts } from './supervisors.ts'

interface SupervisorSeen {
  readonly isSuspended: boolean
  /** Running tasks, including those that publish. */
  readonly running: number
  /** Tasks that wait for a slot. */
  readonly queued: number
  /** Whether it has running tasks, and all of them are old enough to be asked to publish. */
  readonly isSettled: boolean
}

export interface SlotsState {
  /** Free slots of all indexers, for tasks of any kind. */
  readonly freeSlots: number
  /** By entity id. */
  readonly supervisors: ReadonlyMap<number, SupervisorSeen>
}

/** The part of a topic without readers that Druid has not published. */
export interface Unread {
  /** False while Druid does not know the topic's end yet. */
  readonly isKnown: boolean
  /** The number of unpublished offsets in each partition. */
  readonly lags: readonly number[]
}

const supervisorPath = '/druid/indexer/v1/supervisor'
/** Druid has no such supervisor, or it is in the requested state already. */
const refused: ReadonlySet<number> = new Set([400, 404])
/** After the last row of a transaction Kafka writes a marker, which tasks never read. */
const markOffsets = 1

/** All methods throw Problem `unavailable` while Druid is unavailable. */
export class SupervisorSlots {
  readonly #parts: SupervisorsParts
  readonly #management: Management

  constructor(parts: SupervisorsParts) {
    this.#parts = parts
    this.#management = new Management(parts.client, parts.settings.clusterName)
  }

  async readState(): Promise<SlotsState> {
    const management = this.#management
    const capacity = await management.ask('GET', '/druid/indexer/v1/totalWorkerCapacity')
    const running = await management.list('/druid/indexer/v1/tasks?state=running')
    const queued = [
      ...(await management.list('/druid/indexer/v1/tasks?state=pending')),
      ...(await management.list('/druid/indexer/v1/tasks?state=waiting')),
    ]
    const listed = await management.list('/druid/indexer/v1/supervisor?full')
    const supervisors = new Map<number, SupervisorSeen>()
    for (const entry of listed) {
      const entityId = management.entityOf(String(member(entry, 'id')))
      if (entityId === null) continue
      const own = (tasks: readonly unknown[]): readonly unknown[] =>
        tasks.filter(
          (task) => member(task, 'dataSource') === member(entry, 'id') && member(task, 'type') === 'index_kafka',
        )
      const runs = own(running)
      supervisors.set(entityId, {
        isSuspended: isResting(member(entry, 'spec')),
        running: runs.length,
        queued: own(queued).length,
        isSettled: runs.length > 0 && runs.every((task) => isSettled(task, this.#parts.nowMs())),
      })
    }
    return { freeSlots: slotsOf(capacity) - running.length - queued.length, supervisors }
  }

  /** Starts reading an entity's topic, from the published offsets on. `isThere`: it has a suspended supervisor. */
  async wake(entity: SupervisedEntity, isThere: boolean): Promise<void> {
    const management = this.#management
    if (isThere) {
      await management.unless(refused, 'POST', `${supervisorPath}/${management.nameOf(entity.id)}/resume`)
      return
    }
    const spec = supervisorSpec(entity, this.#parts.settings)
    await management.ask('POST', `${supervisorPath}?skipRestartIfUnmodified=true`, spec)
  }

  /** Makes the tasks of an entity publish their rows and end. Rows that were read stay queryable throughout. */
  async rest(entityId: number): Promise<void> {
    await this.#management.unless(refused, 'POST', `${supervisorPath}/${this.#management.nameOf(entityId)}/suspend`)
  }

  /** The unread part of the topic of an entity that is at rest and whose tasks have ended. `ends` are the end offsets of its partitions. */
  async unread(entityId: number, ends: readonly number[]): Promise<Unread> {
    const path = `/druid/indexer/v1/supervisor/${this.#management.nameOf(entityId)}/status`
    const payload = member(await this.#management.orMissing('GET', path), 'payload')
    const byPartition = (name: string): unknown[] =>
      ends.map((_, partition) => member(member(payload, name), String(partition)))
    const lags = byPartition('minimumLag').map((lag) =>
      typeof lag === 'number' ? Math.max(0, lag - markOffsets) : Number.NaN,
    )
    const isKnown = isDeepStrictEqual(byPartition('latestOffsets'), [...ends]) && !lags.some(Number.isNaN)
    return { isKnown, lags }
  }
}

function slotsOf(capacity: unknown): number {
  const now = member(capacity, 'currentClusterCapacity')
  const most = member(capacity, 'maximumCapacityWithAutoScale')
  if (typeof now !== 'number') throw new Error('Druid did not say how many slots it has')
  // Includes indexers that are started when tasks wait for them.
  return Math.max(now, typeof most === 'number' ? most : 0)
}
