// Threads beside the store's that read its sealed files. They answer large questions about dates of which no row is in memory, so that the store's thread
// goes on with what is new. docs/decisions/query-threads.md
import { Actor, type Death, type NextLife } from '../../lib/actor/actor.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { messageOf } from '../../lib/message-of.ts'
import type { Observe } from '../../observe/event.ts'
import type { EmbeddedStore } from '../../store/embedded/embedded-store.ts'
import type { EntityChange } from '../../store/embedded/mirror/sealed-mirror.ts'
import type { OpenedStore } from '../../store/embedded/open-store.ts'
import type { SealedFile, SealedFileInfo } from '../../store/embedded/reading/sealed-source.ts'
import type { StoreWatcher } from '../../store/embedded/store-changes.ts'
import type { PlanAsk, ReceivedAsk } from '../../store-thread/plan-answers.ts'
import type { QueryReply, QueryThreadData } from '../protocol.ts'
import { largeAsk } from './large-ask.ts'
import { QueryThread, QueryThreadLost } from './query-thread.ts'

export interface QueryThreadsParts {
  /** The most there are. Each is started when there is work for it. */
  readonly threads: number
  /** The compiled `entry.js`, or what a test runs in its place. */
  readonly threadUrl: URL
  readonly data: QueryThreadData
  readonly store: Pick<EmbeddedStore, 'files' | 'areSealed' | 'entityIds' | 'registry' | 'watch'>
  readonly writtenRegistry: OpenedStore['writtenRegistry']
  readonly observe: Observe
  /** How long to wait at first before a thread that died is started again. */
  readonly restartDelayMs: number
}

/** A thread that cannot be started so often is done without. */
const failuresMax = 8

export class QueryThreads implements StoreWatcher {
  readonly #parts: QueryThreadsParts
  readonly #actors: readonly Actor<QueryThread>[]

  constructor(parts: QueryThreadsParts) {
    this.#parts = parts
    this.#actors = Array.from({ length: parts.threads }, () => this.#newActor())
    if (parts.threads > 0) parts.store.watch(this)
  }

  /** The thread that is to answer; null is the store's own, which runs `here` plans already. */
  choose(ask: ReceivedAsk, here: number): QueryThread | null {
    if (this.#actors.length === 0 || here === 0) return null
    const dates = largeAsk(ask)
    const { store } = this.#parts
    if (dates === null || store.files(dates.entityId).length === 0) return null
    if (!store.areSealed(dates.entityId, dates.ranges)) return null
    const least = this.#leastBusy()
    return least === null || least.size > here ? null : least
  }

  /** Gives threads back what their answers took with them; returns the rest. */
  giveBack(memory: readonly ArrayBuffer[]): readonly ArrayBuffer[] {
    let left = memory
    for (const { ready } of this.#actors) left = ready?.giveBack(left) ?? left
    return left
  }

  switched(entityId: number, add: readonly SealedFile[], remove: readonly SealedFile[]): void {
    for (const thread of this.#lives()) thread.changed([this.#changeOf(entityId, add, remove)])
  }

  dropped(entityId: number, files: readonly SealedFile[]): void {
    for (const thread of this.#lives()) thread.dropped(entityId, files.map(infoOf))
  }

  /** Resolves when no thread reads a file that was removed. */
  async letGo({ info }: SealedFile): Promise<void> {
    await Promise.all(this.#lives().map((thread) => thread.letGo(info)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#actors.map((actor) => actor.close()))
  }

  /** The one with the fewest questions; where all are busy, another one is started beside them. */
  #leastBusy(): QueryThread | null {
    let least: QueryThread | null = null
    for (const actor of this.#actors) {
      const thread = actor.ready
      if (thread !== null && (least === null || thread.size < least.size)) least = thread
    }
    if (least === null || least.size > 0) this.#startAnother()
    return least
  }

  /** One at a time. */
  #startAnother(): void {
    if (this.#actors.some(({ state }) => state === 'starting')) return
    this.#actors.find(({ state }) => state === 'idle')?.start()
  }

  #newActor(): Actor<QueryThread> {
    const { threadUrl, data, observe, restartDelayMs } = this.#parts
    return new Actor<QueryThread>({
      begin: (told) => {
        const thread = new QueryThread({ threadUrl, data, observe, ...told })
        thread.changed(this.#allFiles())
        return thread
      },
      next: ({ failures }: Death): NextLife => (failures < failuresMax ? 'later' : 'never'),
      died: (reason, restartInMs) => observe({ kind: 'queryThreadDied', message: messageOf(reason), restartInMs }),
      restartDelayMs,
    })
  }

  #lives(): QueryThread[] {
    return this.#actors.flatMap(({ life }) => life ?? [])
  }

  #allFiles(): EntityChange[] {
    const { store } = this.#parts
    const withFiles = store.entityIds.filter((entityId) => store.files(entityId).length > 0)
    return withFiles.map((entityId) => this.#changeOf(entityId, store.files(entityId), []))
  }

  #changeOf(entityId: number, add: readonly SealedFile[], remove: readonly SealedFile[]): EntityChange {
    const { store, writtenRegistry } = this.#parts
    const replaces = store.registry(entityId).columns.replaced !== null
    const registry = writtenRegistry(entityId)
    return { entityId, replaces, registry, add: add.map(infoOf), remove: remove.map(infoOf) }
  }
}

function infoOf({ info }: SealedFile): SealedFileInfo {
  return info
}

/** What a thread answers; null where it ended before it could. */
export async function askThread(thread: QueryThread, ask: PlanAsk, signal: CancelSignal): Promise<QueryReply | null> {
  try {
    return await thread.ask(ask, signal)
  } catch (error) {
    if (error instanceof QueryThreadLost) return null
    throw error
  }
}
