// The store's thread may die at any time: pushes continue, queries are refused for a moment, nothing is lost.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const threadUrl = pathToFileURL(testProgram('crash/dies-on-file-thread'))

beforeAll(async () => {
  service = await runService({}, { threadUrl })
})

afterAll(() => service?.close())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('a store thread that dies is restarted and loses no row', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  let pushed = 0
  /** Pushes a row, which must be accepted, and queries the newest; resolves with the status of the response. */
  const pushAndAsk = async (): Promise<number> => {
    const row = { D: new Date(Date.UTC(2026, 0, 1) + pushed * 1000).toISOString(), T: 'a', V: pushed }
    await callOk(service.url, 'POST', '/ingests/plant/data', { key, body: row })
    pushed++
    await pause(5)
    return (await call(service.url, 'POST', '/consumer/data/latest', { body: { entity: 'plant' } })).status
  }
  for (let death = 0; death < 3; death++) {
    await writeFile(join(service.dataDirectory, 'die'), '')
    await until(async () => (await pushAndAsk()) === 503)
    await until(async () => (await pushAndAsk()) === 200)
  }
  const query = { entity: 'plant' }
  await until(async () => {
    const { body } = await call<{ V: number }[]>(service.url, 'POST', '/consumer/data/select', { body: query })
    return body.length === pushed
  })
  const items = await callOk<{ V: number }[]>(service.url, 'POST', '/consumer/data/select', { body: query })
  expect(items.map(({ V }) => V)).toEqual(Array.from({ length: pushed }, (_, value) => value))
  const { counters } = await callOk<{ counters: object }>(service.url, 'GET', '/admin/ingests/plant', {
    key: adminKey,
  })
  expect(counters).toEqual({ received: pushed, stored: pushed, rejected: 0, pending: 0 })
})

/** Polls until the condition is true; a test that waits in vain fails by its time limit. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(5)
}
