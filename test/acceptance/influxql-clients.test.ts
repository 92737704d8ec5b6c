// Requests that Grafana's InfluxDB source, openHAB and ioBroker send, taken from their source code, on a running service: they write points and read them.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const readers = new Map<string, string>()

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'measurement', type: 'string', role: 'tag' },
  { name: 'value', type: 'double', role: 'metric' },
]

const basic = (key: string): string => `Basic ${btoa(`any:${key}`)}`

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The headers contain the type of a form, because not all clients name it. */
async function send(database: string, { method = 'GET', path, query = {}, form, headers = {} }: Sent) {
  const response = await fetch(`${service.url}${path}?${new URLSearchParams(query)}`, {
    method,
    headers: { authorization: basic(readers.get(database)!), ...headers },
    ...(form === undefined ? {} : { body: Buffer.from(String(new URLSearchParams(form))) }),
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds).toISOString()
const fromMs = Date.UTC(2026, 0, 1)
const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const results = (...texts: readonly string[]): string =>
  `{"results":[${texts.map((text, id) => `{"statement_id":${id}${text === '' ? '' : `,"series":[${text}]`}}`).join(',')}]}\n`

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  const lines: Readonly<Record<string, readonly string[]>> = {
    // As influxdb-java writes them: in nanoseconds, whole numbers with an i, tags in order.
    openhab: [0, 60, 120].flatMap((seconds) => [
      `Living_Temp,item=Living_Temp value=${20 + seconds / 60}.5 ${fromMs + 1000 * seconds}000000`,
      `Switches,item=Lamp value=${(seconds / 60) % 2}i ${fromMs + 1000 * seconds}000000`,
    ]),
    // As node-influx writes points without a schema: numbers as doubles, times in milliseconds.
    iobroker: [0, 30, 60, 120].map(
      (seconds) =>
        `hm-rpc.0.LEQ1.TEMP value=${seconds / 10},ack=T,q=0,from="system.adapter.hm-rpc.0" ${fromMs + 1000 * seconds}`,
    ),
    telegraf: [0, 60, 120].flatMap((seconds) => [
      `cpu,datacenter=x\\ y,hostname=server1 value=${seconds} ${fromMs + 1000 * seconds}000000`,
      `cpu,datacenter=x\\ y,hostname=server\\2 value=${seconds / 2} ${fromMs + 1000 * seconds}000000`,
    ]),
  }
  for (const [alias, points] of Object.entries(lines)) {
    const key = await makeIngest(service.url, adminKey, { alias, fields, unknown: 'add' })
    readers.set(alias, await makeReader(service.url, adminKey, [alias], `reader-of-${alias}`))
    const precision = alias === 'iobroker' ? 'ms' : 'n'
    const query = new URLSearchParams({ db: alias, rp: 'autogen', precision, consistency: 'one' })
    const written = await fetch(`${service.url}/write?${query}`, {
      method: 'POST',
      headers: { authorization: basic(key), 'content-type': 'text/plain; charset=utf-8' },
      body: points.join('\n'),
    })
    expect(written.status).toBe(204)
    await vi.waitFor(
      async () => {
        const ingest = await callOk(service.url, 'GET', `/admin/ingests/${alias}`, { key: adminKey })
        expect(ingest).toMatchObject({ counters: { stored: points.length, rejected: 0 } })
      },
      { timeout: 60_000, interval: 100 },
    )
  }
})

afterAll(() => service?.close())

describe('Grafana', () => {
  const range = `time >= ${fromMs}ms and time <= ${fromMs + 180_000}ms`
  const head = (tags: string, columns: string): string => `{"name":"cpu",${tags}"columns":["time",${columns}],"values":`
  const both = (tags: (name: string) => string, columns: string, one: string, other: string): string =>
    `${head(tags('server1'), columns)}${one}},${head(tags('server\\\\2'), columns)}${other}}`

  const statements: readonly (readonly [q: string, text: string])[] = [
    ['SHOW measurements', '{"name":"measurements","columns":["name"],"values":[["cpu"]]}'],
    [
      'SHOW RETENTION POLICIES on "telegraf"',
      '{"columns":["name","duration","shardGroupDuration","replicaN","default"],"values":[["autogen","0s","24h0m0s",1,true]]}',
    ],
    ['SHOW FIELD KEYS', '{"name":"cpu","columns":["fieldKey","fieldType"],"values":[["value","float"]]}'],
    [
      'SHOW FIELD KEYS FROM "autogen"."cpu"',
      '{"name":"cpu","columns":["fieldKey","fieldType"],"values":[["value","float"]]}',
    ],
    ['SHOW TAG KEYS', '{"name":"cpu","columns":["tagKey"],"values":[["datacenter"],["hostname"]]}'],
    ['SHOW TAG KEYS FROM "cpu"', '{"name":"cpu","columns":["tagKey"],"values":[["datacenter"],["hostname"]]}'],
    [
      `SHOW TAG VALUES FROM "cpu" WITH KEY = "hostname" WHERE "datacenter"::tag = 'x y'`,
      '{"name":"cpu","columns":["key","value"],"values":[["hostname","server1"],["hostname","server\\\\2"]]}',
    ],
    [
      'SHOW TAG VALUES WITH KEY = "datacenter"',
      '{"name":"cpu","columns":["key","value"],"values":[["datacenter","x y"]]}',
    ],
    [
      'SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i)CP/ LIMIT 100',
      '{"name":"measurements","columns":["name"],"values":[["cpu"]]}',
    ],
    [
      `SELECT mean("value") FROM "cpu" WHERE ${range} GROUP BY time(1m) fill(null)`,
      `${head('', '"mean"')}[[${fromMs},0],[${fromMs + 60_000},45],[${fromMs + 120_000},90],[${fromMs + 180_000},null]]}`,
    ],
    [
      `SELECT mean("value"::field) AS "a b" FROM "autogen"."cpu" WHERE ("hostname"::tag = 'server1' OR "hostname"::tag = 'server\\\\2') AND ${range} GROUP BY time(2m), "hostname"::tag fill(none)`,
      both(
        (name) => `"tags":{"hostname":"${name}"},`,
        '"a b"',
        `[[${fromMs},30],[${fromMs + 120_000},120]]`,
        `[[${fromMs},15],[${fromMs + 120_000},60]]`,
      ),
    ],
    [
      `SELECT mean("value") / 60000 FROM "cpu" WHERE "hostname" =~ /^(server1|server\\\\2)$/ AND ${range} GROUP BY time(5s), "datacenter" fill(none) ORDER BY time ASC limit 1 slimit 1 tz('Europe/Paris')`,
      `${head('"tags":{"datacenter":"x y"},', '"mean"')}[[${fromMs},0]]}`,
    ],
    [
      `SELECT max("value"), min("value") AS "max", max("value") / 60 AS "max" FROM "cpu" WHERE ${range}`,
      `${head('', '"max_1","max","max"')}[[${fromMs},120,0,2]]}`,
    ],
    [
      `SELECT non_negative_derivative(last("value"), 1m) FROM "cpu" WHERE "hostname"::tag = 'server1' AND ${range} GROUP BY time(1m) fill(none)`,
      `${head('', '"non_negative_derivative"')}[[${fromMs + 60_000},60],[${fromMs + 120_000},60]]}`,
    ],
    [
      `SELECT "value", "hostname"::tag FROM "cpu" WHERE "value"::field >= 60 AND "hostname"::tag != 'server1' AND ${range}`,
      `${head('', '"value","hostname"')}[[${fromMs + 120_000},60,"server\\\\2"]]}`,
    ],
  ]

  test.each(statements)('%s', async (q, text) => {
    const query = { db: 'telegraf', epoch: 'ms' }
    const byGet = await send('telegraf', { path: '/query', query: { ...query, q } })
    expect([byGet.status, byGet.text]).toEqual([200, results(text)])
    const posted: Sent = { method: 'POST', path: '/query', query: { ...query, rp: 'autogen' } }
    expect(await send('telegraf', { ...posted, form: { q }, headers: formType })).toMatchObject({ text: byGet.text })
  })
})

describe('openHAB', () => {
  // influxdb-java queries with GET, in milliseconds; its query builder appends a semicolon.
  const read = (q: string) =>
    send('openhab', {
      path: '/query',
      query: { db: 'openhab', epoch: 'ms', q },
      headers: { 'user-agent': 'okhttp/3.14.9', 'accept-encoding': 'gzip' },
    })
  const columns = '"value"::field,"item"::tag'
  const found = (name: string, values: string): string =>
    results(`{"name":"${name}","columns":["time","value","item"],"values":[${values}]}`)

  test.each<[q: string, text: string]>([
    [
      `SELECT ${columns} FROM "autogen"."Living_Temp" ORDER BY time DESC LIMIT 1;`,
      found('Living_Temp', `[${fromMs + 120_000},22.5,"Living_Temp"]`),
    ],
    [
      `SELECT ${columns} FROM "autogen"."Living_Temp" WHERE time >= '${at(0)}' AND time <= '${at(60)}' ORDER BY time ASC;`,
      found('Living_Temp', `[${fromMs},20.5,"Living_Temp"],[${fromMs + 60_000},21.5,"Living_Temp"]`),
    ],
    [
      `SELECT ${columns} FROM "autogen"."Switches" WHERE item = 'Lamp' AND time <= '${at(180)}' AND value = 1 ORDER BY time DESC LIMIT 1 OFFSET 0;`,
      found('Switches', `[${fromMs + 60_000},1,"Lamp"]`),
    ],
    [
      `SELECT ${columns} FROM "autogen"."Living_Temp" WHERE time >= '2026-01-01T00:00:00Z' AND value > 21.5 ORDER BY time ASC LIMIT 10 OFFSET 10;`,
      results(''),
    ],
    [`SELECT ${columns} FROM "autogen"."never_written" ORDER BY time DESC LIMIT 1;`, results('')],
  ])('%s', async (q, text) => {
    expect(await read(q)).toMatchObject({ status: 200, text })
  })

  test('its connection check and the database requests of influxdb-java succeed', async () => {
    const ping = await send('openhab', { path: '/ping' })
    expect([ping.status, ping.text, ping.headers.get('x-influxdb-version')]).toEqual([
      204,
      '',
      expect.stringMatching(/^1\./),
    ])
    const form = { q: 'SHOW DATABASES' }
    const listed = await send('openhab', { method: 'POST', path: '/query', form, headers: formType })
    expect(listed.text).toBe(results('{"name":"databases","columns":["name"],"values":[["openhab"]]}'))
  })
})

describe('ioBroker', () => {
  const id = 'hm-rpc.0.LEQ1.TEMP'
  // node-influx sends options that are not set as empty parameters.
  const read = (q: string) =>
    send('iobroker', { path: '/query', query: { db: 'iobroker', epoch: '', q, rp: '', params: '{}' } })
  const values = (texts: string): string => `{"name":"${id}","columns":["time","value"],"values":[${texts}]}`
  const borders = (q: string): string =>
    `SELECT value from "${id}" WHERE time <= '${at(30)}' ORDER BY time DESC LIMIT 1;${q};SELECT value from "${id}" WHERE time >= '${at(120)}' LIMIT 1`
  const history = (columns: string, end: string): string =>
    borders(`SELECT ${columns} from "${id}" WHERE  time > '${at(30)}' AND  time < '${at(120)}' ${end}`)
  const [before, behind] = [values('["2026-01-01T00:00:30Z",3]'), values('["2026-01-01T00:02:00Z",12]')]

  test.each<[columns: string, end: string, text: string]>([
    [
      'mean(value) as val',
      'GROUP BY time(30000ms) fill(previous) ORDER BY time ASC LIMIT 502',
      `{"name":"${id}","columns":["time","val"],"values":[["2026-01-01T00:00:30Z",null],["2026-01-01T00:01:00Z",6],["2026-01-01T00:01:30Z",6]]}`,
    ],
    [
      'count(value) as val',
      'GROUP BY time(45000ms) fill(previous) ORDER BY time ASC LIMIT 502',
      `{"name":"${id}","columns":["time","val"],"values":[["2026-01-01T00:00:00Z",null],["2026-01-01T00:00:45Z",1],["2026-01-01T00:01:30Z",1]]}`,
    ],
    ['integral(value, 60s) as val', 'GROUP BY time(60000ms) fill(previous) ORDER BY time ASC LIMIT 502', ''],
    ['value', 'ORDER BY time ASC', values('["2026-01-01T00:01:00Z",6]')],
    ['value', 'ORDER BY time DESC LIMIT 500', values('["2026-01-01T00:01:00Z",6]')],
    [
      '*',
      'ORDER BY time ASC LIMIT 500',
      `{"name":"${id}","columns":["time","ack","from","q","value"],"values":[["2026-01-01T00:01:00Z",true,"system.adapter.hm-rpc.0",0,6]]}`,
    ],
  ])('reads its history of %s %s', async (columns, end, text) => {
    expect(await read(history(columns, end))).toMatchObject({ status: 200, text: results(before, text, behind) })
  })

  test('reads the point that it is about to change', async () => {
    const { text } = await read(`SELECT * FROM "${id}" WHERE time = '${at(30)}'`)
    expect(text).toContain('"values":[["2026-01-01T00:00:30Z",true,"system.adapter.hm-rpc.0",0,3]]')
  })

  test('creates a missing database, lists retention policies, and cannot alter them', async () => {
    expect((await send('iobroker', { path: '/ping' })).status).toBe(204)
    expect((await send('iobroker', { path: '/query', query: { q: 'show databases' } })).text).toBe(
      results('{"name":"databases","columns":["name"],"values":[["iobroker"]]}'),
    )
    const created: Sent = { method: 'POST', path: '/query', query: { q: 'create database "iobroker"' } }
    expect(await send('iobroker', created)).toMatchObject({ status: 200, text: results('') })
    expect((await read('SHOW RETENTION POLICIES ON "iobroker"')).text).toContain('["autogen","0s","24h0m0s",1,true]')
    const altered = await read(
      'ALTER RETENTION POLICY "autogen" ON "iobroker" DURATION 31536000s REPLICATION 1 SHARD DURATION 604800s DEFAULT',
    )
    expect([altered.status, altered.text]).toEqual([400, expect.stringContaining('ALTER is not supported')])
  })

  test('node-influx sends all parameters in the body of a POST', async () => {
    const form = {
      db: 'iobroker',
      epoch: 'ms',
      q: `SELECT value FROM "${id}" WHERE value > $v`,
      rp: '',
      params: '{"v":10}',
    }
    const asked = await send('iobroker', { method: 'POST', path: '/query', form, headers: formType })
    expect(asked.text).toBe(results(values(`[${fromMs + 120_000},12]`)))
  })
})

describe('curl --form', () => {
  test.each<[string, string | Blob]>([
    ['a field', 'SHOW MEASUREMENTS'],
    ['a file', new Blob(['SHOW MEASUREMENTS'])],
  ])('%s', async (_, q) => {
    const form = new FormData()
    form.set('q', q)
    form.set('db', 'iobroker')
    const headers = { authorization: basic(readers.get('iobroker')!) }
    const response = await fetch(`${service.url}/query`, { method: 'POST', headers, body: form })
    expect(await response.text()).toContain('"values":[["hm-rpc.0.LEQ1.TEMP"]]')
  })
})
