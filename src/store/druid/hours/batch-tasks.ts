// Tasks of Druid that end by themselves. Their ids are settled before: Druid takes each id once, so that several processes may ask for the same task,
// and one that was held up cannot ask for it anew.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Management, member } from '../supervision/management.ts'

export interface BatchTask {
  readonly type: 'index_parallel'
  readonly spec: object
  readonly context: object
}

export interface BatchTasksParts {
  readonly management: Pick<Management, 'ask' | 'orMissing' | 'unless'>
  readonly askEveryMs: number
}

type TaskState = 'none' | 'under way' | 'SUCCESS' | 'FAILED'

interface TaskStatus {
  readonly state: TaskState
  readonly reason: string
}

const taskPath = '/druid/indexer/v1/task'
const coordinatorPath = '/druid/coordinator/v1'
/** Of an id: whoever comes to it has to look why a task fails so often. */
const attemptsMax = 100

export class BatchTasks {
  readonly #parts: BatchTasksParts

  constructor(parts: BatchTasksParts) {
    this.#parts = parts
  }

  /** Resolves when the task has succeeded once, whoever asked for it. Throws where it fails now; the next call tries it again. */
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

  /** Resolves when servers of Druid answer for all that is published of these dates. */
  async served(dataSource: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<void> {
    const interval = [fromMs, toMs].map((ms) => new Date(ms).toISOString()).join('_')
    const path = `${coordinatorPath}/datasources/${dataSource}/loadstatus?forceMetadataRefresh=true&interval=${interval}`
    for (;;) {
      signal.throwIfAborted()
      // Druid answers nothing where there is nothing.
      const loaded = await this.#parts.management.ask('GET', path)
      if (loaded === null || member(loaded, dataSource) === 100) return
      await sleep(this.#parts.askEveryMs, undefined, { signal })
    }
  }

  /** Takes all that there is of whole days from view. */
  async clear(dataSource: string, fromMs: number, toMs: number): Promise<void> {
    const interval = [fromMs, toMs].map((ms) => new Date(ms).toISOString()).join('/')
    const path = `${coordinatorPath}/datasources/${dataSource}/markUnused`
    await this.#parts.management.orMissing('POST', path, { interval })
  }

  /** `task` is null where it runs already. */
  async #run(id: string, task: BatchTask | null, signal: AbortSignal): Promise<void> {
    // Refused where another process was quicker: its task is the same.
    if (task !== null) await this.#parts.management.unless(refused, 'POST', taskPath, { id, ...task })
    for (;;) {
      const { state, reason } = await this.#status(id)
      if (state === 'SUCCESS') return
      if (state === 'FAILED') throw new Error(`Druid's task ${id} failed: ${reason}`)
      if (state === 'none') throw new Error(`Druid did not take the task ${id}`)
      await sleep(this.#parts.askEveryMs, undefined, { signal })
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
