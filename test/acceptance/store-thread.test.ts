// The store's thread may die at any time: pushes go on, queries are refused for a moment, nothing is lost.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callWell, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const threadUrl = new URL('../crash/planted/dies-on-file-thread.mjs', import.meta.url)

beforeAll(async () => {
  service = await runService({}, { threadUrl })
})

afterAll(() => service?.close())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('a thread that dies is started again and loses nothing', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const statuses = new Set<number>()
  let pushed = 0
  for (let death = 0; death < 3; death++) {
    await writeFile(join(service.dataDirectory, 'die'), '')
    const until = Date.now() + 250
    while (Date.now() < until) {
      const row = { D: new Date(Date.UTC(2026, 0, 1) + pushed * 1000).toISOString(), T: 'a', V: pushed }
      await callWell(service.url, 'POST', '/ingests/plant/data', { key, body: row })
      pushed++
      statuses.add((await call(service.url, 'POST', '/consumer/data/latest', { body: { entity: 'plant' } })).status)
    }
  }
  expect([...statuses].sort()).toEqual([200, 503])
  for (let tries = 0; ; tries++) {
    const { status, body } = await call<{ V: number }[]>(service.url, 'POST', '/consumer/data/select', {
      body: { entity: 'plant' },
    })
    if (status === 200 && body.length === pushed) {
      expect(body.map(({ V }) => V)).toEqual(Array.from({ length: pushed }, (_, value) => value))
      break
    }
    if (tries > 200) throw new Error(`the rows did not come back: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    await pause(50)
  }
  const { counters } = await callWell<{ counters: object }>(service.url, 'GET', '/admin/ingests/plant', {
    key: adminKey,
  })
  expect(counters).toEqual({ received: pushed, stored: pushed, rejected: 0, pending: 0 })
})
