// Clients that disconnect in the first moments of a query: Druid stops working on it.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const rows = 4000
let service: RunningService

beforeAll(async () => {
  // An abandoned query would occupy Druid's threads for minutes.
  service = await runService({ 'limits.queryTimeMs': '120000' })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const long = 'a'.repeat(900)
  const body = Array.from({ length: rows }, (_, V) => ({ D: new Date(V * 1000).toISOString(), T: long, V }))
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
})
afterAll(() => service?.close())

const timeseries = (sum: object, context: object = {}) => ({
  dataSource: 'plant',
  granularity: 'all',
  intervals: ['1970/2100'],
  aggregations: [{ type: 'longSum', name: 'sum', ...sum }],
  context,
})
/** Takes milliseconds per row. Over one column alone Druid would evaluate it only once for each distinct string. */
const expression = `strlen(replace(repeat(concat("T", "V"), 1000), 'a', 'bb'))`
const slow = {
  native: {
    path: '/consumer/data/druid-native-query',
    body: { query_type: 'timeseries', query_data: timeseries({ expression }) },
  },
  sql: {
    path: '/consumer/data/sql-query',
    body: { sql_query: `SELECT SUM(CHAR_LENGTH(REPLACE(REPEAT(CONCAT("T", "V"), 1000), 'a', 'bb'))) FROM plant` },
  },
}

async function leave({ path, body }: (typeof slow)['native' | 'sql'], afterMs: number): Promise<string> {
  const leaving = new AbortController()
  const answered = fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).then(
    (response) => `answered ${response.status}`,
    () => 'left',
  )
  await sleep(afterMs)
  leaving.abort()
  return answered
}

test('abandoned slow queries do not delay later queries', async () => {
  const random = seededRandom(20_260_101)
  for (let round = 0; round < 12; round++) {
    for (const query of Object.values(slow)) expect(await leave(query, random.below(2 ** random.below(7)))).toBe('left')
  }
  const quick = timeseries({ fieldName: 'V' }, { timeout: 30_000 })
  const answer = await callOk<{ result: { sum: number } }[]>(service.url, 'POST', slow.native.path, {
    key: adminKey,
    body: { query_type: 'timeseries', query_data: quick },
  })
  expect(answer[0]?.result.sum).toBe((rows * (rows - 1)) / 2)
})
