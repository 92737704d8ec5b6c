import { expect, test } from 'vitest'
import { StoreRefused } from '../object-store/object-store.ts'
import { damagedObject } from './replica-format.ts'
import { isFinal, isFinalForCommand, StoreAttempts } from './store-attempts.ts'

test('a successful request does not hide the failure of another one', async () => {
  const stop = new AbortController()
  const reported: (string | null)[] = []
  const attempts = new StoreAttempts({
    requestMs: 1000,
    signal: stop.signal,
    report: (failure) => reported.push(failure),
    isFinal,
  })
  let isFull = true
  const writing = attempts.until(async () => {
    if (isFull) throw new Error('the disk is full')
  })
  await attempts.until(async () => 'read')
  expect(reported).toEqual(['the disk is full'])
  isFull = false
  await writing
  expect(reported).toEqual(['the disk is full', null])
})

test('a command ends at an error that its user must fix, while a service keeps retrying', () => {
  const refused = new StoreRefused('AccessDenied')
  const damaged = damagedObject('log/1')
  expect([refused, damaged, new Error('503')].map((error) => isFinalForCommand(error, 1))).toEqual([true, false, false])
  expect(isFinalForCommand(damaged, 2)).toBe(true)
  expect([refused, damaged].map((error) => isFinal(error))).toEqual([false, false])
})
