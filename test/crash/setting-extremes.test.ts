// Every setting at its minimum and maximum, alone and with those that it works with: the service starts, accepts a push and responds, or reports which
// settings contradict each other.
import { describe, expect, test } from 'vitest'
import { settingEntries } from '../../src/config/settings.ts'
import { call, makeIngest } from '../support/api.ts'
import { runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const wholeNumber = /^a whole number(?: of \w+)? from (\d+) to (\d+)$/
/** Settings of the cluster engine, which does not start here. */
const elsewhere = /^(kafka|druid|postgres|cluster|ingest)\./

interface Bounds {
  readonly name: string
  readonly min: string
  readonly max: string
}
const bounded: readonly Bounds[] = settingEntries.flatMap(([name, { allowed }]) => {
  const [, min, max] = wholeNumber.exec(allowed) ?? []
  return min === undefined || elsewhere.test(name) || name === 'port' ? [] : [{ name, min, max: max! }]
})

/** At the minimum of these settings the requests of this test are rightly refused: too large, too late, or too many. */
const refusing = new Set([
  'limits.ingestBodyBytes',
  'limits.queryBodyBytes',
  'limits.adminBodyBytes',
  'limits.resultBytes',
  'limits.rowBytes',
  'limits.queryTimeMs',
  'server.requestMs',
  'server.headersMs',
  'limits.rejectedBytes',
  'limits.pushRows',
  'limits.idempotencyKeys',
  'limits.keyBytesPerSecond',
  'limits.keyRowsPerSecond',
  'limits.sendIdleMs',
])
/** At their maximum these settings require more than the machine has. */
const greedy = new Set(['journal.diskFloorBytes'])

async function statusesWith(settings: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const service = await runService(settings)
  try {
    const ready = (await call(service.url, 'GET', '/readyz')).status
    const key = await makeIngest(service.url, adminKey, { alias: 'plant' }).catch(() => 'none')
    const body = { D: '2026-01-01T00:00:00.000Z', T: 'a', V: 1 }
    const push = (await call(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })).status
    const query = (await call(service.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })).status
    const sql = { sql_query: 'SELECT T, AVG(V) FROM plant GROUP BY T' }
    return [ready, push, query, (await call(service.url, 'POST', '/consumer/data/sql-query', { body: sql })).status]
  } finally {
    await service.close()
  }
}

/** Settings by group, so that few starts cover them all; a failure names its group. */
const groups = new Map<string, Bounds[]>()
for (const one of bounded) {
  const group = one.name.split('.')[0]!
  groups.set(group, [...(groups.get(group) ?? []), one])
}

describe.each([...groups])('settings of %s', (_group, all) => {
  test.each(['min', 'max'] as const)('start, push and queries work with all of them at their %s', async (end) => {
    const settings = Object.fromEntries(all.map((one) => [one.name, one[end]]))
    const statuses = await statusesWith(settings)
    const isRefusing = all.some(({ name }) => (end === 'min' ? refusing : greedy).has(name))
    if (isRefusing) expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
    else expect(statuses).toEqual([200, 200, 200, 200])
  })
})

const settings = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]))

test.each([
  'server.headersMs=300001 server.requestMs=2147483647',
  'server.headersMs=2147483647 server.requestMs=2147483647',
  'server.headersMs=2147483647 server.requestMs=60000',
  'server.keepAliveMs=2147483647',
  'limits.ingestBodyBytes=1073741824 limits.bodiesBytes=65536',
  'limits.ingestBodyBytes=1073741824 journal.pendingBytes=65536 journal.backlogBytes=65536',
  'journal.batchBytes=1073741824 journal.pendingBytes=65536 journal.segmentBytes=65536',
  'journal.apartBytes=4096 journal.batchBytes=4096',
  'spool.answerMemoryBytes=1073741824 spool.memoryBytes=0 spool.fileBytes=1099511627776',
  'store.headRows=1 store.stepBytes=1073741824',
  'store.pageRows=1048576 store.fileRowsMax=16 store.dayRowsMin=1000000000',
  'store.headAgeMs=2147483647 store.retryDelayMs=2147483647',
  'sql.memoryBytes=67108864 sql.threads=1024 sql.temporaryBytes=0',
])('start, push and queries work with %s', async (text) => {
  expect(await statusesWith(settings(text))).toEqual([200, 200, 200, 200])
})
