import type { CancelSignal } from '../cancellation.ts'
import { Slots } from '../slots.ts'

interface PendingRequest<Reply> {
  readonly id: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

interface RequestActions {
  readonly signal: CancelSignal | null
  /** If it throws, the request rejects with that error. */
  readonly send: (id: number) => void
  /** Reports that nobody waits for the reply any more. The returned function is called when the request has settled. */
  readonly cancel: (id: number) => (() => void) | undefined
}

/** An id combines a turn and a slot: slots are reused, while what an id names may outlive its request. */
const slotsMax = 2 ** 20
const turnsMax = 2 ** 32

/** The slot of a request; no two open requests share one. */
export const slotOf = (id: number): number => id % slotsMax

/** Open requests to one generation of an actor, by id. */
export class PendingRequests<Reply> {
  readonly #requests = new Slots<PendingRequest<Reply>>()
  #turn = 0

  get ids(): Iterable<number> {
    return this.#requests.values().map(({ id }) => id)
  }

  get size(): number {
    return this.#requests.size
  }

  /**
   * The reply to a request that `send` sends under an id of its own. A cancelled request still settles only when the generation responds to it, with the
   * signal's reason: only then has its work ended.
   */
  add({ signal, send, cancel }: RequestActions): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      let settled: (() => void) | undefined
      const onAbort = (): void => {
        settled = cancel(request.id)
      }
      const over = (): void => {
        this.#requests.free(slotOf(request.id))
        signal?.removeEventListener('abort', onAbort)
        settled?.()
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#turn = (this.#turn + 1) % turnsMax
      const request = this.#requests.add((slot) => ({
        id: this.#turn * slotsMax + slot,
        resolve: (reply: Reply) => {
          over()
          resolve(reply)
        },
        reject: (error: unknown) => {
          over()
          reject(signal?.aborted ? signal.reason : error)
        },
      }))
      try {
        send(request.id)
      } catch (error) {
        request.reject(error)
      }
    })
  }

  resolve(id: number, reply: Reply): void {
    this.#find(id)?.resolve(reply)
  }

  reject(id: number, error: unknown): void {
    this.#find(id)?.reject(error)
  }

  /** Called after the generation has ended, when no more replies can come. */
  rejectAll(error: Error): void {
    for (const id of this.ids) this.reject(id, error)
  }

  #find(id: number): PendingRequest<Reply> | null {
    const request = this.#requests.get(slotOf(id))
    return request?.id === id ? request : null
  }
}
