import type { CancelSignal } from '../cancellation.ts'

interface Ask<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

interface AskWays {
  readonly signal: CancelSignal | null
  readonly send: (id: number) => void
  /** Says that nobody waits for the answer any more. What it returns is called once the question is settled. */
  readonly cancel: (id: number) => (() => void) | undefined
}

/** Questions that one life of an actor has not answered yet, by their numbers. */
export class PendingAsks<Reply> {
  readonly #asks = new Map<number, Ask<Reply>>()
  #nextId = 1

  get ids(): Iterable<number> {
    return this.#asks.keys()
  }

  get size(): number {
    return this.#asks.size
  }

  /**
   * The answer to a question that `send` sends under a number of its own. One that is cancelled is settled all the same by what the life says of it,
   * with the signal's reason: only then has its work ended.
   */
  add({ signal, send, cancel }: AskWays): Promise<Reply> {
    const id = this.#nextId++
    return new Promise<Reply>((resolve, reject) => {
      let settled: (() => void) | undefined
      const onAbort = (): void => {
        settled = cancel(id)
      }
      const over = (): void => {
        this.#asks.delete(id)
        signal?.removeEventListener('abort', onAbort)
        settled?.()
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#asks.set(id, {
        resolve: (reply) => {
          over()
          resolve(reply)
        },
        reject: (error) => {
          over()
          reject(signal?.aborted ? signal.reason : error)
        },
      })
      send(id)
    })
  }

  resolve(id: number, reply: Reply): void {
    this.#asks.get(id)?.resolve(reply)
  }

  reject(id: number, error: unknown): void {
    this.#asks.get(id)?.reject(error)
  }

  /** Of a life that has ended: there will be no answers. */
  rejectAll(error: Error): void {
    for (const ask of [...this.#asks.values()]) ask.reject(error)
  }
}
