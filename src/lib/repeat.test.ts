import { expect, test } from 'vitest'
import { repeat } from './repeat.ts'

test('repeats its work, also after a failure, until it is stopped', async () => {
  const failures: unknown[] = []
  let times = 0
  await new Promise<void>((resolve) => {
    const stop = repeat(
      async () => {
        times++
        if (times === 2) throw new Error('once')
        if (times === 4) void stop().then(resolve)
      },
      1,
      (error) => failures.push(String(error)),
    )
  })
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect([times, failures]).toEqual([4, ['Error: once']])
})
