// Names that every JavaScript object inherits, wherever a request contains a name: as the operator's own names they work like any other,
// and where they name nothing they are refused like any other.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const words = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'isPrototypeOf']
const [time, tag, dimension, long, metric, alias, table] = words as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const fields = [
  { name: time, type: 'timestamp', role: 'time' },
  { name: tag, type: 'string', role: 'tag' },
  { name: dimension, type: 'string', role: 'dimension' },
  { name: long, type: 'long', role: 'dimension' },
  { name: metric, type: 'double', role: 'metric' },
]
const attributes = [
  { name: tag, type: 'string', role: 'index' },
  { name: time, type: 'json', role: 'attribute' },
  { name: metric, type: 'double', role: 'attribute' },
]
const at = '2026-01-01T00:00:00.000Z'
const date = '2026-01-02T00:00:00.000Z'
/** Computed keys: `__proto__` becomes an own property of an object only this way. */
const row = { [time]: at, [tag]: words[0], [dimension]: words[1], [long]: 7, [metric]: 1.5 }
const item = { [tag]: words[1], [time]: { [words[1]!]: [words[0]] }, [metric]: 2.5 }

let service: RunningService
let key: string
let tableKey: string
beforeAll(async () => {
  service = await runService()
  key = await makeIngest(service.url, adminKey, { alias, fields })
  tableKey = await makeIngest(service.url, adminKey, { alias: table, kind: 'metadata', fields: attributes })
  await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: [row] })
  await callOk(service.url, 'POST', `/ingests/${table}/data?wait=true`, { key: tableKey, body: item })
})
afterAll(() => service?.close())

const ask = <T = unknown>(path: string, body: unknown) => call<T>(service.url, 'POST', path, { body, key: adminKey })
const data = (kind: string, body: object) => ask(`/consumer/data/${kind}`, body)
const without = (...left: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !left.includes(name)))

interface Asked {
  readonly kind: string
  readonly body: object
  readonly row: object
}

const selected = { entity: alias, metric_name_field: [metric] }
const asked: readonly Asked[] = [
  { kind: 'average', body: selected, row: without(dimension, long) },
  { kind: 'average-dimensions', body: { ...selected, fields: [dimension, long] }, row },
  { kind: 'average-granularity', body: { ...selected, fields: [dimension] }, row: without(tag, long) },
  { kind: 'select', body: { ...selected, fields: [dimension, long], ids: [words[0]], prefixes: ['con'] }, row },
  { kind: 'latest', body: { ...selected, id_name_field: tag }, row: without(dimension, long) },
  { kind: 'last', body: { ...selected, date, fields: [long] }, row: without(dimension) },
  { kind: 'next', body: { ...selected, date: '2025-01-01', fields: [dimension] }, row: without(long) },
  { kind: 'snap', body: { ...selected, end_date: date }, row: { ...without(dimension, long), snap: date } },
  {
    kind: 'sql-query',
    body: { sql_query: `SELECT * FROM "${alias}" AS "${words[0]}"` },
    row: { __time: at, ...without(time) },
  },
  {
    kind: 'sql-query',
    body: { sql_query: `SELECT SUM("${metric}") AS "${tag}", "${tag}" AS "${time}" FROM "${alias}" GROUP BY "${tag}"` },
    row: { [tag]: 1.5, [time]: words[0] },
  },
  {
    kind: 'druid-native-query',
    body: {
      query_type: 'groupBy',
      query_data: {
        dataSource: alias,
        granularity: 'all',
        intervals: '2000/2030',
        dimensions: [{ type: 'default', dimension: tag, outputName: words[0] }, dimension],
        virtualColumns: [{ type: 'expression', name: words[5], expression: `"${long}" + 1`, outputType: 'LONG' }],
        aggregations: [{ type: 'longSum', name: tag, fieldName: words[5] }],
        filter: { type: 'selector', dimension: tag, value: words[0] },
      },
    },
    row: {
      version: 'v1',
      timestamp: '2000-01-01T00:00:00.000Z',
      event: { [words[0]!]: words[0], [dimension]: words[1], [tag]: 8 },
    },
  },
]

describe("inherited JavaScript names as names of the operator's own", () => {
  test.each(asked.map((one) => [one.kind, one] as const))('%s', async (_, { kind, body, row }) => {
    const { status, body: answer } = await data(kind, body)
    expect({ status, answer }).toEqual({ status: 200, answer: [row] })
  })

  test('in entities, metadata, rejected rows and subscribers', async () => {
    const admin = { key: adminKey }
    const get = (path: string) => callOk(service.url, 'GET', path, admin)
    expect(await get('/consumer/data/entities')).toMatchObject([{ entity: alias, time_field: time, rows: 1 }])
    expect(JSON.stringify(await get(`/consumer/metadata/${table}?${tag}[bw]=__`))).toBe(
      JSON.stringify({ Items: [item], NextToken: null }),
    )
    expect(JSON.stringify((await ask(`/consumer/metadata/${table}`, { itemsId: [...words] })).body)).toBe(
      JSON.stringify([item]),
    )
    expect((await ask('/consumer/metadata', { entities: [table] })).body).toMatchObject([{ entity: table, items: 1 }])
    const rows = words.map((word) => ({ ...without(word), [word]: null, [`${word}_`]: 1 }))
    await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rows })
    const rejected = await callOk<{ Items: { row: string }[] }>(
      service.url,
      'GET',
      `/admin/ingests/${alias}/rejected`,
      admin,
    )
    expect(rejected.Items.map((one) => JSON.parse(one.row))).toEqual(rows)
    for (const name of words) {
      await callOk(service.url, 'POST', '/admin/subscribers', { ...admin, body: { name } })
      const body = words.map((word) => ({ ingest: word, entity: word }))
      await callOk(service.url, 'PUT', `/admin/subscribers/${name}/subscriptions`, { ...admin, body })
      const made = { ...admin, body: { rights: ['ingest', 'consume'] } }
      const { key: own } = await callOk<{ key: string }>(service.url, 'POST', `/admin/subscribers/${name}/keys`, made)
      expect(await callOk(service.url, 'GET', '/subscription', { key: own })).toMatchObject({ subscriber: name })
    }
  })
})

const native = (member: object, queryType = 'timeseries') => ({
  query_type: queryType,
  query_data: { dataSource: alias, granularity: 'all', intervals: '2000/2030', ...member },
})
const ordered = (column: object) =>
  native(
    {
      dimensions: [tag],
      limitSpec: { type: 'default', columns: [{ dimension: tag, ...column }] },
    },
    'groupBy',
  )
const virtual = (expression: string) =>
  native({
    virtualColumns: [{ type: 'expression', name: 'v', expression, outputType: 'STRING' }],
    aggregations: [{ type: 'longSum', name: 'n', fieldName: 'v' }],
  })

type Refused = (word: string) => readonly [method: string, path: string, body?: object]
const sql = (text: string) => ['POST', '/consumer/data/sql-query', { sql_query: text }] as const
const post = (path: string, body: object) => ['POST', path, body] as const
const query = (kind: string, body: object) => post(`/consumer/data/${kind}`, body)
const nativeOf = (body: object) => query('druid-native-query', body)

/** Each place for a name in a request, with a word that names nothing there. */
const places: Readonly<Record<string, Refused>> = {
  'an entity': (word) => query('select', { entity: `${word}_` }),
  'the granularity of an average': (word) => query('average', { ...selected, granularity: word }),
  'the granularity of a snap': (word) => query('snap', { ...selected, granularity: word, start_date: at }),
  'a metric': (word) => query('average', { entity: alias, metric_name_field: [`${word}x`] }),
  'a field': (word) => query('select', { ...selected, fields: [`${word}x`] }),
  'a date': (word) => query('last', { ...selected, date: word }),
  'a property of a request': (word) => query('latest', { ...selected, [word]: 1 }),
  'a query': (word) => query(word, selected),
  'a table of metadata': (word) => ['GET', `/consumer/metadata/${word}_`],
  'an operator of metadata': (word) => ['GET', `/consumer/metadata/${table}?${tag}[${word}]=1`],
  'a field of metadata': (word) => ['GET', `/consumer/metadata/${table}?${word}x[bw]=1`],
  'an entity to describe': (word) => post('/consumer/metadata', { entities: [`${word}_`] }),
  'an ingest': (word) => ['GET', `/admin/ingests/${word}_`],
  'the type of a field': (word) =>
    post('/admin/ingests', { alias: 'x', kind: 'series', fields: [{ ...fields[0], type: word }] }),
  'the role of a field': (word) =>
    post('/admin/ingests', { alias: 'x', kind: 'series', fields: [{ ...fields[0], role: word }] }),
  'the kind of an ingest': (word) => post('/admin/ingests', { alias: 'x', kind: word }),
  'a property of an ingest': (word) => post('/admin/ingests', { alias: 'x', kind: 'series', [word]: {} }),
  'a right': (word) => post('/admin/subscribers/x/keys', { rights: [word] }),
  'a filter of rejected rows': (word) => ['GET', `/admin/ingests/${alias}/rejected?${word}=1`],
  'a code of rejected rows': (word) => ['GET', `/admin/ingests/${alias}/rejected?code=${word}`],
  'the type of a native query': (word) => nativeOf(native({}, word)),
  'a native data source': (word) => nativeOf(native({ dataSource: { type: word } })),
  'a native granularity': (word) => nativeOf(native({ granularity: word })),
  'the type of a native granularity': (word) => nativeOf(native({ granularity: { type: word } })),
  'a native filter': (word) => nativeOf(native({ filter: { type: word } })),
  'a native aggregator': (word) => nativeOf(native({ aggregations: [{ type: word, name: 'a', fieldName: metric }] })),
  'a native post-aggregator': (word) => nativeOf(native({ postAggregations: [{ type: word, name: 'a' }] })),
  'a virtual column': (word) => nativeOf(native({ virtualColumns: [{ type: word, name: 'a' }] })),
  'an output type': (word) =>
    nativeOf(native({ virtualColumns: [{ type: 'expression', name: 'a', expression: '1', outputType: word }] })),
  'a dimension spec': (word) => nativeOf(native({ dimensions: [{ type: word, dimension: tag }] }, 'groupBy')),
  'an extraction': (word) =>
    nativeOf(native({ dimensions: [{ type: 'extraction', dimension: tag, extractionFn: { type: word } }] }, 'groupBy')),
  'a having': (word) => nativeOf(native({ dimensions: [tag], having: { type: word } }, 'groupBy')),
  'a direction': (word) => nativeOf(ordered({ direction: word })),
  'an ordering': (word) => nativeOf(ordered({ dimensionOrder: word })),
  'the type of an ordering': (word) => nativeOf(ordered({ dimensionOrder: { type: word } })),
  'an order': (word) => nativeOf(native({ limit: 1, columns: ['__time'], order: word }, 'scan')),
  'a result format': (word) => nativeOf(native({ limit: 1, columns: ['__time'], resultFormat: word }, 'scan')),
  'a metric of a topN': (word) => nativeOf(native({ dimension: tag, threshold: 1, metric: { type: word } }, 'topN')),
  'a search': (word) => nativeOf(native({ query: { type: word, value: 'a' } }, 'search')),
  'an analysis': (word) => nativeOf(native({ analysisTypes: [word] }, 'segmentMetadata')),
  'a function of an expression': (word) => nativeOf(virtual(`${word}("${tag}")`)),
  'a function with a lambda': (word) => nativeOf(virtual(`${word}((x) -> x, "${tag}")`)),
  'a type of a cast': (word) => nativeOf(virtual(`cast("${tag}", '${word}')`)),
  'a unit of an expression': (word) => nativeOf(virtual(`timestamp_extract(__time, '${word}')`)),
  'a pattern of an expression': (word) => nativeOf(virtual(`timestamp_format(__time, '${word}')`)),
  'a period of an expression': (word) => nativeOf(virtual(`timestamp_floor(__time, '${word}')`)),
  'a type of JSON': (word) => nativeOf(virtual(`json_value("${tag}", '$.a', '${word}')`)),
  'a table of SQL': (word) => sql(`SELECT 1 FROM "${word}_"`),
  'a schema of SQL': (word) => sql(`SELECT 1 FROM "${word}"."${alias}"`),
  'a table of INFORMATION_SCHEMA': (word) => sql(`SELECT 1 FROM INFORMATION_SCHEMA."${word}"`),
  'a column of SQL': (word) => sql(`SELECT "${word}x" FROM "${alias}"`),
  'a function of SQL': (word) => sql(`SELECT "${word}"(1)`),
  'a bare function of SQL': (word) => sql(`SELECT ${word}(1)`),
  'an aggregate of SQL': (word) => sql(`SELECT ${word}(DISTINCT 1) FILTER (WHERE TRUE) FROM "${alias}"`),
  'a window function of SQL': (word) => sql(`SELECT ${word}(1) OVER () FROM "${alias}"`),
  'a window of SQL': (word) => sql(`SELECT COUNT(*) OVER "${word}" FROM "${alias}"`),
  'a type of SQL': (word) => sql(`SELECT CAST(1 AS ${word})`),
  'a unit of SQL': (word) => sql(`SELECT EXTRACT(${word} FROM __time) FROM "${alias}"`),
  'a unit of FLOOR': (word) => sql(`SELECT FLOOR(__time TO ${word}) FROM "${alias}"`),
  'a unit of an interval': (word) => sql(`SELECT __time + INTERVAL '1' ${word} FROM "${alias}"`),
  'a unit of DATE_TRUNC': (word) => sql(`SELECT DATE_TRUNC('${word}', __time) FROM "${alias}"`),
  'a unit of TIME_EXTRACT': (word) => sql(`SELECT TIME_EXTRACT(__time, '${word}') FROM "${alias}"`),
  'a pattern of SQL': (word) => sql(`SELECT TIME_FORMAT(__time, '${word}') FROM "${alias}"`),
  'a period of SQL': (word) => sql(`SELECT TIME_FLOOR(__time, '${word}') FROM "${alias}"`),
  'a zone of SQL': (word) => sql(`SELECT TIME_FLOOR(__time, 'P1D', NULL, '${word}') FROM "${alias}"`),
  'a lookup': (word) => sql(`SELECT LOOKUP('a', '${word}')`),
}

describe('inherited JavaScript names that name nothing are client errors', () => {
  test.each(Object.entries(places))('%s', async (_, request) => {
    const statuses = words.map(async (word) => {
      const [method, path, body] = request(word)
      return [word, (await call(service.url, method, path, { key: adminKey, body })).status] as const
    })
    const strays = (await Promise.all(statuses)).filter(([, status]) => status < 400 || status >= 500)
    expect(strays).toEqual([])
  })
})
