// Tools that could not be installed: sends the requests that docs/guides/tools-by-address.md and deploy/grafana/data.json configure in them, with a user
// and a password, to a service that requires a key for reading.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const guide = readFileSync('docs/guides/tools-by-address.md', 'utf8')
const tags = ['01PHD.OSL101.PV', '01PHD.OSF101.PV']

let service: RunningService
let key: string

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  const pusher = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const now = new Date().toISOString()
  const rows = ['2026-01-01T08:00:00Z', now].flatMap((D) => tags.map((T, index) => ({ D, T, V: index + 0.5 })))
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key: pusher, body: rows })
  const admin = { key: adminKey }
  await callOk(service.url, 'POST', '/admin/subscribers', { ...admin, body: { name: 'tool' } })
  await callOk(service.url, 'PUT', '/admin/subscribers/tool/subscriptions', { ...admin, body: [{ entity: '*' }] })
  const made = { ...admin, body: { rights: ['consume'] } }
  key = (await callOk<{ key: string }>(service.url, 'POST', '/admin/subscribers/tool/keys', made)).key
})

afterAll(() => service?.close())

/** Sends a request as tools without custom headers do. */
async function fetched(address: string, headers: Record<string, string> = {}): Promise<string> {
  const authorization = `Basic ${Buffer.from(`any:${key}`).toString('base64')}`
  const response = await fetch(address.replace('http://127.0.0.1:8080', service.url), {
    headers: { authorization, ...headers },
  })
  const text = await response.text()
  expect([address, response.status, text.slice(0, 200)]).toEqual([address, 200, expect.anything()])
  return text
}

/** The guide's section under a heading. */
function section(heading: string): string {
  const part = guide.split(/^## /m).find((one) => one.startsWith(heading))
  if (part === undefined) throw new Error(`the guide has no section ${heading}`)
  return part
}

function addressIn(heading: string): string {
  return /http:\/\/127\.0\.0\.1:8080\/consumer\S+/.exec(section(heading))![0]
}

test('Excel and Power BI load the rows of Web.Contents', async () => {
  const [, path, query] = /RelativePath = "([^"]*)",\s*Query = \[([^\]]*)\]/.exec(section('Excel'))!
  const parameters = [...query!.matchAll(/(\w+) = "([^"]*)"/g)].map(([, name, value]): [string, string] => [
    name!,
    value!,
  ])
  const address = `http://127.0.0.1:8080/${path}?${new URLSearchParams(parameters)}`
  const lines = (await fetched(address)).split('\r\n')
  expect(lines).toEqual([
    'D,T,V',
    '2026-01-01T08:00:00.000Z,01PHD.OSF101.PV,1.5',
    '2026-01-01T08:00:00.000Z,01PHD.OSL101.PV,0.5',
    '',
  ])
})

test('Google Sheets sends no header, so it gets a 403 where a key is needed', async () => {
  const address = /IMPORTDATA\("https:\/\/[^/]*([^"]*)"/.exec(section('Google'))![1]
  expect((await fetch(service.url + address)).status).toBe(403)
  expect(await fetched(`http://127.0.0.1:8080${address}`)).toMatch(/^D,T,V\r\n/)
})

test.each([['Home Assistant'], ['Node-RED']])('%s finds the newest value in the first item', async (heading) => {
  const items: { V: number }[] = JSON.parse(await fetched(addressIn(heading), { accept: '*/*' }))
  expect(items[0]!.V).toBe(0.5)
})

test('json_exporter finds an item for each tag', async () => {
  const items: { T: string }[] = JSON.parse(await fetched(addressIn('Prometheus'), { accept: 'application/json' }))
  expect(items.map(({ T }) => T)).toEqual(tags.toSorted())
})

interface Query {
  readonly url: string
  readonly url_options: { readonly params?: readonly { readonly key: string; readonly value: string }[] }
  readonly columns: readonly { readonly selector: string }[]
  readonly root_selector: string
}
interface InfluxDashboard {
  readonly panels: readonly { readonly targets: readonly { readonly query: string }[] }[]
  readonly templating: { readonly list: readonly { readonly query: string }[] }
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly Query[] }[]
  readonly templating: { readonly list: readonly { readonly query: { readonly infinityQuery?: Query } }[] }
}

/** Replaces variables as Grafana does. */
function filledIn(text: string): string {
  const now = Date.now()
  const values = new Map([
    ['service', 'http://127.0.0.1:8080'],
    ['entity', 'plant'],
    ['tag:csv', tags.join(',')],
    ['__interval', '5m'],
    ['__from:date:iso', new Date(now - 3_600_000).toISOString()],
    ['__to:date:iso', new Date(now + 60_000).toISOString()],
  ])
  return text.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => values.get(name) ?? `no variable ${name}`)
}

test('the Grafana dashboard data.json sends valid queries, and its columns exist', async () => {
  const { panels, templating }: Dashboard = JSON.parse(readFileSync('deploy/grafana/data.json', 'utf8'))
  const ofVariables = templating.list.flatMap(({ query }) => query.infinityQuery ?? [])
  const queries = [...ofVariables, ...panels.flatMap(({ targets }) => targets)]
  expect(queries).toHaveLength(4)
  for (const { url, url_options, columns, root_selector } of queries) {
    const parameters = (url_options.params ?? []).map((one): [string, string] => [one.key, filledIn(one.value)])
    const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`
    const answer: unknown = JSON.parse(
      await fetched(filledIn(url) + search, { accept: 'application/json;q=0.9,text/plain' }),
    )
    const rows: unknown = root_selector === '' ? answer : Reflect.get(Object(answer), root_selector)
    const first: unknown = Array.isArray(rows) ? rows[0] : null
    expect(first).not.toBeNull()
    for (const { selector } of columns) expect(first).toHaveProperty(selector)
  }
})

test('the Grafana dashboard for InfluxQL sends valid queries', async () => {
  const values = new Map([
    ['measurement', 'plant'],
    ['field', 'V'],
    ['key', 'T'],
    ['value:regex', `(${tags.map((tag) => tag.replaceAll('.', '\\.')).join('|')})`],
  ])
  const { panels, templating }: InfluxDashboard = JSON.parse(readFileSync('deploy/grafana/influxql.json', 'utf8'))
  const asked = [...templating.list.slice(1), ...panels.flatMap(({ targets }) => targets)].map(({ query }) =>
    query
      .replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => values.get(name) ?? `no variable ${name}`)
      .replace('$timeFilter', `time >= ${Date.now() - 3_600_000}ms and time <= ${Date.now()}ms`)
      .replace('$__interval', '5m'),
  )
  expect(asked).toHaveLength(6)
  for (const q of asked) {
    const { results } = JSON.parse(
      await fetched(`${service.url}/query?${new URLSearchParams({ db: 'plant', epoch: 'ms', q })}`),
    )
    expect(results).toEqual([{ statement_id: 0, series: expect.any(Array) }])
  }
})

test('the address of a chart in Grafana returns an item', async () => {
  expect(JSON.parse(await fetched(filledIn(addressIn('Grafana'))))).toHaveLength(1)
})

test.each([
  ['opcua', 'boiler1,id=ns\\=2;s\\=Boiler.Level level=1.5 1767254400000000000', 'boiler1.level'],
  ['modbus', 'pump1,name=pump1,type=holding_register speed=1.5 1767254400000000000', 'pump1.speed'],
  ['s7', 'press1 pressure=1.5 1767254400000000000', 'press1.pressure'],
])('a line that Telegraf writes for %s is stored', async (alias, line, stored) => {
  const pusher = await makeIngest(service.url, adminKey, { alias, lines: { tag: '{measurement}.{field}' } })
  const headers = { authorization: `Token ${pusher}` }
  const response = await fetch(`${service.url}/api/v2/write?org=any&bucket=${alias}`, {
    ...{ method: 'POST', headers, body: line },
  })
  expect(response.status).toBe(204)
  await expect
    .poll(() => fetched(`http://127.0.0.1:8080/consumer/data/latest?entity=${alias}&format=csv`), { timeout: 10_000 })
    .toContain(`${stored},1.5`)
})
