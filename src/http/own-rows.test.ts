import { expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'

const { app } = await testServer()

test.each([
  ['GET', ''],
  ['GET', '/rejected'],
  ['GET', '/rejected/summary'],
  ['GET', '/batches'],
  ['DELETE', '/rejected'],
] as const)('%s /ingests/:ingest%s checks access before Accept', async (method, path) => {
  const ask = async (ingest: string, key?: string): Promise<number> => {
    const headers = { host: 'localhost:8080', accept: 'text/csv', ...(key === undefined ? {} : { 'x-api-key': key }) }
    return (await app.inject({ method, url: `/ingests/${ingest}${path}`, headers })).statusCode
  }
  expect(await ask('plant')).toBe(403)
  expect(await ask('plant', keys.reader)).toBe(403)
  expect(await ask('nothing', keys.pusher)).toBe(404)
  expect(await ask('plant', keys.pusher)).toBe(406)
})
