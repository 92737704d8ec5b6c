import type { FromStore, ToStore } from '../protocol.ts'
import { receivedError } from '../sent-error.ts'

/** What answers a question. */
export type Reply = Extract<FromStore, { readonly id: number }>

/** A reply of the kind that was asked for: the thread gives no other. */
export function replyOf<Kind extends Reply['kind']>(kind: Kind, reply: Reply): Extract<Reply, { kind: Kind }> {
  if (isOf(kind, reply)) return reply
  throw new Error(`the store answered with ${reply.kind} where ${kind} was asked for`)
}

function isOf<Kind extends Reply['kind']>(kind: Kind, reply: Reply): reply is Extract<Reply, { kind: Kind }> {
  return reply.kind === kind
}

type Question = Extract<ToStore, { kind: 'run' | 'statistics' | 'tags' | 'snapshot' | 'hold' | 'purge' }>
type WithoutNumber<Q> = Q extends unknown ? Omit<Q, 'id'> : never
/** A question without its number: `Omit` alone would melt the union into one shape. */
export type Unnumbered = WithoutNumber<Question>

interface Ask {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** Questions that the store's thread has not answered yet, by their numbers. */
export class PendingAsks {
  readonly #asks = new Map<number, Ask>()
  #nextId = 1

  /**
   * The answer to a question that `send` sends under a number of its own. `cancel` says that nobody waits for it any more; it is settled all the same
   * by what the thread says of it, with the signal's reason: only then has the run ended.
   */
  add(signal: AbortSignal | null, send: (id: number) => void, cancel: (id: number) => void): Promise<Reply> {
    const id = this.#nextId++
    return new Promise<Reply>((resolve, reject) => {
      const onAbort = (): void => cancel(id)
      signal?.addEventListener('abort', onAbort, { once: true })
      const settled =
        <T>(outcome: (value: T) => void): ((value: T) => void) =>
        (value) => {
          signal?.removeEventListener('abort', onAbort)
          outcome(value)
        }
      this.#asks.set(id, {
        resolve: settled(resolve),
        reject: settled((error) => reject(signal?.aborted ? signal.reason : error)),
      })
      send(id)
    })
  }

  settle(reply: Reply): void {
    const ask = this.#asks.get(reply.id)
    this.#asks.delete(reply.id)
    if (reply.kind === 'failed') ask?.reject(receivedError(reply.error))
    else ask?.resolve(reply)
  }

  /** Of a thread that died: there will be no answers. */
  rejectAll(error: Error): void {
    for (const ask of this.#asks.values()) ask.reject(error)
    this.#asks.clear()
  }
}
