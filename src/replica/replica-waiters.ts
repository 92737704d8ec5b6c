interface Waiter {
  readonly position: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Pushes that wait until they are in the replica. What may be in flight at all bounds how many there are. */
export class ReplicaWaiters {
  readonly #waiters = new Set<Waiter>()

  reached(position: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.add({ position, resolve, reject })
    })
  }

  /** All before a position is in the replica; those that wait for more are refused where `away` says why. */
  settle(copiedPosition: number, away: Error | null): void {
    for (const waiter of this.#waiters) {
      if (copiedPosition >= waiter.position) waiter.resolve()
      else if (away !== null) waiter.reject(away)
      else continue
      this.#waiters.delete(waiter)
    }
  }
}
