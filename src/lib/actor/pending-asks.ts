import type { CancelSignal } from '../cancellation.ts'
import { Slots } from '../slots.ts'

interface Ask<Reply> {
  readonly id: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

interface AskWays {
  readonly signal: CancelSignal | null
  /** Where it throws, that is the answer. */
  readonly send: (id: number) => void
  /** Says that nobody waits for the answer any more. What it returns is called once the question is settled. */
  readonly cancel: (id: number) => (() => void) | undefined
}

/** A number is a turn and a slot: slots are taken again, while what a number names may outlive its question. */
const slotsMax = 2 ** 20
const turnsMax = 2 ** 32

/** Of the questions that are not answered each has a slot of its own. */
export const slotOf = (id: number): number => id % slotsMax

/** Questions that one generation of an actor has not answered yet, by their numbers. */
export class PendingAsks<Reply> {
  readonly #asks = new Slots<Ask<Reply>>()
  #turn = 0

  get ids(): Iterable<number> {
    return this.#asks.values().map(({ id }) => id)
  }

  get size(): number {
    return this.#asks.size
  }

  /**
   * The answer to a question that `send` sends under a number of its own. One that is cancelled is settled all the same by what the generation says of it,
   * with the signal's reason: only then has its work ended.
   */
  add({ signal, send, cancel }: AskWays): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      let settled: (() => void) | undefined
      const onAbort = (): void => {
        settled = cancel(ask.id)
      }
      const over = (): void => {
        this.#asks.free(slotOf(ask.id))
        signal?.removeEventListener('abort', onAbort)
        settled?.()
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#turn = (this.#turn + 1) % turnsMax
      const ask = this.#asks.add((slot) => ({
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
        send(ask.id)
      } catch (error) {
        ask.reject(error)
      }
    })
  }

  resolve(id: number, reply: Reply): void {
    this.#find(id)?.resolve(reply)
  }

  reject(id: number, error: unknown): void {
    this.#find(id)?.reject(error)
  }

  /** Of a generation that has ended: there will be no answers. */
  rejectAll(error: Error): void {
    for (const id of this.ids) this.reject(id, error)
  }

  #find(id: number): Ask<Reply> | null {
    const ask = this.#asks.get(slotOf(id))
    return ask?.id === id ? ask : null
  }
}
