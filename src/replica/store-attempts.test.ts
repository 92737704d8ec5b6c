import { expect, test } from 'vitest'
import { StoreAttempts } from './store-attempts.ts'

test('a request that succeeds does not hide that another fails', async () => {
  const stop = new AbortController()
  const told: (string | null)[] = []
  const attempts = new StoreAttempts({ requestMs: 1000, signal: stop.signal, told: (failure) => told.push(failure) })
  let isFull = true
  const writing = attempts.until(async () => {
    if (isFull) throw new Error('the disk is full')
  })
  await attempts.until(async () => 'read')
  expect(told).toEqual(['the disk is full'])
  isFull = false
  await writing
  expect(told).toEqual(['the disk is full', null])
})
