import { setTimeout as sleep } from 'node:timers/promises'

/** An entry that ends the thread is passed over after a few starts; there may be several such. */
const startsMax = 50

interface FirstStartOptions {
  /** Whether another start may come past what the thread died of. */
  readonly mayPass: () => Promise<boolean>
  readonly restartDelayMs: number
}

/** Starts until it is ready. Rejects as `start` does where another one would fail of the same. */
export async function firstStart(
  start: () => Promise<void>,
  { mayPass, restartDelayMs }: FirstStartOptions,
): Promise<void> {
  for (let starts = 1; ; starts++) {
    try {
      return await start()
    } catch (error) {
      if (starts === startsMax || !(await mayPass())) throw error
      await sleep(restartDelayMs)
    }
  }
}
