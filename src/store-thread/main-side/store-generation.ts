import { Worker } from 'node:worker_threads'
import type { Generation } from '../../lib/actor/actor.ts'
import { PendingRequests } from '../../lib/actor/pending-requests.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import type { Problem } from '../../model/problem.ts'
import { Outbox } from '../outbox.ts'
import type { FromStore, StoreThreadData, ToStore } from '../protocol.ts'
import { receivedError } from '../sent-error.ts'

/** A message that responds to a request. */
export type Reply = Extract<FromStore, { readonly id: number }>

/** The reply as the kind that was requested; the thread sends no other. */
export function replyOf<Kind extends Reply['kind']>(kind: Kind, reply: Reply): Extract<Reply, { kind: Kind }> {
  if (isOf(kind, reply)) return reply
  throw new Error(`the store answered with ${reply.kind} where ${kind} was asked for`)
}

function isOf<Kind extends Reply['kind']>(kind: Kind, reply: Reply): reply is Extract<Reply, { kind: Kind }> {
  return reply.kind === kind
}

type Question = Extract<
  ToStore,
  { kind: 'query' | 'statistics' | 'tags' | 'snapshot' | 'hold' | 'purge' | 'delete' | 'takeBack' }
>
/** A message that the thread sends without a request. */
export type Notice = Exclude<FromStore, Reply>

type WithoutNumber<Q> = Q extends unknown ? Omit<Q, 'id'> : never
/** A request without its number. `Omit` alone would merge the union into one shape. */
export type Unnumbered = WithoutNumber<Question>

/** Only a third of it is used at a time; without the limit it would grow to 48 MiB. */
const smallHeap = { maxYoungGenerationSizeMb: 12 }

interface StoreGenerationParts {
  /** The compiled `entry.js`, or a test's replacement. */
  readonly threadUrl: URL
  readonly data: StoreThreadData
  readonly take: (notice: Notice) => void
  readonly ended: (reason: unknown) => void
  /** The error of requests that have no response when the thread ends. */
  readonly unavailable: () => Problem
  /** Time limit of the last seal. */
  readonly sealMs: () => number
}

/** One generation of the store's thread: the messages posted to it, and its pending requests. */
export class StoreGeneration implements Generation {
  readonly #requests = new PendingRequests<Reply>()
  readonly #outbox: Outbox<ToStore>
  readonly #sealMs: () => number

  constructor({ threadUrl, data, take, ended, unavailable, sealMs }: StoreGenerationParts) {
    this.#sealMs = sealMs
    const worker = new Worker(threadUrl, { workerData: data, resourceLimits: data.isSmall ? smallHeap : {} })
    this.#outbox = new Outbox(worker)
    let failure: unknown = new Error('the store thread ended')
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('message', (messages: readonly FromStore[]) => {
      for (const message of messages) {
        if ('id' in message) this.#settle(message)
        else take(message)
      }
    })
    worker.once('exit', () => {
      ended(failure)
      this.#requests.rejectAll(unavailable())
    })
  }

  ask(question: Unnumbered, signal: CancelSignal | null): Promise<Reply> {
    return this.#requests.add({
      signal,
      send: (id) => this.post({ id, ...question }),
      cancel: (id) => {
        this.post({ kind: 'cancel', id })
        return undefined
      },
    })
  }

  post(message: ToStore, transfer?: readonly ArrayBuffer[]): void {
    this.#outbox.push(message, transfer)
  }

  /** Sends posted messages at once. */
  flush(): void {
    this.#outbox.flush()
  }

  end(): void {
    this.post({ kind: 'close', sealMs: this.#sealMs() })
    this.flush()
  }

  #settle(reply: Reply): void {
    if (reply.kind === 'failed') this.#requests.reject(reply.id, receivedError(reply.error))
    else this.#requests.resolve(reply.id, reply)
  }
}
