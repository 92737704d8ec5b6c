// The paths of Apache Druid on a running service: bytes as Druid writes them, access and limits as everywhere.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callWell, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
/** A key that may read `plant` alone. */
let readerKey: string

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key', 'limits.resultRows': '50' })
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'secret' })
  const rows = [0, 1, 2, 30].map((hour) => ({ D: Date.UTC(2026, 0, 1, hour), T: hour === 1 ? "b'" : 'a', V: hour }))
  const pushed = { key: plantKey, text: JSON.stringify(rows) }
  await callWell(service.url, 'POST', '/ingests/plant/data?wait=true', pushed)
  await callWell(service.url, 'POST', '/admin/subscribers', { key: adminKey, body: { name: 'reader' } })
  const path = '/admin/subscribers/reader'
  await callWell(service.url, 'PUT', `${path}/subscriptions`, { key: adminKey, body: [{ entity: 'plant' }] })
  const made = { key: adminKey, body: { rights: ['consume'] } }
  readerKey = (await callWell<{ key: string }>(service.url, 'POST', `${path}/keys`, made)).key
})

afterAll(() => service?.close())

async function ask(path: string, body: object, key = readerKey) {
  const authorization = `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`
  const headers = { 'content-type': 'application/json', authorization }
  const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const sql = (query: string, more: object = {}) => ask('/druid/v2/sql', { query, ...more })

describe('SQL', () => {
  test.each<[string, object, string]>([
    [
      'SELECT __time, T, V FROM plant WHERE T = ?',
      { parameters: [{ type: 'VARCHAR', value: "b'" }] },
      '[{"__time":"2026-01-01T01:00:00.000Z","T":"b\'","V":1.0}]\n',
    ],
    [
      "SELECT TIME_FLOOR(__time, 'P1D') AS d, COUNT(*) AS n FROM plant GROUP BY 1 ORDER BY 1",
      { resultFormat: 'csv', header: true, context: { sqlTimeZone: 'America/New_York' } },
      'd,n\n2025-12-31T00:00:00.000-05:00,3\n2026-01-02T00:00:00.000-05:00,1\n\n',
    ],
    [
      "SELECT COUNT(*) AS n, MAX(__time) AS t, DATE_TRUNC('day', MIN(__time)) AS d FROM plant",
      { resultFormat: 'arrayLines', header: true, typesHeader: true, sqlTypesHeader: true },
      '["n","t","d"]\n["LONG","LONG","LONG"]\n["BIGINT","TIMESTAMP","TIMESTAMP"]\n[4,"2026-01-02T06:00:00.000Z","2026-01-01T00:00:00.000Z"]\n\n',
    ],
  ])('%s, %j', async (query, more, text) => {
    expect(await sql(query, more)).toMatchObject({ status: 200, text })
  })

  test.each<[string, number, object]>([
    [
      'SELECT * FROM secret',
      400,
      { category: 'INVALID_INPUT', context: { sourceType: 'sql', line: '1', column: '15' } },
    ],
    ['SELECT 1; SELECT 2', 400, { category: 'INVALID_INPUT' }],
    ['SELECT ? AS x', 400, { category: 'INVALID_INPUT' }],
    [
      'SELECT a.V FROM plant a, plant b, plant c',
      413,
      { error: 'Resource limit exceeded', category: 'CAPACITY_EXCEEDED', context: { code: 'result_too_large' } },
    ],
  ])('%s is refused', async (query, status, body) => {
    const answer = await sql(query)
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, body])
  })

  test('its own time ends a query', async () => {
    const slow =
      'SELECT COUNT(*) AS n FROM plant a, plant b, plant c, plant d, plant e, plant f, plant g, plant h, plant i, plant j, plant k, plant l, plant m'
    const answer = await sql(slow, { context: { timeout: 100 } })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      503,
      {
        error: 'Query timeout',
        category: 'TIMEOUT',
        errorMessage: expect.stringContaining("longer than 100 ms, which is the `timeout` of the query's own context."),
      },
    ])
  })
})

describe('native queries', () => {
  const timeseries = {
    queryType: 'timeseries',
    dataSource: 'plant',
    intervals: ['2026-01-01/2026-01-02'],
    granularity: 'all',
    aggregations: [{ type: 'count', name: 'n' }],
    context: { queryId: 'mine' },
  }

  test('have the answer of Druid', async () => {
    const { status, headers, text } = await ask('/druid/v2/?pretty', timeseries)
    expect([status, JSON.parse(text)]).toEqual([200, [{ timestamp: '2026-01-01T00:00:00.000Z', result: { n: 3 } }]])
    expect(headers.get('x-druid-query-id')).toBe('mine')
  })

  test.each<[object, string]>([
    [{ ...timeseries, dataSource: 'secret' }, 'unknown_entity'],
    [{ ...timeseries, granularity: 'fortnight' }, 'invalid_request'],
  ])('%j is refused', async (query, code) => {
    const { status, text } = await ask('/druid/v2', query)
    expect([status, JSON.parse(text)]).toMatchObject([400, { context: { code } }])
  })
})
