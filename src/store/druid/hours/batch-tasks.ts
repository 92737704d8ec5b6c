// Druid tasks that end on their own. Their ids are chosen in advance, and Druid accepts each id only once. So several processes may submit the same
// task, and a process that was delayed cannot submit it again.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Management, member } from '../supervision/management.ts'

export interface BatchTask {
  readonly type: 'index_parallel'
  readonly spec: object
  readonly context: object
}

export interface BatchTasksParts {
  readonly management: Pick<Management, 'ask' | 'orMissing' | 'unless'>
  readonly pollEveryMs: number
}

type TaskState = 'none' | 'under way' | 'SUCCESS' | 'FAILED'

interface TaskStatus {
  readonly state: TaskState
  readonly reason: string
}

const taskPath = '/druid/indexer/v1/task'
const coordinatorPath = '/druid/coordinator/v1'
/** The most attempts for a name. If a task fails this often, an operator has to find out why. */
const attemptsMax = 100

export class BatchTasks {
  readonly #parts: BatchTasksParts

  constructor(parts: BatchTasksParts) {
    this.#parts = parts
  }

  /** Resolves when the task has succeeded once, whichever process submitted it. Throws if it fails now; the next call tries again. */
  async once(name: string, task: () => BatchTask, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const id = `${name}_${attempt}`
      const { state } = await this.#status(id)
      if (state === 'FAILED') continue
      if (state !== 'SUCCESS') await this.#run(id, state === 'none' ? task() : null, signal)
      return
    }
    throw new Error(`Druid's task ${name} has failed ${attemptsMax} times: see its log`)
  }

  /** Resolves when Druid's servers serve everything that is published for these dates. */
  async served(dataSource: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<void> {
    const interval = [fromMs, toMs].map((ms) => new Date(ms).toISOString()).join('_')
    const path = `${coordinatorPath}/datasources/${dataSource}/loadstatus?forceMetadataRefresh=true&interval=${interval}`
    for (;;) {
      signal.throwIfAborted()
      // The response is empty where there are no segments.
      const loaded = await this.#parts.management.ask('GET', path)
      if (loaded === null || member(loaded, dataSource) === 100) return
      await sleep(this.#parts.pollEveryMs, undefined, { signal })
    }
  }

  /** Hides all data of a range of whole days from queries. */
  async clear(dataSource: string, fromMs: number, toMs: number): Promise<void> {
    const interval = [fromMs, toMs].map((ms) => new Date(ms).toISOString()).join('/')
    const path = `${coordinatorPath}/datasources/${dataSource}/markUnused`
    await this.#parts.management.orMissing('POST', path, { interval })
  }

  /** `task` is null if it is already running. */
  async #run(id: string, task: BatchTask | null, signal: AbortSignal): Promise<void> {
    // Refused if another process was faster: its task is the same.
    if (task !== null) await this.#parts.management.unless(refused, 'POST', taskPath, { id, ...task })
    for (;;) {
      const { state, reason } = await this.#status(id)
      if (state === 'SUCCESS') return
      if (state === 'FAILED') throw new Error(`Druid's task ${id} failed: ${reason}`)
      if (state === 'none') throw new Error(`Druid did not take the task ${id}`)
      await sleep(this.#parts.pollEveryMs, undefined, { signal })
    }
  }

  async #status(id: string): Promise<TaskStatus> {
    const found = member(await this.#parts.management.orMissing('GET', `${taskPath}/${id}/status`), 'status')
    const code = member(found, 'statusCode')
    const reason = String(member(found, 'errorMsg') ?? 'it does not say why').slice(0, 500)
    if (found === undefined) return { state: 'none', reason }
    return { state: code === 'SUCCESS' || code === 'FAILED' ? code : 'under way', reason }
  }
}

const refused: ReadonlySet<number> = new Set([400])
