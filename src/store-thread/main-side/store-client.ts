import { Worker } from 'node:worker_threads'
import type { Answer, AnswerFormat } from '../../answer/answer.ts'
import { chunkBytes } from '../../answer/spare-chunks.ts'
import { type SpoolSettings, UnsentAnswers } from '../../answer/unsent-answers.ts'
import type { AcceptedPush, IngestProgress } from '../../ingest/progress.ts'
import type { Held } from '../../lib/held.ts'
import type { IngestCounters } from '../../model/ingest.ts'
import type { Plan, PlanLimits } from '../../model/plan.ts'
import type { Observe } from '../../observe/event.ts'
import type { PlanRunner } from '../../query/plan-runner.ts'
import type { EngineSnapshot, EngineSnapshots } from '../../sql-engine/sql-engine.ts'
import type { StoreState } from '../../store/embedded/upkeep/upkeep.ts'
import type { EntityStatistics } from '../../store/series-store.ts'
import { Outbox } from '../outbox.ts'
import type { FromStore, StoreThreadData, ToStore } from '../protocol.ts'
import { Counters } from './counters.ts'
import { firstStart } from './first-start.ts'
import { raiseHeapFloor } from './heap-floor.ts'
import { PendingAsks, type Reply } from './pending-asks.ts'
import { PositionWaiters } from './position-waiters.ts'
import { storeAway } from './store-away.ts'

export interface StoreClientOptions {
  /** The compiled `entry.js`, or what a test runs in its place. */
  readonly threadUrl: URL
  readonly data: Omit<StoreThreadData, 'durablePosition' | 'countedPosition' | 'isHeld'>
  readonly observe: Observe
  /** How long to wait before a thread that died is started again. */
  readonly restartDelayMs: number
  readonly spool: SpoolSettings
  /** Told when the sealed position may have moved: the journal is not needed before it. */
  readonly sealed: (position: number) => void
  /** Whether the thread that died was judging an entry of the journal: another start may come past it. */
  readonly diedJudging: () => Promise<boolean>
}

type Question = Extract<ToStore, { kind: 'run' | 'statistics' | 'snapshot' | 'hold' | 'purge' }>
/** A question without its number: `Omit` alone would melt the union into one shape. */
type Unnumbered<Q> = Q extends unknown ? Omit<Q, 'id'> : never

/** The main thread's side of the store's thread. Starts it again when it dies: it loses nothing, the journal holds all. */
export class StoreClient implements PlanRunner, EngineSnapshots, IngestProgress {
  readonly #options: StoreClientOptions
  readonly #counters = new Counters()
  readonly #asks = new PendingAsks()
  readonly #unsent: UnsentAnswers
  readonly #waiters = new PositionWaiters(() => this.#processedPosition)
  #worker: Worker | null = null
  #outbox: Outbox<ToStore> | null = null
  #ready: Promise<void> = Promise.resolve()
  #isReady = false
  #state: StoreState = { sealedPosition: 0, files: 0, rows: 0, bytes: 0 }
  #durablePosition: number
  #processedPosition = 0
  #countedPosition: number
  #closing = false
  /** How many want no file to be deleted. */
  #holds = 0

  private constructor(options: StoreClientOptions, durablePosition: number) {
    this.#options = options
    this.#unsent = new UnsentAnswers(options.spool)
    this.#durablePosition = durablePosition
    this.#countedPosition = durablePosition
  }

  /** Resolves once everything before `durablePosition` is queryable. */
  static async start(options: StoreClientOptions, durablePosition: number): Promise<StoreClient> {
    const thread = new StoreClient(options, durablePosition)
    await firstStart(() => thread.#start(), options)
    thread.#counters.settle()
    return thread
  }

  /** Answers on their way to their readers, of this thread and of who shares its bounds. */
  get unsent(): UnsentAnswers {
    return this.#unsent
  }

  /** Whether queries are answered now. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** What is stored for good. */
  get state(): StoreState {
    return this.#state
  }

  get pendingRows(): number {
    return this.#counters.pendingRows
  }

  /** Resolves once no file is deleted any more, until `release` is called; a thread that is started again meanwhile deletes none either. */
  async hold(): Promise<Held> {
    this.#holds++
    const release = (): void => {
      if (--this.#holds === 0) this.#post({ kind: 'release' })
    }
    try {
      await this.#ask({ kind: 'hold' }, null)
    } catch (error) {
      release()
      throw error
    }
    return { release }
  }

  /** Tells the thread that the catalog has dropped an entity, or let rows leave. */
  changed(): void {
    this.#post({ kind: 'changed' })
  }

  /** Resolves when the rows of an entity that have left are gone from memory and files. */
  async purge(entityId: number): Promise<void> {
    await this.#ask({ kind: 'purge', entityId }, null)
  }

  /** Tells the thread that the journal has more. */
  durable(position: number): void {
    this.#durablePosition = position
    this.#post({ kind: 'durable', position })
    // The rows are to be queryable soon.
    this.#outbox?.flush()
  }

  processedThrough(): number {
    return this.#processedPosition
  }

  accepted({ ingestId, rows }: AcceptedPush): void {
    this.#counters.accepted(ingestId, rows)
  }

  counters(ingestId: number): IngestCounters {
    return this.#counters.of(ingestId)
  }

  waitFor(position: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(position, signal)
  }

  async run(plan: Plan, format: AnswerFormat, limits: PlanLimits, signal: AbortSignal): Promise<Answer> {
    const room = this.#unsent.room()
    const message = await this.#ask({ kind: 'run', plan, format, limits, room }, signal)
    if (message.kind !== 'answer') throw new Error(`the store answered a plan with ${message.kind}`)
    return this.#unsent.open(message.answer, (memory) => this.#giveBack(memory))
  }

  async statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    const message = await this.#ask({ kind: 'statistics', entityId, sinceMs }, signal)
    if (message.kind !== 'statistics')
      throw new Error(`the store answered a question for statistics with ${message.kind}`)
    return message.statistics
  }

  async snapshot(entityIds: readonly number[], signal: AbortSignal): Promise<EngineSnapshot> {
    const outbox = this.#outbox
    const message = await this.#ask({ kind: 'snapshot', entityIds }, signal)
    if (message.kind !== 'snapshot')
      throw new Error(`the store answered a question for a snapshot with ${message.kind}`)
    const { id, entities } = message
    const isLost = (): boolean => this.#outbox !== outbox
    return { entities, isLost, release: () => outbox?.push({ kind: 'unpin', id }) }
  }

  async close(): Promise<void> {
    this.#closing = true
    const worker = this.#worker
    if (worker === null) return
    await new Promise((resolve) => {
      worker.once('exit', resolve)
      this.#post({ kind: 'close' })
    })
  }

  #start(): Promise<void> {
    const { threadUrl, observe } = this.#options
    const startedMs = performance.now()
    raiseHeapFloor()
    this.#countedPosition = Math.max(this.#countedPosition, this.#processedPosition)
    const worker = new Worker(threadUrl, { workerData: this.#dataOfThread() })
    this.#worker = worker
    this.#outbox = new Outbox(worker)
    this.#processedPosition = 0
    this.#counters.restart([])
    let judgedBefore = 0
    let failure: unknown = new Error('the store thread ended')
    worker.on('error', (error) => {
      failure = error
    })
    this.#ready = new Promise((resolve, reject) => {
      const take = (message: FromStore) => {
        if (message.kind === 'begun') {
          this.#begin(message)
          judgedBefore = this.#counters.judgedRows
          return
        }
        if (message.kind !== 'ready') return this.#take(message)
        this.#isReady = true
        observe({
          kind: 'storeStarted',
          replayedRows: this.#counters.judgedRows - judgedBefore,
          ms: performance.now() - startedMs,
        })
        // The journal may have grown while the thread was starting.
        this.#post({ kind: 'durable', position: this.#durablePosition })
        resolve()
      }
      worker.on('message', (messages: readonly FromStore[]) => {
        for (const message of messages) take(message)
      })
      worker.once('exit', () => {
        this.#died(failure)
        reject(failure)
      })
    })
    // A first start that fails is reported by `start`, a later one by the event of its death.
    this.#ready.catch(() => undefined)
    return this.#ready
  }

  #dataOfThread(): StoreThreadData {
    const [durablePosition, countedPosition] = [this.#durablePosition, this.#countedPosition]
    return { ...this.#options.data, durablePosition, countedPosition, isHeld: this.#holds > 0 }
  }

  #died(failure: unknown): void {
    const wasReady = this.#isReady
    this.#worker = null
    this.#outbox = null
    this.#isReady = false
    this.#asks.rejectAll(storeAway())
    if (this.#closing) return
    const { observe, restartDelayMs } = this.#options
    const message = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)
    observe({ kind: 'storeDied', message, restartInMs: restartDelayMs })
    // One that never became ready would die again of the same cause, unless it served before.
    if (!wasReady && !this.#counters.settled) return
    setTimeout(() => {
      if (!this.#closing) this.#startAgain()
    }, restartDelayMs)
  }

  /** Where no thread can be had at the moment, it is tried again as after a death. */
  #startAgain(): void {
    try {
      void this.#start()
    } catch (error) {
      this.#died(error)
    }
  }

  #begin({ state, counts }: Extract<FromStore, { kind: 'begun' }>): void {
    this.#processedPosition = state.sealedPosition
    this.#counters.restart(counts)
    this.#changed(state)
  }

  #changed(state: StoreState): void {
    this.#state = state
    this.#options.sealed(state.sealedPosition)
  }

  #take(message: Exclude<FromStore, { kind: 'ready' | 'begun' }>): void {
    switch (message.kind) {
      case 'state':
        this.#changed(message.state)
        return
      case 'progress':
        this.#processedPosition = message.position
        this.#counters.judged(message.tallies)
        this.#waiters.reached()
        return
      case 'event':
        this.#options.observe(message.event)
        return
      default:
        this.#asks.settle(message)
    }
  }

  async #ask(question: Unnumbered<Question>, signal: AbortSignal | null): Promise<Reply> {
    if (!this.#isReady) throw storeAway()
    signal?.throwIfAborted()
    const send = (id: number): void => this.#post({ ...question, id })
    return this.#asks.add(signal, send, (id) => this.#post({ kind: 'cancel', id }))
  }

  #giveBack(memory: readonly ArrayBuffer[]): void {
    const chunks = memory.filter(({ byteLength }) => byteLength === chunkBytes)
    if (chunks.length > 0) this.#post({ kind: 'spare', memory: chunks }, chunks)
  }

  #post(message: ToStore, transfer?: readonly ArrayBuffer[]): void {
    this.#outbox?.push(message, transfer)
  }
}
