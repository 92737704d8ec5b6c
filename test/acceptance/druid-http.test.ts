// The paths of Apache Druid on a running service: bytes as Druid writes them; access and limits as elsewhere.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileTexts } from '../druid-sql/hostile-texts.ts'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
/** A key that may read only `plant`. */
let readerKey: string

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key', 'limits.resultRows': '50' })
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'secret' })
  const rows = [0, 1, 2, 30].map((hour) => ({ D: Date.UTC(2026, 0, 1, hour), T: hour === 1 ? "b'" : 'a', V: hour }))
  const pushed = { key: plantKey, text: JSON.stringify(rows) }
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', pushed)
  readerKey = await makeReader(service.url, adminKey, ['plant'])
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

  test('a query that exceeds its own timeout is a 503', async () => {
    // No machine counts 4^22 rows within a tenth of a second.
    const slow = `SELECT COUNT(*) AS n FROM plant a ${[...'bcdefghijklmnopqrstuv'].map((name) => `CROSS JOIN plant ${name}`).join(' ')}`
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

describe('SQL with parameters and a time zone', () => {
  const query =
    "SELECT TIME_FLOOR(__time, 'PT6H') AS t, T, SUM(V) AS s FROM plant WHERE T <> ? AND __time >= ? AND V < ? GROUP BY 1, 2 ORDER BY 1"
  const parameters = [
    { type: 'VARCHAR', value: "b'" },
    { type: 'TIMESTAMP', value: '2026-01-01 02:00:00' },
    { type: 'BIGINT', value: 100 },
  ]
  const [first, second] = ['2026-01-01T00:00:00.000+01:00', '2026-01-02T06:00:00.000+01:00']

  test.each([
    ['object', `[{"t":"${first}","T":"a","s":2.0},{"t":"${second}","T":"a","s":30.0}]\n`],
    ['array', `[["${first}","a",2.0],["${second}","a",30.0]]\n`],
    ['objectLines', `{"t":"${first}","T":"a","s":2.0}\n{"t":"${second}","T":"a","s":30.0}\n\n`],
    ['arrayLines', `["${first}","a",2.0]\n["${second}","a",30.0]\n\n`],
    ['csv', `${first},a,2.0\n${second},a,30.0\n\n`],
  ])('in the format %s', async (resultFormat, text) => {
    const context = { sqlTimeZone: 'Europe/Madrid' }
    expect(await sql(query, { parameters, context, resultFormat })).toMatchObject({ status: 200, text })
  })
})

describe('EXPLAIN PLAN FOR', () => {
  interface Explained {
    readonly query: { readonly queryType: string; readonly query?: string }
    readonly signature: readonly object[]
    readonly columnMappings: readonly { readonly queryColumn: string; readonly outputColumn: string }[]
    readonly answeredBy: string
  }

  async function explained(query: string): Promise<Explained> {
    const { status, text } = await sql(`EXPLAIN PLAN FOR\n${query}`, { resultFormat: 'array', header: true })
    expect([status, text]).toEqual([200, expect.any(String)])
    const [names, row] = JSON.parse(text)
    expect(names).toEqual(['PLAN', 'RESOURCES', 'ATTRIBUTES'])
    expect(row.slice(1)).toEqual(['[{"name":"plant","type":"DATASOURCE"}]', '{"statementType":"SELECT"}'])
    const [plan, ...others] = JSON.parse(row[0])
    expect(others).toEqual([])
    return plan
  }

  test
    .skipIf(onCluster)
    .each([
      'SELECT COUNT(*) AS n, MAX(V) - MIN(V) AS span, AVG(V) AS mean FROM plant',
      "SELECT TIME_FLOOR(__time, 'P1D') AS d, T, SUM(V) / COUNT(V) AS x, LATEST(V) AS v FROM plant GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT 2",
      "SELECT T, MAX(__time) AS t FROM plant WHERE (T = 'a' OR T IN ('c', 'd')) AND V BETWEEN 0 AND 20.5 AND NOT (V IS NULL) GROUP BY T HAVING COUNT(*) > 1",
      "SELECT DATE_TRUNC('week', __time) AS w, COUNT(V) + 0.5 AS n FROM plant WHERE T LIKE 'a%' AND __time < '2026-01-02' AND T <> 'x' GROUP BY 1 HAVING AVG(V) IS NOT NULL AND NOT MAX(V) < -1",
      "SELECT TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid') AS d, T, COUNT(*) AS n FROM plant GROUP BY 1, 2 ORDER BY 1, 2",
      "SELECT T, ROUND(AVG(V) FILTER (WHERE V > 3), 1) AS mean, COUNT(*) FILTER (WHERE T = 'a') AS n FROM plant GROUP BY T ORDER BY T",
      "SELECT FLOOR(__time TO MONTH) AS m, EARLIEST(V) AS v FROM plant WHERE T > 'a' OR V <> 1 GROUP BY 1 OFFSET 0",
      'SELECT T, SUM(CASE WHEN V > 3 THEN V ELSE 0 END) AS high, SUM(CASE WHEN V > 3 THEN 1 ELSE 2 END) AS n, AVG(CASE WHEN V > 3 THEN V ELSE 0 END) AS mean FROM plant GROUP BY T ORDER BY T',
      "SELECT TIME_FLOOR(__time, 'P1D') AS d, AVG(V * 1.8 + 32) AS f, SUM(V * V) AS s, MAX(-V) AS low FROM plant WHERE V * 2 > 1.5 GROUP BY 1 ORDER BY 1",
      "SELECT CASE WHEN V > 20 THEN 'high' WHEN T LIKE 'a%' OR V IS NULL THEN 'it''s low' ELSE T END AS c, FLOOR(V / 10) AS k, COUNT(*) AS n, SUM(COALESCE(V, 0)) AS v FROM plant GROUP BY 1, 2 ORDER BY 1, 2",
      "SELECT T, COALESCE(MIN(V), MAX(V), 0.5) AS v, CAST(AVG(V) AS BIGINT) AS m, CASE WHEN T = 'a' AND FLOOR(AVG(V)) >= 1 THEN 'it''s high' WHEN AVG(V) IN (1, 2) THEN T END AS state, SAFE_DIVIDE(SUM(V), COUNT(*)) AS q FROM plant GROUP BY T ORDER BY state, 1",
      "SELECT COUNT(DISTINCT T) AS tags, SUM(CASE WHEN T = 'none' THEN 1 END) AS others FROM plant",
    ])('returns the native query of the store, which has the same result: %s', async (query) => {
    const { query: native, columnMappings, signature, answeredBy } = await explained(query)
    expect([answeredBy, signature.length]).toEqual(['store', columnMappings.length])
    const [asNative, asSql] = [await ask('/druid/v2', native), await sql(query)]
    expect([asNative.status, asNative.text]).toEqual([200, expect.any(String)])
    const rows: Record<string, Record<string, unknown>>[] = JSON.parse(asNative.text)
    const expected: Record<string, unknown>[] = JSON.parse(asSql.text)
    const shown = rows.map(({ event, result }) =>
      columnMappings.map(({ queryColumn }) => (event ?? result)![queryColumn]),
    )
    const value = (one: unknown) => (typeof one === 'string' && /^\d{4}-/.test(one) ? Date.parse(one) : one)
    expect(shown).toEqual(expected.map((row) => Object.values(row).map(value)))
    expect(asSql.headers.get('tidemark-answered-by')).toBe('store')
  })

  test.skipIf(onCluster)('returns the scan of the store, which has the same result', async () => {
    const query =
      "SELECT V AS v, __time, T FROM plant WHERE T <> 'x' AND __time < '2027-01-01' ORDER BY __time DESC LIMIT 4 OFFSET 1"
    const { query: native, columnMappings, answeredBy } = await explained(query)
    expect(answeredBy).toBe('store')
    const [asNative, asSql] = [await ask('/druid/v2', native), await sql(query, { resultFormat: 'array' })]
    const [{ events, columns }] = JSON.parse(asNative.text)
    expect(columnMappings.map(({ queryColumn }) => queryColumn)).toEqual(columns)
    const rows = JSON.parse(asSql.text).map(([v, time, tag]: [number, string, string]) => [v, Date.parse(time), tag])
    expect(rows.length).toBeGreaterThan(0)
    expect(events).toEqual(rows)
    expect(asSql.headers.get('tidemark-answered-by')).toBe('store')
    expect(asNative.headers.get('tidemark-answered-by')).toBe('store')
  })

  test.skipIf(onCluster)('returns the scan of the store with computed columns', async () => {
    const query =
      "SELECT __time, CASE WHEN V > 3 THEN T ELSE 'low' END AS state, V * 2 AS twice FROM plant ORDER BY __time LIMIT 3"
    const { query: native, columnMappings, answeredBy } = await explained(query)
    expect(answeredBy).toBe('store')
    const [asNative, asSql] = [await ask('/druid/v2', native), await sql(query, { resultFormat: 'array' })]
    const [{ events, columns }] = JSON.parse(asNative.text)
    expect(columnMappings.map(({ queryColumn }) => queryColumn)).toEqual(columns)
    const rows = JSON.parse(asSql.text).map(([time, ...rest]: [string, ...unknown[]]) => [Date.parse(time), ...rest])
    expect(rows.length).toBeGreaterThan(0)
    expect(events).toEqual(rows)
    expect(asSql.headers.get('tidemark-answered-by')).toBe('store')
  })

  test('returns the SQL itself if the store does not run it, without internal names', async () => {
    const query = "SELECT COUNT(DISTINCT SQRT(V)) AS n FROM plant -- it's mine"
    const plan = await explained(query)
    expect(plan).toEqual({
      query: { queryType: 'sql', query },
      signature: [{ name: 'n', type: 'LONG' }],
      columnMappings: [{ queryColumn: 'n', outputColumn: 'n' }],
      answeredBy: onCluster ? 'druid' : 'sql-engine',
    })
  })

  test.each([
    ['EXPLAIN PLAN FOR SELECT * FROM secret', 'line 1, column 32'],
    ['/* x */ EXPLAIN\nPLAN FOR SELECT nothing FROM plant', 'line 2, column 17'],
    ['EXPLAIN PLAN FOR EXPLAIN PLAN FOR SELECT 1', 'line 1, column 18'],
    ['EXPLAIN PLAN FOR', 'line 1, column 17'],
    ['EXPLAIN SELECT 1', 'line 1, column 1'],
    ['EXPLAIN PLAN FOR INSERT INTO plant SELECT * FROM plant', 'line 1, column 18'],
  ])('%s is an error at its position', async (query, place) => {
    const { status, text } = await sql(query)
    expect([status, text]).toEqual([400, expect.stringContaining(place)])
  })

  test('is rejected by /consumer/data/sql-query', async () => {
    const body = JSON.stringify({ sql_query: 'EXPLAIN PLAN FOR SELECT 1' })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${readerKey}` }
    const response = await fetch(`${service.url}/consumer/data/sql-query`, { method: 'POST', headers, body })
    expect(response.status).toBe(400)
  })
})

describe('hostile queries', () => {
  const texts = Object.values(hostileTexts)
    .flat()
    .filter((text) => !text.includes('ROUTINES'))

  test('are client errors, also with EXPLAIN', async () => {
    for (const text of texts) {
      for (const query of text.length > 10_000 ? [text] : [text, `EXPLAIN PLAN FOR ${text}`]) {
        const { status, text: body } = await sql(query)
        expect([query, body, status]).toEqual([query, body, expect.toSatisfy((code) => code >= 400 && code < 500)])
        expect(JSON.parse(body)).toMatchObject({ category: expect.any(String), errorMessage: expect.any(String) })
      }
    }
  }, 120_000)

  test('are errors over Avatica, also with EXPLAIN', async () => {
    const avatica = async (body: object) => {
      const { status, text } = await ask('/druid/v2/sql/avatica/', body)
      return { status, body: JSON.parse(text) }
    }
    const connectionId = 'hostile'
    await avatica({ request: 'openConnection', connectionId, info: {} })
    await avatica({ request: 'createStatement', connectionId })
    const execute = { request: 'prepareAndExecute', connectionId, statementId: 1, maxRowsTotal: -1 }
    for (const text of texts) {
      for (const query of text.length > 10_000 ? [text] : [text, `EXPLAIN PLAN FOR ${text}`]) {
        const { status, body } = await avatica({ ...execute, sql: query })
        const reported = [
          query,
          status,
          body.response,
          String(body.errorMessage).includes('secret') && !query.includes('secret'),
        ]
        expect(reported).toEqual([query, 500, 'error', false])
        // The caller's fault.
        expect([query, body.errorCode]).toEqual([query, -1])
      }
    }
    const { body } = await avatica({ ...execute, sql: 'EXPLAIN PLAN FOR SELECT COUNT(*) AS n FROM plant' })
    const [{ signature, firstFrame }] = body.results ?? body.resultSets
    expect(signature.columns.map(({ columnName }: { columnName: string }) => columnName)).toEqual([
      'PLAN',
      'RESOURCES',
      'ATTRIBUTES',
    ])
    expect(firstFrame.rows[0][2]).toBe('{"statementType":"SELECT"}')
  }, 120_000)
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

  test('return the result and headers of Druid', async () => {
    const { status, headers, text } = await ask('/druid/v2/?pretty', timeseries)
    expect([status, JSON.parse(text)]).toEqual([200, [{ timestamp: '2026-01-01T00:00:00.000Z', result: { n: 3 } }]])
    expect(headers.get('x-druid-query-id')).toBe('mine')
    expect(headers.get('tidemark-answered-by')).toBe(onCluster ? null : 'store')
  })

  test.each<[object, string]>([
    [{ ...timeseries, dataSource: 'secret' }, 'unknown_entity'],
    [{ ...timeseries, granularity: 'fortnight' }, 'invalid_request'],
  ])('%j is a 400', async (query, code) => {
    const { status, text } = await ask('/druid/v2', query)
    expect([status, JSON.parse(text)]).toMatchObject([400, { context: { code } }])
  })
})
