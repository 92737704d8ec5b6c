import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Answer } from '../../answer/answer.ts'
import { spareChunkBytes } from '../../answer/spare-chunks.ts'
import { type SpoolSettings, UnsentAnswers } from '../../answer/unsent-answers.ts'
import type { Held } from '../../lib/held.ts'
import type { AnswerFormat } from '../../model/answer-format.ts'
import type { Plan, PlanLimits } from '../../model/plan.ts'
import type { Problem } from '../../model/problem.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import type { PlanRunner } from '../../query/plan-runner.ts'
import type { EngineSnapshot, EngineSnapshots } from '../../sql-engine/sql-engine.ts'
import type { StoreState } from '../../store/embedded/upkeep/upkeep.ts'
import type { EntityStatistics, TagPage, TagRequest } from '../../store/series-store.ts'
import { Outbox } from '../outbox.ts'
import type { FromStore, StoreThreadData, ToStore } from '../protocol.ts'
import { AwaitedStart } from './awaited-start.ts'
import { firstStart } from './first-start.ts'
import { raiseHeapFloor } from './heap-floor.ts'
import { JudgedProgress } from './judged-progress.ts'
import { PendingAsks, type Reply, replyOf, type Unnumbered } from './pending-asks.ts'
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
  /** Notes that the thread died, and not its process. True when it was judging an entry of the journal: another start may come past it. */
  readonly noteDeath: () => Promise<boolean>
}

/** The main thread's side of the store's thread. Starts it again when it dies: it loses nothing, the journal holds all. */
export class StoreClient implements PlanRunner, EngineSnapshots {
  readonly #options: StoreClientOptions
  readonly #asks = new PendingAsks()
  readonly #unsent: UnsentAnswers
  #worker: Worker | null = null
  #outbox: Outbox<ToStore> | null = null
  #isReady = false
  #state: StoreState = { sealedPosition: 0, files: 0, rows: 0, bytes: 0 }
  #closing = false
  readonly #opening: AwaitedStart
  /** How far it has come behind the journal. */
  readonly progress: JudgedProgress
  #caughtUp: Promise<void> = Promise.resolve()
  /** How many want no file to be deleted. */
  #holds = 0

  private constructor(options: StoreClientOptions, durablePosition: number) {
    this.#options = options
    this.#unsent = new UnsentAnswers(options.spool)
    this.progress = new JudgedProgress(durablePosition, () => this.#away())
    this.#opening = new AwaitedStart({
      observe: options.observe,
      rowsLeft: () => this.progress.rowsLeft,
      wasReady: () => this.progress.isSettled,
    })
  }

  /** Resolves once the store is open: what the journal holds is read from then on. */
  static async start(options: StoreClientOptions, durablePosition: number): Promise<StoreClient> {
    const thread = new StoreClient(options, durablePosition)
    const mayPass = async (): Promise<boolean> => {
      const mayPassEntry = await options.noteDeath()
      return !thread.#closing && (thread.#opening.hasWaited || mayPassEntry)
    }
    thread.#caughtUp = firstStart(() => thread.#start(), { mayPass, restartDelayMs: options.restartDelayMs })
    // Who waits for it hears of it; the others learn it by `started`.
    thread.#caughtUp.catch(() => undefined)
    await Promise.race([thread.#opening.begun, thread.#caughtUp])
    return thread
  }

  /**
   * Resolves once everything is queryable that was in the journal at the beginning, or once that waits for what nobody but the operator can bring: `awayReason`
   * says it then. Rejects when the thread ended of what it would end of again.
   */
  started(): Promise<void> {
    return Promise.race([this.#caughtUp, this.#opening.waited])
  }

  /** Why queries are not answered now, as a sentence; null when they are. */
  get awayReason(): string | null {
    return this.#isReady ? null : this.#opening.reason
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
    this.progress.durable(position)
    this.#post({ kind: 'durable', position })
    // The rows are to be queryable soon.
    this.#outbox?.flush()
  }

  async run(plan: Plan, format: AnswerFormat, limits: PlanLimits, signal: AbortSignal): Promise<Answer> {
    const room = this.#unsent.room()
    const { answer } = replyOf('answer', await this.#ask({ kind: 'run', plan, format, limits, room }, signal))
    return this.#unsent.open(answer, (memory) => this.#giveBack(memory))
  }

  async statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    return replyOf('statistics', await this.#ask({ kind: 'statistics', entityId, sinceMs }, signal)).statistics
  }

  async tags(request: TagRequest, signal: AbortSignal): Promise<TagPage> {
    return replyOf('tags', await this.#ask({ kind: 'tags', request }, signal)).page
  }

  async snapshot(entityIds: readonly number[], signal: AbortSignal): Promise<EngineSnapshot> {
    const outbox = this.#outbox
    const { id, entities } = replyOf('snapshot', await this.#ask({ kind: 'snapshot', entityIds }, signal))
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
    if (this.#closing) throw new Error('the store is stopped')
    const { threadUrl, data, observe } = this.#options
    const startedMs = performance.now()
    raiseHeapFloor()
    this.progress.restart()
    const { readyPosition: durablePosition, countedPosition } = this.progress
    const workerData: StoreThreadData = { ...data, durablePosition, countedPosition, isHeld: this.#holds > 0 }
    const worker = new Worker(threadUrl, { workerData })
    this.#worker = worker
    this.#outbox = new Outbox(worker)
    let judgedBefore = 0
    let failure: unknown = new Error('the store thread ended')
    worker.on('error', (error) => {
      failure = error
    })
    const ready = new Promise<void>((resolve, reject) => {
      const take = (message: FromStore) => {
        if (message.kind === 'begun') {
          this.progress.begun(message.state.sealedPosition, message.counts)
          this.#changed(message.state)
          this.#opening.begins()
          judgedBefore = this.progress.judgedRows
          return
        }
        if (message.kind !== 'ready') return this.#take(message)
        this.#isReady = true
        this.#opening.goesOn()
        observe({
          kind: 'storeStarted',
          replayedRows: this.progress.judgedRows - judgedBefore,
          ms: performance.now() - startedMs,
        })
        this.progress.ready()
        // The journal may have grown while the thread was starting.
        this.#post({ kind: 'durable', position: this.progress.durablePosition })
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
    ready.catch(() => undefined)
    return ready
  }

  #died(failure: unknown): void {
    const wasReady = this.#isReady
    this.#worker = null
    this.#outbox = null
    this.#isReady = false
    this.#opening.goesOn()
    this.#asks.rejectAll(this.#away())
    if (this.#closing) return
    const { observe, restartDelayMs } = this.#options
    const message = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)
    observe({ kind: 'storeDied', message, restartInMs: restartDelayMs })
    // One that never became ready would die again of the same cause, unless it served before.
    if (wasReady || this.progress.isSettled) void this.#restart()
  }

  /** Where no thread can be had at the moment, it is tried again as after a death. */
  async #restart(): Promise<void> {
    const { noteDeath, observe, restartDelayMs } = this.#options
    await Promise.all([sleep(restartDelayMs), noteDeath().catch(checkFailed(observe))])
    if (this.#closing) return
    try {
      void this.#start()
    } catch (error) {
      this.#died(error)
    }
  }

  #changed(state: StoreState): void {
    this.#state = state
    this.#options.sealed(state.sealedPosition)
  }

  #take(message: Exclude<FromStore, { kind: 'ready' | 'begun' }>): void {
    switch (message.kind) {
      case 'state':
        this.#opening.goesOn()
        this.#changed(message.state)
        return
      case 'progress':
        this.#opening.goesOn()
        this.progress.judged(message.position, message.tallies)
        return
      case 'waits':
        // Once it has been ready, it answers while it waits.
        if (!this.#isReady) this.#opening.waitsFor(message.awaited)
        return
      case 'event':
        this.#options.observe(message.event)
        return
      default:
        this.#asks.settle(message)
    }
  }

  #away(): Problem {
    return storeAway(this.#opening.reason)
  }

  async #ask(question: Unnumbered, signal: AbortSignal | null): Promise<Reply> {
    if (!this.#isReady) throw this.#away()
    signal?.throwIfAborted()
    const send = (id: number): void => this.#post({ ...question, id })
    return this.#asks.add(signal, send, (id) => this.#post({ kind: 'cancel', id }))
  }

  #giveBack(memory: readonly ArrayBuffer[]): void {
    const chunks = memory.filter(({ byteLength }) => byteLength === spareChunkBytes)
    if (chunks.length > 0) this.#post({ kind: 'spare', memory: chunks }, chunks)
  }

  #post(message: ToStore, transfer?: readonly ArrayBuffer[]): void {
    this.#outbox?.push(message, transfer)
  }
}
