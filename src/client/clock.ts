/** A writer's view of time, which tests can replace. */
export interface WriterClock {
  /** A monotonic time; its origin does not matter. */
  nowMs(): number
  /** Schedules a call; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: WriterClock = {
  nowMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after that time; rejects with the signal's reason if it is aborted first. */
export function sleepOn(clock: WriterClock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => {
      cancel()
      signal?.removeEventListener('abort', stopped)
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stopped)
      resolve()
    })
    signal?.addEventListener('abort', stopped)
    if (signal?.aborted === true) stopped()
  })
}
