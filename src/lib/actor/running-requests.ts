import { slotOf } from './pending-requests.ts'

interface Running<Work> {
  readonly id: number
  readonly work: Work
}

/** The other end of PendingRequests: the work for each request, by id, until its reply. `src/lib/slots.ts` explains why this is not a Map. */
export class RunningRequests<Work> {
  /** Indexed by the slots of the requests. */
  readonly #running: (Running<Work> | null)[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  begin(id: number, work: Work): void {
    const slot = slotOf(id)
    while (this.#running.length <= slot) this.#running.push(null)
    this.#running[slot] = { id, work }
    this.#size++
  }

  /** Null after the reply to the request. */
  find(id: number): Work | null {
    const running = this.#running[slotOf(id)] ?? null
    return running?.id === id ? running.work : null
  }

  /** Must be called before the reply is sent: the next request may reuse the slot. */
  end(id: number): void {
    const slot = slotOf(id)
    if (this.#running[slot]?.id !== id) return
    this.#running[slot] = null
    this.#size--
  }
}
