// Every setting of a cluster at its minimum and maximum, together with the others of its part: the service starts, accepts a push and responds.
import { describe, expect, test } from 'vitest'
import { settingEntries } from '../../src/config/settings.ts'
import { call, makeIngest } from '../support/api.ts'
import { runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const wholeNumber = /^a whole number(?: of \w+)? from (\d+) to (\d+)$/
const parts = ['kafka', 'druid', 'postgres'] as const
/** The cluster under test has one broker, and slots for a few tasks. */
const apart = new Set(['kafka.replicationFactor'])
/** With so short a timeout a part may be reported as unreachable; no other fault is allowed. */
const hasty = new Set(['kafka.timeoutMs', 'druid.timeoutMs', 'postgres.timeoutMs'])

const bounded = settingEntries.flatMap(([name, { allowed }]) => {
  const [, min, max] = wholeNumber.exec(allowed) ?? []
  return min === undefined || apart.has(name) ? [] : [{ name, min, max: max! }]
})

async function statusesWith(settings: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const service = await runService(settings)
  try {
    const ready = (await call(service.url, 'GET', '/readyz')).status
    const key = await makeIngest(service.url, adminKey, { alias: 'plant' }).catch(() => 'none')
    const body = { D: '2026-01-01T00:00:00.000Z', T: 'a', V: 1 }
    const push = (await call(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })).status
    const query = (await call(service.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })).status
    return [ready, push, query]
  } finally {
    await service.close()
  }
}

describe.each(parts)('settings of %s', (part) => {
  const own = bounded.filter(({ name }) => name.startsWith(`${part}.`))
  const valuesAt = (end: 'min' | 'max') => own.filter(({ name }) => !hasty.has(name)).map((one) => [one.name, one[end]])

  test.each(['min', 'max'] as const)('start, push and query work with all of them at their %s', async (end) => {
    expect(await statusesWith(Object.fromEntries(valuesAt(end)))).toEqual([200, 200, 200])
  })

  test.each(own.filter(({ name }) => hasty.has(name)))(
    'start, push and query work with $name at $max',
    async ({ name, max }) => {
      expect(await statusesWith({ [name]: max })).toEqual([200, 200, 200])
    },
  )
})

test.each([
  ['1', '60000'],
  // More than there are slots: the rows are kept but cannot be queried here.
  ['64', '100'],
])('start, push and query work with ingest.lanes of %s and as many partitions', async (partitions, waitMs) => {
  const settings = { 'ingest.lanes': partitions, 'kafka.journalPartitions': partitions, 'limits.ingestWaitMs': waitMs }
  expect(await statusesWith(settings)).toEqual([200, 200, 200])
})

test('start, push and query work with an odd kafka.timeoutMs', async () => {
  expect(await statusesWith({ 'kafka.timeoutMs': '9999' })).toEqual([200, 200, 200])
})

test.each([...hasty])('%s at its minimum causes at most 503 responses, and no other server error', async (name) => {
  const least = bounded.find((one) => one.name === name)!.min
  const statuses = await statusesWith({ [name]: least, 'limits.ingestWaitMs': '10000' })
  expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
})
