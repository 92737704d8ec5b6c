import { setTimeout as sleep } from 'node:timers/promises'

/** An entry that ends the thread is passed over after a few starts; there may be several such. */
const startsMax = 50

interface FirstStartOptions {
  /** Whether the thread that died was judging an entry of the journal: another start may come past it. */
  readonly diedJudging: () => Promise<boolean>
  readonly restartDelayMs: number
}

/** Starts until it is ready. Rejects as `start` does where another one would fail of the same. */
export async function firstStart(
  start: () => Promise<void>,
  { diedJudging, restartDelayMs }: FirstStartOptions,
): Promise<void> {
  for (let starts = 1; ; starts++) {
    try {
      return await start()
    } catch (error) {
      if (starts === startsMax || !(await diedJudging())) throw error
      await sleep(restartDelayMs)
    }
  }
}
