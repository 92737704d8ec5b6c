// A query thread: it reads sealed files and answers plans beside the store's thread. It is a composition root of its own, as that is.
// Tested by `test/faults/query-threads.test.ts`.
import type { MessagePort } from 'node:worker_threads'
import { useZoneFiles } from '../../druid-time/zone-rules.ts'
import { RunningAsks } from '../../lib/actor/running-asks.ts'
import { Cancellation } from '../../lib/cancellation.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { SealedMirror } from '../../store/embedded/mirror/sealed-mirror.ts'
import { Outbox } from '../../store-thread/outbox.ts'
import { memoryOf, PlanAnswers, type PlanAsk, receivedAsk } from '../../store-thread/plan-answers.ts'
import type { FromQueryThread, QueryReply, QueryThreadData, ToQueryThread } from '../protocol.ts'

/** Runs until it is told to close. */
export function runQueryThread(port: MessagePort, data: QueryThreadData): void {
  useZoneFiles(data.timeZones)
  const thread = new QueryThreadWork(port, data)
  port.on('message', (messages: readonly ToQueryThread[]) => {
    for (const message of messages) thread.take(message)
  })
}

class QueryThreadWork {
  readonly #outbox: Outbox<FromQueryThread>
  readonly #mirror: SealedMirror
  readonly #answers: PlanAnswers
  readonly #running = new RunningAsks<Cancellation>()
  /** Resolves when all changes are made that came so far. */
  #changed: Promise<void> = Promise.resolve()
  #isReady = false

  constructor(port: MessagePort, { storeDirectory, spoolDirectory, cacheBytes }: QueryThreadData) {
    this.#outbox = new Outbox<FromQueryThread>(port)
    this.#mirror = new SealedMirror({
      disk: nodeDisk,
      directory: storeDirectory,
      pageCacheBytes: (3 * cacheBytes) / 4,
      indexCacheBytes: cacheBytes / 4,
      gone: (info) => this.#outbox.send([{ kind: 'gone', info }]),
    })
    this.#answers = new PlanAnswers({
      ...{ store: this.#mirror.store, disk: nodeDisk, spoolDirectory },
      observe: (event) => this.#outbox.send([{ kind: 'event', event }]),
    })
  }

  take(message: ToQueryThread): void {
    switch (message.kind) {
      case 'cancel':
        this.#running.find(message.id)?.cancel()
        return
      case 'changed':
      case 'dropped':
        this.#change(message)
        return
      case 'spare':
        this.#answers.giveBack(message.memory)
        return
      case 'close':
        // What it still runs is for nobody. Only this thread ends.
        process.exit()
        break
      default:
        void this.#answer(message)
    }
  }

  /** A thread that cannot follow the store's files ends: the next one reads all of them anew. */
  #change(message: Extract<ToQueryThread, { kind: 'changed' | 'dropped' }>): void {
    this.#changed = this.#changed.then(() => this.#makeChange(message))
    this.#changed.catch((error: unknown) =>
      setImmediate(() => {
        throw error
      }),
    )
  }

  async #makeChange(message: Extract<ToQueryThread, { kind: 'changed' | 'dropped' }>): Promise<void> {
    if (message.kind === 'dropped') return this.#mirror.drop(message.entityId)
    for (const entity of message.entities) await this.#mirror.change(entity)
    if (!this.#isReady) this.#outbox.send([{ kind: 'ready' }])
    this.#isReady = true
  }

  async #answer(ask: PlanAsk): Promise<void> {
    const cancellation = new Cancellation()
    this.#running.begin(ask.id, cancellation)
    // Where a change failed, the thread ends, and another one answers.
    if (!(await this.#followsUp())) return
    try {
      const reply = await this.#answers.answer(receivedAsk(ask), cancellation)
      this.#send(reply, memoryOf(reply.answer))
    } catch (error) {
      this.#send({ kind: 'failed', id: ask.id, error: this.#answers.errorOf(error) })
    }
  }

  #followsUp(): Promise<boolean> {
    return this.#changed.then(
      () => true,
      () => false,
    )
  }

  #send(reply: QueryReply, memory: readonly ArrayBuffer[] = []): void {
    this.#running.end(reply.id)
    this.#outbox.push(reply, memory)
    if (this.#running.size === 0) this.#outbox.flush()
  }
}
