import { Worker } from 'node:worker_threads'
import type { Life } from '../../lib/actor/actor.ts'
import { PendingAsks } from '../../lib/actor/pending-asks.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import type { Observe } from '../../observe/event.ts'
import { LeavingFiles } from '../../store/embedded/mirror/leaving-files.ts'
import type { EntityChange } from '../../store/embedded/mirror/sealed-mirror.ts'
import type { SealedFileInfo } from '../../store/embedded/reading/sealed-source.ts'
import { Outbox } from '../../store-thread/outbox.ts'
import { memoryOf, type PlanAsk } from '../../store-thread/plan-answers.ts'
import type { FromQueryThread, QueryReply, QueryThreadData, ToQueryThread } from '../protocol.ts'

/** What those hear whose questions a thread did not live to answer. */
export class QueryThreadLost extends Error {
  override readonly name = 'QueryThreadLost'
}

export interface QueryThreadParts {
  /** The compiled `entry.js`, or what a test runs in its place. */
  readonly threadUrl: URL
  readonly data: QueryThreadData
  readonly observe: Observe
  readonly ready: () => void
  readonly ended: (reason: unknown) => void
}

/** With the large young heap that threads have by themselves it takes 70 MB more under load, and is no faster. */
const maxYoungGenerationSizeMb = 8
/** As many as it keeps at most. */
const lentMax = 64

/** One life of a query thread: what it was told of files, and what it has been asked. */
export class QueryThread implements Life {
  readonly #parts: QueryThreadParts
  readonly #asks = new PendingAsks<QueryReply>()
  readonly #outbox: Outbox<ToQueryThread>
  readonly #leaving = new LeavingFiles()
  /** How many pieces of memory its answers took with them that it has not got back. */
  #lent = 0

  constructor(parts: QueryThreadParts) {
    this.#parts = parts
    const worker = new Worker(parts.threadUrl, { workerData: parts.data, resourceLimits: { maxYoungGenerationSizeMb } })
    this.#outbox = new Outbox(worker)
    let failure: unknown = new Error('the query thread ended')
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('message', (messages: readonly FromQueryThread[]) => {
      for (const message of messages) this.#take(message)
    })
    worker.once('exit', () => {
      parts.ended(failure)
      this.#leaving.allGone()
      this.#asks.rejectAll(new QueryThreadLost('the thread ended'))
    })
  }

  /** How many questions it has not answered. */
  get size(): number {
    return this.#asks.size
  }

  /** Rejects with QueryThreadLost where the thread ends before, and with the signal's reason. */
  async ask(ask: PlanAsk, signal: CancelSignal): Promise<QueryReply> {
    const reply = await this.#asks.add({
      signal,
      send: (id) => this.#outbox.send([{ ...ask, id }]),
      cancel: (id) => {
        this.#outbox.send([{ kind: 'cancel', id }])
        return undefined
      },
    })
    if ('answer' in reply) this.#lent = Math.min(lentMax, this.#lent + memoryOf(reply.answer).length)
    return { ...reply, id: ask.id }
  }

  /** Gives it memory of answers to be written again, as much as it lent; returns the rest. */
  giveBack(memory: readonly ArrayBuffer[]): readonly ArrayBuffer[] {
    const given = memory.slice(0, this.#lent)
    this.#lent -= given.length
    if (given.length > 0) this.#outbox.push({ kind: 'spare', memory: given }, given)
    return memory.slice(given.length)
  }

  changed(entities: readonly EntityChange[]): void {
    for (const { remove } of entities) this.#leaving.add(remove)
    this.#outbox.send([{ kind: 'changed', entities }])
  }

  dropped(entityId: number, files: readonly SealedFileInfo[]): void {
    this.#leaving.add(files)
    this.#outbox.send([{ kind: 'dropped', entityId }])
  }

  /** Resolves when a file that was removed is not read any more. */
  letGo(info: SealedFileInfo): Promise<void> {
    return this.#leaving.letGo(info)
  }

  end(): void {
    this.#outbox.send([{ kind: 'close' }])
  }

  #take(message: FromQueryThread): void {
    switch (message.kind) {
      case 'ready':
        this.#parts.ready()
        return
      case 'event':
        this.#parts.observe(message.event)
        return
      case 'gone':
        this.#leaving.gone(message.info)
        return
      default:
        this.#asks.resolve(message.id, message)
    }
  }
}
