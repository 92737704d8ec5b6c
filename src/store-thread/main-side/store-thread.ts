import { spareChunkBytes } from '../../answer/spare-chunks.ts'
import { type SpoolSettings, UnsentAnswers } from '../../answer/unsent-answers.ts'
import type { Answer } from '../../answer/whole-answer.ts'
import type { NativePlanRunner } from '../../druid-native/native-on-one-machine.ts'
import type { SqlPlanRunner } from '../../druid-sql/sql-language.ts'
import { Actor, type Death, type GenerationEvents, type NextStart } from '../../lib/actor/actor.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { type Held, Holds } from '../../lib/held.ts'
import type { Follower, Following, LiveQuery, LiveRows } from '../../live/live-rows.ts'
import type { DeletionOutcome, DeletionRequest, UndoRequest } from '../../model/deletion.ts'
import type { PlanLimits } from '../../model/plan.ts'
import type { Problem } from '../../model/problem.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import type { PlanRunner } from '../../query/plan-runner.ts'
import type { EngineSnapshot, EngineSnapshots } from '../../sql-engine/sql-engine.ts'
import type { StoreState } from '../../store/embedded/upkeep/upkeep.ts'
import type { EntityStatistics, TagPage, TagRequest } from '../../store/series-store.ts'
import { type PlannedQuery, sentLimits, sentQuery } from '../plan-text.ts'
import type { StoreThreadData, ToStore } from '../protocol.ts'
import { AwaitedStart } from './awaited-start.ts'
import { Followers } from './followers.ts'
import { raiseHeapFloor } from './heap-floor.ts'
import { type Notice, type Reply, replyOf, StoreGeneration, type Unnumbered } from './store-generation.ts'
import { storeUnavailable } from './store-unavailable.ts'
import { ValidationProgress } from './validation-progress.ts'

export interface StoreThreadOptions {
  /** The compiled `entry.js`, or a test's replacement. */
  readonly threadUrl: URL
  readonly data: Omit<StoreThreadData, 'durablePosition' | 'countedPosition' | 'isHeld'>
  readonly observe: Observe
  /** The first delay before a thread that died is restarted. */
  readonly restartDelayMs: number
  readonly spool: SpoolSettings
  /** Called when the sealed position may have moved: the journal before it is no longer needed. */
  readonly sealed: (position: number) => void
  /** Called with the entities that a step from one position to another stored rows of. */
  readonly stored?: (entityIds: readonly number[], fromPosition: number, toPosition: number) => void
  /**
   * Records that the thread died, but not its process. True if the thread was validating an entry of the journal: another start may then get past
   * that entry.
   */
  readonly noteDeath: () => Promise<boolean>
}

/** An entry that ends the thread is skipped after a few starts; there may be several such entries. */
const firstStartsMax = 50

/** The main thread's side of the store's thread. A thread that dies is restarted and loses nothing: everything is in the journal. */
export class StoreThread implements PlanRunner, NativePlanRunner, SqlPlanRunner, EngineSnapshots, LiveRows<string> {
  readonly #options: StoreThreadOptions
  readonly #actor: Actor<StoreGeneration>
  readonly #unsent: UnsentAnswers
  #state: StoreState = { sealedPosition: 0, files: 0, rows: 0, bytes: 0 }
  readonly #opening: AwaitedStart
  #sealMs = 0
  readonly fieldsMade = new AddedFields()
  /** The progress of validation through the journal. */
  readonly progress: ValidationProgress
  readonly #followers = new Followers((message) => this.#post(message))
  /** Callers that need all files to be kept. */
  readonly #holds = new Holds({
    hold: () => this.#ask({ kind: 'hold' }, null),
    release: () => this.#post({ kind: 'release' }),
  })

  private constructor(options: StoreThreadOptions, durablePosition: number) {
    this.#options = options
    this.#unsent = new UnsentAnswers(options.spool)
    this.progress = new ValidationProgress(durablePosition, () => this.#unavailable())
    this.#opening = new AwaitedStart({
      observe: options.observe,
      rowsLeft: () => this.progress.rowsLeft,
      wasReady: () => this.progress.isSettled,
    })
    this.#actor = new Actor({
      begin: (events) => this.#begin(events),
      next: (death) => this.#next(death),
      died: (reason, restartInMs) => options.observe({ kind: 'storeDied', message: wordsOf(reason), restartInMs }),
      restartDelayMs: options.restartDelayMs,
    })
  }

  /** Resolves when the store is open; the journal is read after that. */
  static async start(options: StoreThreadOptions, durablePosition: number): Promise<StoreThread> {
    const thread = new StoreThread(options, durablePosition)
    thread.#actor.start()
    await Promise.race([thread.#opening.begun, thread.#actor.served])
    return thread
  }

  /**
   * Resolves when everything that was in the journal at the start can be queried, or when the start waits for something that only the operator can
   * provide; `unavailableReason` says what. Rejects when the thread ended with a fault that would end it again.
   */
  started(): Promise<void> {
    return Promise.race([this.#actor.served, this.#opening.waited])
  }

  /** Why queries cannot be run now, as a sentence; null if they can. */
  get unavailableReason(): string | null {
    return this.isReady ? null : this.#opening.reason
  }

  /** Answers that are being sent to readers: those of this thread, and others that share its limits. */
  get unsent(): UnsentAnswers {
    return this.#unsent
  }

  /** Whether queries can be run now. */
  get isReady(): boolean {
    return this.#actor.ready !== null
  }

  /** The permanently stored state. */
  get state(): StoreState {
    return this.#state
  }

  /** Resolves when no more files are deleted, until `release` is called. A thread that is restarted meanwhile deletes none either. */
  hold(): Promise<Held> {
    return this.#holds.take()
  }

  /** Notifies the thread that the catalog has dropped an entity, or that rows have expired. */
  changed(): void {
    this.#post({ kind: 'changed' })
  }

  /** Resolves when the expired rows of an entity are removed from memory and files. Throws as `Purges.add` does. */
  async purge(entityId: number, waitMs: number): Promise<void> {
    await this.#ask({ kind: 'purge', entityId, waitMs }, null)
  }

  /** Like `Deletions.add`, for the rows that are validated. */
  async delete(request: DeletionRequest): Promise<DeletionOutcome> {
    return replyOf('deleted', await this.#ask({ kind: 'delete', request }, null)).outcome
  }

  /** Like `Deletions.takeBack`. */
  async takeBack(request: UndoRequest): Promise<boolean> {
    return replyOf('takenBack', await this.#ask({ kind: 'takeBack', request }, null)).isDone
  }

  /** Notifies the thread that the journal has grown. */
  durable(position: number): void {
    this.progress.durable(position)
    this.#post({ kind: 'durable', position })
    // Sent at once, so that the rows are soon queryable.
    this.#actor.generation?.flush()
  }

  /** Null where the store leaves an SQL or native query to the SQL engine. */
  async run(query: PlannedQuery, limits: PlanLimits, signal: CancelSignal): Promise<Answer | null> {
    const budget = this.#unsent.budget()
    const question = { kind: 'query', ...sentQuery(query), limits: sentLimits(limits), budget } as const
    const { answer } = replyOf('answer', await this.#ask(question, signal))
    return answer && this.#unsent.open(answer, (memory) => this.#giveBack(memory))
  }

  async statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    return replyOf('statistics', await this.#ask({ kind: 'statistics', entityId, sinceMs }, signal)).statistics
  }

  async tags(request: TagRequest, signal: AbortSignal): Promise<TagPage> {
    return replyOf('tags', await this.#ask({ kind: 'tags', request }, signal)).page
  }

  async snapshot(entityIds: readonly number[], signal: CancelSignal): Promise<EngineSnapshot> {
    const generation = this.#actor.generation
    const { id, entities } = replyOf('snapshot', await this.#ask({ kind: 'snapshot', entityIds }, signal))
    return {
      entities,
      isLost: () => this.#actor.generation !== generation,
      release: () => generation?.post({ kind: 'unpin', id }),
    }
  }

  follow(question: LiveQuery, from: string | null, follower: Follower<string>): Following {
    if (!this.isReady) throw this.#unavailable()
    return this.#followers.follow(question, from, follower)
  }

  /** Rows in memory are sealed first, within `sealMs`; otherwise they are read from the journal at the next start. */
  async close(sealMs = 0, atOnce: AbortSignal | null = null): Promise<void> {
    this.#sealMs = atOnce?.aborted === true ? 0 : sealMs
    const generation = this.#actor.generation
    const hurry = (): void => {
      this.#sealMs = 0
      generation?.end()
    }
    atOnce?.addEventListener('abort', hurry, { once: true })
    await this.#actor.close()
    atOnce?.removeEventListener('abort', hurry)
  }

  #begin(events: GenerationEvents): StoreGeneration {
    const { threadUrl, data, observe } = this.#options
    const startedMs = performance.now()
    if (!data.isSmall) raiseHeapFloor()
    this.progress.restart()
    const { readyPosition: durablePosition, countedPosition } = this.progress
    let validatedBefore = 0
    const take = (notice: Notice): void => {
      if (notice.kind === 'begun') {
        this.#begun(notice)
        validatedBefore = this.progress.validatedRows
      } else if (notice.kind === 'ready') {
        events.ready()
        this.#opening.resumed()
        const validatedAgainRows = this.progress.validatedRows - validatedBefore
        observe({ kind: 'storeStarted', validatedAgainRows, ms: performance.now() - startedMs })
        this.progress.ready()
        this.#followers.again()
        // The journal may have grown while the thread was starting.
        this.#post({ kind: 'durable', position: this.progress.durablePosition })
      } else {
        this.#take(notice)
      }
    }
    const ended = (reason: unknown): void => {
      this.#opening.resumed()
      events.ended(reason)
    }
    const threadData = { ...data, durablePosition, countedPosition, isHeld: this.#holds.isHeld }
    return new StoreGeneration({
      threadUrl,
      data: threadData,
      take,
      ended,
      unavailable: () => this.#unavailable(),
      sealMs: () => this.#sealMs,
    })
  }

  /** A first start that failed would fail again for the same reason, unless the next one can skip the entry that ended it. */
  async #next({ hasServed, failures }: Death): Promise<NextStart> {
    const { noteDeath, observe } = this.#options
    if (hasServed) return (await noteDeath().catch(checkFailed(observe))) === true ? 'soon' : 'later'
    if (failures === firstStartsMax) return 'never'
    if (await noteDeath()) return 'soon'
    return this.#opening.hasWaited ? 'later' : 'never'
  }

  #begun({ state, counts }: Extract<Notice, { kind: 'begun' }>): void {
    this.progress.begun(state.sealedPosition, counts)
    this.#changed(state)
    this.#opening.begins()
  }

  #changed(state: StoreState): void {
    this.#state = state
    this.#options.sealed(state.sealedPosition)
  }

  #take(message: Exclude<Notice, { kind: 'ready' | 'begun' }>): void {
    switch (message.kind) {
      case 'state':
        this.#opening.resumed()
        this.#changed(message.state)
        return
      case 'progress':
        this.#opening.resumed()
        this.#options.stored?.(message.entityIds, this.progress.processedThrough(), message.position)
        this.progress.validated(message.position, message.tallies)
        return
      case 'fieldsMade':
        void this.fieldsMade.made().then(() => this.#post({ kind: 'fieldsKnown' }))
        return
      case 'waits':
        // A store that has been ready runs queries while it waits.
        if (!this.isReady) this.#opening.waitsFor(message.awaited)
        return
      case 'live':
        this.#followers.take(message.message)
        return
      default:
        this.#options.observe(message.event)
    }
  }

  #unavailable(): Problem {
    return storeUnavailable(this.#opening.reason)
  }

  async #ask(question: Unnumbered, signal: CancelSignal | null): Promise<Reply> {
    const generation = this.#actor.ready
    if (generation === null) throw this.#unavailable()
    signal?.throwIfAborted()
    return generation.ask(question, signal)
  }

  #giveBack(memory: readonly ArrayBuffer[]): void {
    const chunks = memory.filter(({ byteLength }) => byteLength === spareChunkBytes)
    if (chunks.length > 0) this.#post({ kind: 'spare', memory: chunks }, chunks)
  }

  #post(message: ToStore, transfer?: readonly ArrayBuffer[]): void {
    this.#actor.generation?.post(message, transfer)
  }
}

function wordsOf(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
}

/** Fields that rows have added. */
class AddedFields {
  #learn: () => Promise<void> = async () => undefined
  #times = 0

  /** How often rows have added fields: later pushes may name them. */
  get times(): number {
    return this.#times
  }

  /** `learn` is called, and awaited, when rows have added fields, before these rows can be queried. */
  onMade(learn: () => Promise<void>): void {
    this.#learn = learn
  }

  /** Resolves when the fields are known. If learning fails, they become known a little later. */
  async made(): Promise<void> {
    this.#times++
    await this.#learn().catch(() => undefined)
  }
}
