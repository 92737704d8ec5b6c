/** What a writer knows of time, so that tests can tell it. */
export interface WriterClock {
  /** A time that only goes on; where it begins does not matter. */
  nowMs(): number
  /** Runs something later, and answers how to call it off. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: WriterClock = {
  nowMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after that time; rejects with the signal's reason when it comes first. */
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
