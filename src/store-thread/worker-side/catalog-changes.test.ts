import { expect, test } from 'vitest'
import { CatalogChanges } from './catalog-changes.ts'

test('a failed read is reported, and retried until it succeeds', async () => {
  const reported: string[] = []
  let readings = 0
  const changes = new CatalogChanges({
    read: async () => {
      if (++readings < 3) throw new Error(`the catalog is busy, ${readings}`)
    },
    failed: (error) => reported.push(String(error)),
    retryDelayMs: 1,
    signal: new AbortController().signal,
  })
  await changes.learn()
  expect(reported).toEqual(['Error: the catalog is busy, 1', 'Error: the catalog is busy, 2'])
  expect(readings).toBe(3)
})

test('retries end when the store is stopped', async () => {
  const stopping = new AbortController()
  const changes = new CatalogChanges({
    read: () => Promise.reject(new Error('the catalog is busy')),
    failed: () => stopping.abort(),
    retryDelayMs: 1_000_000,
    signal: stopping.signal,
  })
  await changes.learn()
  await changes.learn()
})
