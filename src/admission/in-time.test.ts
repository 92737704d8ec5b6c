import { expect, test } from 'vitest'
import { inTime, timeAllowed } from './in-time.ts'

test.each([
  [0, 500, 'took longer than 500 ms, which is limits.queryTimeMs. Ask for less.'],
  [900, 500, 'took longer than 500 ms, which is limits.queryTimeMs. Ask for less.'],
  [20, 500, "took longer than 20 ms, which is the `timeout` of the query's own context. Ask for less."],
])(
  'a query with a timeout of %i ms and a limit of %i ms reports the bound that ended it',
  async (ownMs, queryTimeMs, reported) => {
    const time = timeAllowed(ownMs, { queryTimeMs })
    const overAtOnce = (over: () => void) => {
      queueMicrotask(over)
      return () => undefined
    }
    const { signal } = new AbortController()
    const asked = inTime(
      { signal, ...time, timer: overAtOnce, advice: 'Ask for less.' },
      () => new Promise<{ release(): void }>(() => undefined),
    )
    await expect(asked).rejects.toThrow(reported)
  },
)
