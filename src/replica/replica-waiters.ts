interface Waiter {
  readonly position: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Pushes that wait until they are in the replica. The limit of pushes in flight bounds their number. */
export class ReplicaWaiters {
  readonly #waiters = new Set<Waiter>()

  reached(position: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.add({ position, resolve, reject })
    })
  }

  /** Called when everything before a position is in the replica. Waiters for more are refused with `away`, if there is one. */
  settle(copiedPosition: number, away: Error | null): void {
    for (const waiter of this.#waiters) {
      if (copiedPosition >= waiter.position) waiter.resolve()
      else if (away !== null) waiter.reject(away)
      else continue
      this.#waiters.delete(waiter)
    }
  }
}
