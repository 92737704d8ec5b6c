// InfluxQL on a running service: the bytes of answers, access, and refused queries. `test/tools/influxql.test.ts` compares with a real InfluxDB.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
let readerKey: string
let bothKey: string
let southKey: string

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'measurement', type: 'string', role: 'tag' },
  { name: 'host', type: 'string', role: 'tag' },
  { name: 'region', type: 'string', role: 'dimension' },
  { name: 'v', type: 'double', role: 'metric' },
  { name: 'n', type: 'long', role: 'metric' },
  { name: 'ok', type: 'boolean', role: 'metric' },
]

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key', 'limits.buckets': '1000' })
  const hostsKey = await makeIngest(service.url, adminKey, { alias: 'hosts', fields })
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'meters', entity: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'secret' })
  // Each ingest has the name of the other's entity; a row's tag names its entity.
  for (const [alias, entity] of [
    ['north', 'south'],
    ['south', 'north'],
  ] as const) {
    const key = await makeIngest(service.url, adminKey, { alias, entity })
    const body = [{ D: '2026-01-01', T: entity, V: 1 }]
    await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body })
  }
  const at = (minute: number) => Date.UTC(2026, 0, 1, 0, minute)
  const rows = [
    { time: at(0), measurement: 'cpu', host: 'a', v: 1, n: 9007199254740993n },
    { time: at(1), measurement: 'cpu', host: 'b', region: 'west', v: 2 },
    { time: at(5), measurement: 'cpu', host: 'a', v: 4, ok: true },
    { time: at(6), measurement: 'mem, used', host: 'a', n: 7 },
  ]
  const text = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))
  await callOk(service.url, 'POST', '/ingests/hosts/data?wait=true', {
    key: hostsKey,
    text: text.replace('9007199254740992', '9007199254740993'),
  })
  const plant = [0, 30, 60].map((minute) => ({ D: at(minute), T: 'boiler.level', V: minute }))
  // Each hour of a day on which the clocks change, with its number.
  const hours = Array.from({ length: 13 }, (_, V) => ({ D: Date.UTC(2026, 2, 28, 23 + V), T: 'clock', V }))
  await callOk(service.url, 'POST', '/ingests/meters/data?wait=true', { key: plantKey, body: [...plant, ...hours] })
  readerKey = await makeReader(service.url, adminKey, ['hosts', 'plant'])
  bothKey = await makeReader(service.url, adminKey, ['north', 'south'], 'reader-of-both')
  southKey = await makeReader(service.url, adminKey, ['south'], 'reader-of-south')
})

afterAll(() => service?.close())

async function ask(
  q: string,
  more: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const query = new URLSearchParams({ db: 'hosts', q, ...more })
  const authorization = `Basic ${Buffer.from(`grafana:${readerKey}`).toString('base64')}`
  const response = await fetch(`${service.url}/query?${query}`, { headers: { authorization, ...headers } })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const series = (text: string): string => `{"results":[{"statement_id":0,"series":[${text}]}]}\n`
const first = "time >= '2026-01-01' AND time < '2026-01-01T00:08:00Z'"

describe('SELECT', () => {
  test.each<[string, string]>([
    [
      'SELECT * FROM cpu',
      '{"name":"cpu","columns":["time","host","n","ok","region","v"],"values":[["2026-01-01T00:00:00Z","a",9007199254740993,null,null,1],["2026-01-01T00:01:00Z","b",null,null,"west",2],["2026-01-01T00:05:00Z","a",null,true,null,4]]}',
    ],
    [
      `SELECT mean("v") FROM "cpu" WHERE ${first} GROUP BY time(2m) fill(null)`,
      '{"name":"cpu","columns":["time","mean"],"values":[["2026-01-01T00:00:00Z",1.5],["2026-01-01T00:02:00Z",null],["2026-01-01T00:04:00Z",4],["2026-01-01T00:06:00Z",null]]}',
    ],
    [
      `SELECT mean(v) AS m, count(n) FROM hosts.autogen.cpu WHERE ${first} GROUP BY time(4m), host, region fill(0) SLIMIT 1`,
      '{"name":"cpu","tags":{"host":"a","region":""},"columns":["time","m","count"],"values":[["2026-01-01T00:00:00Z",1,1],["2026-01-01T00:04:00Z",4,0]]}',
    ],
    [
      'SELECT max(v), host FROM cpu',
      '{"name":"cpu","columns":["time","max","host"],"values":[["2026-01-01T00:05:00Z",4,"a"]]}',
    ],
    [
      'SELECT last(v) FROM cpu GROUP BY *',
      '{"name":"cpu","tags":{"host":"a","region":""},"columns":["time","last"],"values":[["2026-01-01T00:05:00Z",4]]},{"name":"cpu","tags":{"host":"b","region":"west"},"columns":["time","last"],"values":[["2026-01-01T00:01:00Z",2]]}',
    ],
    [
      'SELECT non_negative_derivative(v, 1m) * 8 FROM cpu',
      '{"name":"cpu","columns":["time","non_negative_derivative"],"values":[["2026-01-01T00:01:00Z",8],["2026-01-01T00:05:00Z",4]]}',
    ],
    [
      `SELECT integral(v) FROM cpu WHERE ${first} GROUP BY time(2m)`,
      '{"name":"cpu","columns":["time","integral"],"values":[["2026-01-01T00:00:00Z",225],["2026-01-01T00:04:00Z",585]]}',
    ],
    [`SELECT spread(v), median(v) FROM cpu`, ''],
    [
      "SELECT v FROM cpu WHERE host =~ /^(a|c)$/ AND region != 'west' ORDER BY time DESC LIMIT 1 tz('Europe/Madrid')",
      '{"name":"cpu","columns":["time","v"],"values":[["2026-01-01T01:05:00+01:00",4]]}',
    ],
    // Druid sorts rows only by time.
    ...(onCluster
      ? []
      : [
          [
            'SELECT n FROM /m.m/',
            '{"name":"mem, used","columns":["time","n"],"values":[["2026-01-01T00:06:00Z",7]]}',
          ] as [string, string],
        ]),
  ])('%s', async (q, text) => {
    if (text === '')
      expect((await ask(q)).text).toContain('integral and median cannot be combined with other aggregates')
    else expect(await ask(q)).toMatchObject({ status: 200, text: series(text) })
  })

  test('an entity without the tag `measurement` is one measurement, also under the name of its ingest', async () => {
    const values = '"columns":["time","mean"],"values":[[0,30]]'
    const q = (name: string) => `SELECT mean(V) FROM ${name} WHERE T = 'boiler.level'`
    expect((await ask(q('plant'), { db: 'plant', epoch: 's' })).text).toBe(series(`{"name":"plant",${values}}`))
    expect((await ask(q('meters'), { db: 'meters/autogen', epoch: 's' })).text).toBe(
      series(`{"name":"meters",${values}}`),
    )
  })

  test('a db that names both an ingest and another entity is the ingest, if the reader may read it', async () => {
    const tagsOf = async (key: string, db: string) => {
      const found = await ask('SELECT V, T FROM /.*/', { db }, { authorization: `Token ${key}` })
      return /"values":\[\[[^\]]*"(\w+)"\]\]/.exec(found.text)?.[1] ?? found.text
    }
    expect(await Promise.all(['north', 'south'].map((db) => tagsOf(bothKey, db)))).toEqual(['south', 'north'])
    expect(await Promise.all(['north', 'south'].map((db) => tagsOf(southKey, db)))).toEqual(['south', 'south'])
  })

  test.each<[string, string, readonly unknown[]]>([
    ['2h', "tz('Europe/Madrid')", ['00 0.5', '03 2', '04 3.5', '06 5.5', '08 7.5', '10 9.5', '12 11.5']],
    [
      '2h',
      "ORDER BY time DESC tz('Europe/Madrid')",
      ['12 11.5', '10 9.5', '08 7.5', '06 5.5', '04 3.5', '03 2', '00 0.5'],
    ],
    ['2h, 1h', "tz('Europe/Madrid')", ['23 0', '01 1', '03 2.5', '05 4.5', '07 6.5', '09 8.5', '11 10.5', '13 12']],
    ['4h, 2h', "tz('Europe/Madrid')", ['22 0.5', '03 3', '06 6.5', '10 10.5']],
    ['1w, 4d', "tz('Europe/Rome')", ['00 6']],
  ])('windows of time(%s) across a clock change, with %s', async (interval, end, windows) => {
    const range = "time >= '2026-03-28T23:00:00Z' AND time < '2026-03-29T12:00:00Z'"
    const { text } = await ask(
      `SELECT mean(V) FROM plant WHERE T = 'clock' AND ${range} GROUP BY time(${interval}) ${end}`,
      { db: 'plant' },
    )
    const [{ values }] = JSON.parse(text).results[0].series
    expect(values.map(([time, mean]: [string, number]) => `${time.slice(11, 13)} ${mean}`)).toEqual(windows)
  })

  test('a derivative of windows without a unit is per window', async () => {
    const q = (unit: string) => `SELECT derivative(mean(v)${unit}) FROM cpu WHERE ${first} GROUP BY time(2m) fill(none)`
    expect((await ask(q(''))).text).toBe((await ask(q(', 2m'))).text)
    expect((await ask(q(''))).text).toContain('["2026-01-01T00:04:00Z",1.25]')
    expect((await ask('SELECT derivative(v) * 60 FROM cpu')).text).toContain('["2026-01-01T00:01:00Z",1]')
  })

  test.each<[string, string]>([
    [
      'fill(previous) ORDER BY time DESC',
      '["2026-01-01T00:04:00Z",true,4],["2026-01-01T00:02:00Z",true,4],["2026-01-01T00:00:00Z",true,2]',
    ],
    ['fill(0)', '["2026-01-01T00:00:00Z",0,2],["2026-01-01T00:02:00Z",0,0],["2026-01-01T00:04:00Z",true,4]'],
  ])('without a lower time bound, each function starts at its own first point: %s', async (end, values) => {
    const q = `SELECT last(ok), last(v) FROM cpu WHERE time < '2026-01-01T00:06:00Z' GROUP BY time(2m) ${end}`
    expect((await ask(q)).text).toBe(series(`{"name":"cpu","columns":["time","last","last_1"],"values":[${values}]}`))
  })

  test('supports windows across almost 300 clock changes', async () => {
    const q =
      "SELECT max(v), host FROM cpu WHERE time < '2098-01-01' GROUP BY time(7h, 11m) fill(none) tz('Europe/Madrid')"
    expect((await ask(q)).text).toBe(
      series('{"name":"cpu","columns":["time","max","host"],"values":[["2026-01-01T00:11:00+01:00",4,"a"]]}'),
    )
  })

  test('a timestamp as the offset of time() is the start of a window', async () => {
    const q = (offset: string) => `SELECT count(v) FROM cpu WHERE ${first} GROUP BY time(4m, ${offset}) fill(none)`
    expect((await ask(q("'2026-02-01T00:03:00Z'"))).text).toBe(
      series(
        '{"name":"cpu","columns":["time","count"],"values":[["2025-12-31T23:59:00Z",2],["2026-01-01T00:03:00Z",1]]}',
      ),
    )
    const [{ values }] = JSON.parse((await ask(q('now()'), { epoch: 'ms' })).text).results[0].series
    expect(
      values.map(([ms]: [number]) => Date.UTC(2026, 0, 1) - 240_000 < ms && ms <= Date.UTC(2026, 0, 1, 0, 5)),
    ).not.toContain(false)
  })

  // These are rows of several measurements.
  test.skipIf(onCluster)('longs keep all their digits', async () => {
    const q = `SELECT n + 2 FROM cpu; SELECT cumulative_sum(n) FROM /cpu|mem/ WHERE n > $v; SELECT difference(max(n)) FROM cpu WHERE ${first} GROUP BY time(4m) fill(0)`
    const { text } = await ask(q, { params: '{"v":9007199254740992}' })
    expect(text).toContain('["2026-01-01T00:00:00Z",9007199254740995]')
    expect(text).toContain('"cumulative_sum"],"values":[["2026-01-01T00:00:00Z",9007199254740993]')
    expect(text).toContain('"difference"],"values":[["2026-01-01T00:04:00Z",-9007199254740993]')
  })

  test.each<[string, string, string]>([
    ['n = $x', '{"integer":9007199254740993}', '"values":[["2026-01-01T00:00:00Z",1]]'],
    ['v = $x', '{"float":4}', '"values":[["2026-01-01T00:05:00Z",4]]'],
    ['v = $x', '{"number":4}', '"values":[["2026-01-01T00:05:00Z",4]]'],
    ['host = $x', '{"string":"b"}', '"values":[["2026-01-01T00:01:00Z",2]]'],
    ['host =~ $x', '{"regex":"^b"}', '"values":[["2026-01-01T00:01:00Z",2]]'],
    ['ok = $x', '{"boolean":true}', '"values":[["2026-01-01T00:05:00Z",4]]'],
    ["$x = 'b'", '{"ident":"host"}', '"values":[["2026-01-01T00:01:00Z",2]]'],
    ["time = '2026-01-01' + $x", '{"duration":"5m"}', '"values":[["2026-01-01T00:05:00Z",4]]'],
    ["time = '2026-01-01' + $x", '{"duration":300000000000}', '"values":[["2026-01-01T00:05:00Z",4]]'],
    ['v = $x', '{"constructor":4}', 'params.x must be a string, a number'],
    ['v = $x', '{"integer":"4"}', 'params.x must be a string, a number'],
  ])('WHERE %s, with %s', async (condition, value, text) => {
    const found = await ask(`SELECT v FROM cpu WHERE ${condition}`, { params: `{"x":${value}}` })
    expect(found.text).toContain(text)
  })

  test('runs several statements with parameters, and stops at the first that fails', async () => {
    const q =
      'SELECT v FROM cpu WHERE host = $host LIMIT 1; SELECT v FROM nowhere; SELECT mean(ok) FROM cpu; SHOW DATABASES'
    expect(JSON.parse((await ask(q, { epoch: 'ms', params: '{"host": "b"}' })).text)).toEqual({
      results: [
        { statement_id: 0, series: [{ name: 'cpu', columns: ['time', 'v'], values: [[1767225660000, 2]] }] },
        { statement_id: 1 },
        { statement_id: 2, error: 'unsupported mean iterator type: ok is of type boolean' },
        { statement_id: 3, error: 'not executed' },
      ],
    })
  })

  test.skipIf(onCluster)('returns CSV, chunked documents, and pretty-printed JSON', async () => {
    const q = 'SELECT v FROM cpu GROUP BY host'
    const csv = await ask(`${q}; SHOW MEASUREMENTS`, {}, { accept: 'application/csv' })
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect(csv.text).toBe(
      'name,tags,time,v\ncpu,host=a,1767225600000000000,1\ncpu,host=a,1767225900000000000,4\ncpu,host=b,1767225660000000000,2\n\nname,tags,name\nmeasurements,,cpu\nmeasurements,,"mem, used"\n',
    )
    const part = (rows: string, partial: string) =>
      `{"results":[{"statement_id":0,"series":[{"name":"cpu","columns":["time","v"],"values":[${rows}]${partial}}]${partial}}]}\n`
    expect((await ask('SELECT v FROM cpu', { chunked: 'true', chunk_size: '2', epoch: 'm' })).text).toBe(
      part('[29453760,1],[29453761,2]', ',"partial":true') + part('[29453765,4]', ''),
    )
    const pretty = await ask('SELECT v FROM cpu LIMIT 1', { pretty: 'true' })
    expect(pretty.text).toContain('\n    "results": [\n        {\n            "statement_id": 0,\n')
    expect(JSON.parse(pretty.text)).toEqual(JSON.parse((await ask('SELECT v FROM cpu LIMIT 1')).text))
  })
})

describe('SHOW', () => {
  const list = (name: string, columns: string, values: string): string =>
    `{"name":"${name}","columns":[${columns}],"values":[${values}]}`
  test.each<[string, string]>([
    ['SHOW DATABASES', list('databases', '"name"', '["hosts"],["meters"],["plant"]')],
    ['SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i).*CP.*/ LIMIT 100', list('measurements', '"name"', '["cpu"]')],
    ['SHOW TAG KEYS FROM "cpu"', list('cpu', '"tagKey"', '["host"],["region"]')],
    ['SHOW FIELD KEYS FROM "mem, used"', list('mem, used', '"fieldKey","fieldType"', '["n","integer"]')],
    [
      `SHOW TAG VALUES FROM cpu WITH KEY IN ("host", "region") WHERE host != 'a'`,
      list('cpu', '"key","value"', '["host","b"],["region","west"]'),
    ],
    ['SHOW SERIES FROM cpu', '{"columns":["key"],"values":[["cpu,host=a"],["cpu,host=b,region=west"]]}'],
    [
      'SHOW RETENTION POLICIES ON hosts',
      '{"columns":["name","duration","shardGroupDuration","replicaN","default"],"values":[["autogen","0s","24h0m0s",1,true]]}',
    ],
  ])('%s', async (q, text) => {
    expect(await ask(q)).toMatchObject({ status: 200, text: series(text) })
  })
})

describe('errors', () => {
  test.each<[string, string]>([
    ['SELECT percentile(v, 95) FROM cpu', 'percentile() is not supported: use APPROX_QUANTILE_DS(x, 0.95) in SQL'],
    ['SELECT v, mean(v) FROM cpu', 'mixing aggregate and non-aggregate queries is not supported'],
    ['SELECT v FROM cpu WHERE v * 2 > 3', 'compute in SQL'],
    ['SELECT v FROM cpu WHERE time = 1 OR time = 2', 'time can be compared only at the top level of WHERE'],
    [`SELECT v FROM cpu WHERE host =~ /${'(a+)+'.repeat(500)}$/`, 'sql_query: '],
    [
      "SELECT sum(v) FROM cpu WHERE time < '9999-01-01' GROUP BY time(1h) fill(none) tz('Europe/Madrid')",
      'Europe/Madrid supports at most 300 clock changes',
    ],
    ["SELECT v FROM cpu WHERE time > 'soon'", "'soon' is not a time"],
    ['SELECT v FROM cpu WHERE time > 1e400', '1e400 is beyond the range of numbers'],
    [`SELECT ${'v,'.repeat(1000)}v FROM cpu`, 'a SELECT has at most 1000 columns, and this one has 1001'],
  ])('%s', async (q, message) => {
    const { status, text } = await ask(q)
    expect([status, JSON.parse(text).results[0].error]).toEqual([200, expect.stringContaining(message)])
  })

  test('an entity that the reader may not read is reported like an unknown database', async () => {
    const missing = (name: string) => `{"results":[{"statement_id":0,"error":"database not found: ${name}"}]}\n`
    for (const name of ['secret', 'nothing'])
      expect((await ask('SELECT V FROM secret', { db: name })).text).toBe(missing(name))
  })

  test('an error in a statement does not affect the statements before it', async () => {
    const { text } = await ask('SELECT v FROM cpu LIMIT 1; SELECT moving_average(v, 1) FROM cpu; SHOW DATABASES')
    const [rows, mistake, last] = JSON.parse(text).results
    expect(rows.series).toHaveLength(1)
    expect([mistake.error, last.error]).toEqual([expect.stringContaining('moving_average'), 'not executed'])
  })

  test.each<[q: string, error: string]>([
    ['SELECT mean(v) FROM cpu GROUP BY time(1d) fill(1e400)', 'expected null, none, previous, linear or a number'],
    [`SELECT ${'/* '.repeat(2000)}`, 'a comment begins that has no end at line 1, char 8'],
  ])('%.50s', async (q, error) => {
    const { status, text } = await ask(q)
    expect([status, JSON.parse(text).error]).toEqual([400, expect.stringContaining(error)])
  })

  const negative = { params: '{"x":-5}' }
  test.each<[q: string, more: Readonly<Record<string, string>>, status: number, told: string]>([
    ['SELECT v FROM cpu LIMIT 999999999999999 OFFSET 999999999999999', {}, 200, '{"results":[{"statement_id":0}]}\n'],
    [
      'SELECT mean(v) FROM cpu WHERE time > -9999999999999999999999999',
      {},
      200,
      '[["1677-09-21T00:12:43.145224195Z",2.3333333333333335]]',
    ],
    [
      'SELECT count(v) FROM cpu WHERE time > $x AND time < 1767225601s GROUP BY time(1000w) fill(-$x)',
      negative,
      200,
      '["1989-03-02T00:00:00Z",5],["2008-05-01T00:00:00Z",1]]',
    ],
    [
      'SELECT count(v) FROM cpu WHERE time > $x AND time < 1767225601s GROUP BY time(1s) fill(-$x)',
      negative,
      413,
      'limits.buckets',
    ],
  ])('%s', async (q, more, status, told) => {
    const answer = await ask(q, more)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(told)])
  })

  const many = (count: number, text: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => text(at)).join(' ')
  test.each<[name: string, q: string, status: number, told: string]>([
    [
      'windows of 1 ns',
      `SELECT mean(v) FROM cpu WHERE ${first} GROUP BY time(1ns) fill(none)`,
      200,
      'whole milliseconds',
    ],
    ['windows of 1 ms', `SELECT mean(v) FROM cpu WHERE ${first} GROUP BY time(1ms)`, 413, 'limits.buckets'],
    [
      'medians by windows of 1 ms since the first point',
      'SELECT median(v) FROM cpu GROUP BY time(1ms), host',
      413,
      'limits.buckets',
    ],
    [
      'a window longer than all of time',
      `SELECT mean(v) FROM cpu GROUP BY time(${'9'.repeat(50)}w)`,
      200,
      'time() is too long',
    ],
    [
      'windows of 1 h over all of time',
      "SELECT mean(v) FROM cpu WHERE time >= '0001-01-01' GROUP BY time(1h)",
      413,
      'limits.buckets',
    ],
    [
      'nested parentheses',
      `SELECT v FROM cpu WHERE ${'('.repeat(30_000)}v>1${')'.repeat(30_000)}`,
      400,
      'deeper than 100 levels',
    ],
    [
      'nested functions',
      `SELECT ${'derivative('.repeat(3000)}v${')'.repeat(3000)} FROM cpu`,
      400,
      'deeper than 100 levels',
    ],
    ['nested signs', `SELECT ${'- '.repeat(20_000)}v FROM cpu`, 400, 'deeper than 100 levels'],
    ['101 statements', many(101, () => 'SHOW DATABASES;'), 400, 'more than 100 statements'],
    [
      'too many characters',
      `SELECT v FROM cpu WHERE host = '${'x'.repeat(70_000)}'`,
      400,
      'more than 65536 characters',
    ],
    [
      'long moving averages',
      `SELECT ${many(20, () => 'moving_average(v, 1000),')} v FROM cpu`,
      200,
      'at most 10000 points in total',
    ],
    ['a regular expression with a back-reference', 'SELECT v FROM cpu WHERE host =~ /(.*)\\1/', 200, 'sql_query: '],
    [
      'a regular expression with nested repeats',
      'SELECT v FROM cpu WHERE host =~ /(a{1000}){1000}/',
      200,
      'sql_query: ',
    ],
    ['a slow pattern as the measurement', `SELECT v FROM /${'(a+)+'.repeat(100)}$/`, 200, '"statement_id":0'],
    [
      'a slow pattern in GROUP BY',
      `SELECT count(v) FROM cpu GROUP BY /${'(a+)+'.repeat(100)}$/`,
      200,
      'Write a simpler one',
    ],
    ['a LIMIT of 16 digits', `SELECT v FROM cpu LIMIT ${'9'.repeat(16)}`, 400, 'a whole number'],
    [
      'an SOFFSET beyond all series',
      `SELECT mean(v) FROM cpu GROUP BY host SLIMIT ${'9'.repeat(15)} SOFFSET ${'9'.repeat(15)}`,
      200,
      '{"statement_id":0}',
    ],
    [
      '3000 conditions',
      `SELECT v FROM cpu WHERE ${many(3000, (at) => `v > ${at} AND`)} v > 0`,
      200,
      '{"statement_id":0',
    ],
    [
      '2000 patterns',
      `SELECT v FROM cpu WHERE ${many(2000, (at) => `host =~ /t${at}/ OR`)} v < 0`,
      200,
      '{"statement_id":0',
    ],
    ['a result beyond the doubles', 'SELECT v * 1e308 * 1e308 FROM cpu LIMIT 1', 200, ',null]'],
  ])('a statement that is too large, deep or long: %s', async (_, q, status, told) => {
    const response = await fetch(`${service.url}/query?db=hosts`, {
      method: 'POST',
      headers: { authorization: `Token ${readerKey}` },
      body: new URLSearchParams({ q }),
    })
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(told)])
  })

  test('limits.buckets counts the windows of each column', async () => {
    const columns = Array.from({ length: 10 }, (_, at) => `mean(v) AS c${at}`).join(', ')
    const { status } = await ask(`SELECT ${columns} FROM cpu WHERE time >= 0 AND time < 200m GROUP BY time(1m)`)
    expect(status).toBe(413)
  })

  test('one chunk holds all rows even if chunk_size is huge', async () => {
    const { text } = await ask('SELECT * FROM cpu', { chunked: 'true', chunk_size: '100000000' })
    expect(text.trim().split('\n')).toHaveLength(1)
  })

  test('more windows than limits.buckets are a 413', async () => {
    const { status, text } = await ask("SELECT mean(v) FROM cpu WHERE time > '2025-01-01' GROUP BY time(1m)")
    expect([status, JSON.parse(text)]).toEqual([
      413,
      { code: 'too_many_buckets', error: expect.stringContaining('limits.buckets') },
    ])
  })

  test('an incomplete multipart body is a 400', async () => {
    const headers = { authorization: `Token ${readerKey}`, 'content-type': 'multipart/form-data; boundary=b' }
    const response = await fetch(`${service.url}/query?q=SHOW+DATABASES`, { method: 'POST', headers, body: '--b\r\n' })
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 'invalid_request', error: expect.stringContaining('not multipart/form-data') },
    ])
  })

  test('a thousand tag values joined by OR are combined into one list', async () => {
    const tags = Array.from({ length: 1000 }, (_, at) => `host='h${at}'`).join(' OR ')
    const response = await fetch(`${service.url}/query?db=hosts`, {
      method: 'POST',
      headers: { authorization: `Token ${readerKey}` },
      body: new URLSearchParams({ q: `SELECT v FROM cpu WHERE ${tags} OR host='b'` }),
    })
    expect(await response.text()).toBe(
      series('{"name":"cpu","columns":["time","v"],"values":[["2026-01-01T00:01:00Z",2]]}'),
    )
  })
})
