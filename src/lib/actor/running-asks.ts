import { slotOf } from './pending-asks.ts'

interface Running<Work> {
  readonly id: number
  readonly work: Work
}

/** The other end of PendingAsks: the work on each question, by its number, until it is answered. No Map: why, says `src/lib/slots.ts`. */
export class RunningAsks<Work> {
  /** By the slots of the questions. */
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

  /** Null where the question was answered. */
  find(id: number): Work | null {
    const running = this.#running[slotOf(id)] ?? null
    return running?.id === id ? running.work : null
  }

  /** To be called before the answer leaves: the next question may have the slot. */
  end(id: number): void {
    const slot = slotOf(id)
    if (this.#running[slot]?.id !== id) return
    this.#running[slot] = null
    this.#size--
  }
}
