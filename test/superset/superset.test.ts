// Apache Superset itself: a connection with Druid's URL scheme, a dataset, charts and SQL Lab, through Superset's own REST API.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { SupersetProcess } from './superset-process.ts'

const hourMs = 3_600_000
/** A Thursday. */
const startMs = Date.UTC(2026, 0, 1)
const hours = 24 * 40

let home: string
let service: RunningService
let superset: SupersetProcess
let database: number
let dataset: number

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-superset-'))
  service = await runService({ 'access.consumption': 'key' })
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'secret' })
  const rows = Array.from({ length: hours }, (_, hour) =>
    ['a', 'b', "c'"].map((T, place) => ({ D: startMs + hour * hourMs, T, V: 100 * place + (hour % 24) })),
  ).flat()
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key: plantKey, body: rows })
  const key = await makeReader(service.url, adminKey, ['plant'])
  superset = await SupersetProcess.start(home)
  const uri = `druid://anyone:${key}@${new URL(service.url).host}/druid/v2/sql/`
  const connection = { database_name: 'plant', sqlalchemy_uri: uri }
  await superset.call('POST', 'database/test_connection/', connection)
  database = (await superset.call<{ id: number }>('POST', 'database/', { ...connection, expose_in_sqllab: true })).id
  const table = { database, schema: 'druid', table_name: 'plant' }
  dataset = (await superset.call<{ id: number }>('POST', 'dataset/', table)).id
})

afterAll(async () => {
  superset?.stop()
  await service?.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
})

test('shows the tables that the key may read, and their columns', async () => {
  const tables = await superset.call('GET', `database/${database}/tables/?q=(force:!t,schema_name:druid)`)
  expect(tables).toMatchObject({ result: [{ value: 'plant' }], count: 1 })
  const { result } = await superset.call<{ result: { columns: object[]; main_dttm_col: string } }>(
    'GET',
    `dataset/${dataset}`,
  )
  expect(result.main_dttm_col).toBe('__time')
  expect(result.columns).toMatchObject([
    { column_name: '__time', is_dttm: true },
    { column_name: 'T', is_dttm: false },
    { column_name: 'V', is_dttm: false },
  ])
})

interface ChartAnswer {
  readonly error: string | null
  readonly data: Readonly<Record<string, unknown>>[]
  readonly query: string
}

async function chart(query: object): Promise<ChartAnswer> {
  const common = { row_limit: 10_000, filters: [], metrics: [], columns: [], orderby: [], extras: {} }
  const { result } = await superset.call<{ result: [ChartAnswer] }>('POST', 'chart/data', {
    datasource: { id: dataset, type: 'table' },
    force: true,
    queries: [{ ...common, ...query }],
    result_format: 'json',
    result_type: 'full',
  })
  expect(result[0].error).toBeNull()
  return result[0]
}

const simple = (aggregate: string, column: string) => ({
  expressionType: 'SIMPLE',
  aggregate,
  column: { column_name: column },
  label: `${aggregate}(${column})`,
})
const byTime = (timeGrain: string) => ({
  columnType: 'BASE_AXIS',
  expressionType: 'SQL',
  sqlExpression: '__time',
  label: '__time',
  timeGrain,
})

describe('charts by time', () => {
  test.each([
    ['PT1S', hours],
    ['PT1M', hours],
    ['PT5M', hours],
    ['PT10M', hours],
    ['PT15M', hours],
    ['PT30M', hours],
    ['PT1H', hours],
    ['PT6H', hours / 6],
    ['P1D', 40],
    ['P1W', 7],
    ['P1M', 2],
    ['P3M', 1],
    ['P1Y', 1],
    ['1969-12-28T00:00:00Z/P1W', 7],
    ['P1W/1970-01-03T00:00:00Z', 7],
  ])('%s', async (grain, buckets) => {
    const { data } = await chart({ columns: [byTime(grain)], metrics: ['count', simple('AVG', 'V')] })
    expect(data).toHaveLength(buckets)
    expect(data.reduce((sum, { count }) => sum + Number(count), 0)).toBe(3 * hours)
  })

  test('a chart of the highest series of a day', async () => {
    const { data, query } = await chart({
      columns: [byTime('PT1H'), 'T'],
      metrics: [simple('MAX', 'V')],
      series_columns: ['T'],
      series_limit: 2,
      series_limit_metric: simple('AVG', 'V'),
      order_desc: true,
      granularity: '__time',
      time_range: '2026-01-01 : 2026-01-02',
    })
    expect(query).toContain('TIME_FLOOR(CAST("__time" AS TIMESTAMP), \'PT1H\')')
    expect(data).toHaveLength(48)
    expect(new Set(data.map(({ T }) => T))).toEqual(new Set(['b', "c'"]))
    expect(data).toContainEqual({ __time: startMs + 5 * hourMs, T: "c'", 'MAX(V)': 205 })
  })
})

describe('other charts', () => {
  test.each<[string, object, object[]]>([
    [
      'a table of groups',
      { columns: ['T'], metrics: ['count', simple('AVG', 'V')], orderby: [[simple('AVG', 'V'), false]] },
      ["c'", 'b', 'a'].map((T, place) => ({ T, count: hours, 'AVG(V)': 211.5 - 100 * place })),
    ],
    ['a single number', { metrics: [simple('COUNT_DISTINCT', 'T')] }, [{ 'COUNT_DISTINCT(T)': 3 }]],
    [
      'filters',
      {
        columns: ['T'],
        metrics: ['count'],
        filters: [
          { col: 'T', op: 'IN', val: ['a', "c'"] },
          { col: 'V', op: '>=', val: 200 },
        ],
      },
      [{ T: "c'", count: hours }],
    ],
    [
      'a filter by substring',
      {
        columns: ['T'],
        metrics: ['count'],
        filters: [
          { col: 'T', op: 'ILIKE', val: "%C'%" },
          { col: 'V', op: 'IS NOT NULL' },
        ],
      },
      [{ T: "c'", count: hours }],
    ],
    [
      'a filter on an aggregate',
      { columns: ['T'], metrics: [simple('SUM', 'V')], extras: { having: 'MAX(V) > 200' } },
      [{ T: "c'", 'SUM(V)': 211.5 * hours }],
    ],
  ])('%s', async (_, query, expected) => {
    expect((await chart(query)).data).toEqual(expected)
  })

  test('a table of raw rows', async () => {
    const filters = [{ col: 'T', op: '==', val: 'b' }]
    const { data } = await chart({ columns: ['__time', 'T', 'V'], filters, row_limit: 3, orderby: [['__time', true]] })
    expect(data).toMatchObject([
      { T: 'b', V: 100 },
      { T: 'b', V: 101 },
      { T: 'b', V: 102 },
    ])
  })
})

test('SQL Lab runs queries, and hides tables that the key may not read', async () => {
  const execute = (sql: string) =>
    superset.ask('POST', 'sqllab/execute/', { database_id: database, schema: 'druid', sql, runAsync: false })
  const { status, text } = await execute("SELECT T, COUNT(*) AS n FROM plant WHERE T LIKE 'a%' GROUP BY T")
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({ status: 'success', data: [{ T: 'a', n: hours }] })
  expect(await execute('SELECT 1 FROM secret')).toMatchObject({
    text: expect.stringContaining("there is no table 'secret'"),
  })
  expect(await execute('SELECT * FROM plant LIMIT 5')).toMatchObject({ status: 200 })
})

test.runIf(process.env['TIDEMARK_PICTURES'] === '1')('makes the picture of docs/guides/tools.md', async () => {
  const params = {
    viz_type: 'echarts_timeseries_line',
    datasource: `${dataset}__table`,
    x_axis: '__time',
    time_grain_sqla: 'PT6H',
    metrics: [simple('AVG', 'V')],
    groupby: ['T'],
    adhoc_filters: [],
    row_limit: 10_000,
  }
  const { id } = await superset.call<{ id: number }>('POST', 'chart/', {
    slice_name: 'Means of six hours',
    viz_type: params.viz_type,
    datasource_id: dataset,
    datasource_type: 'table',
    params: JSON.stringify(params),
  })
  await superset.picture(`/explore/?slice_id=${id}`, resolve('docs/guides/tools/superset.png'))
})
