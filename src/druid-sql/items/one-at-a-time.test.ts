import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('reads of items hold one connection, and one that fails lets the next go on', async () => {
  let [running, most] = [0, 0]
  const items = oneAtATime({
    inOneState: async (read) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return read(async () => ({ items: [], more: false }))
    },
  })
  const reads = [1, 2, 3].map((n) => items.inOneState(async () => (n === 2 ? Promise.reject(new Error('two')) : n)))
  expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(most).toBe(1)
})
