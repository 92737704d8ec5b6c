// The rows that both engines are asked about: what people push, with nulls, edges of numbers and times, and texts of all kinds.
import { makeIngest } from '../support/api.ts'
import { newClusterName, publishRows } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const entity = 'fuzz'
const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'j', type: 'string', role: 'dimension' },
  { name: 'n', type: 'long', role: 'dimension' },
  { name: 'l', type: 'long', role: 'dimension' },
  { name: 'b', type: 'boolean', role: 'dimension' },
  { name: 'ts', type: 'timestamp', role: 'dimension' },
  { name: 'd', type: 'double', role: 'metric' },
  { name: 'V', type: 'double', role: 'metric' },
] as const

const texts = [
  ...['a', 'b', 'Hello World', '', '10', '-1.5', 'été', '\u{1f600}', ' x ', 'abc', 'A', 'x%y', "it's", '007', '1e3'],
  ...['2026-01-02', '2026-01-01T12:00:00Z', '10.1.2.3', 'aGVsbG8=', 'true', 'ß', 'a\u{1f600}b', 'a,b,,c', 'P1D'],
]
const documents = [
  '{"a":1,"b":[2,{"c":"x"}],"d":1.5}',
  '{"a":"text","d":null}',
  '[1,2,3]',
  '7',
  'no JSON',
  '{}',
  '{"a":{"k":1}}',
]
const longs = ['0', '1', '-1', '63', '2147483648', '9223372036854775807', '-9223372036854775808', '1767225600000']
const doubles = ['0', '-0.0', '1.5', '-2.5', '1e308', '5e-324', '0.1', '123456789.125', '9.3e18']
const instants = [
  '"2026-01-02T03:04:05.678Z"',
  '"1969-12-31T23:59:59.999Z"',
  '"2024-02-29T00:00:00Z"',
  '0',
  '"2026-03-29T01:30:00Z"',
]

/** No two at one time: which of them comes first is no matter of agreement. */
const startMs = Date.UTC(2026, 0, 1)
const rowCount = 60

function rows(): string {
  const at = (values: readonly string[], row: number, nulls: number): string =>
    row % nulls === nulls - 1 ? 'null' : values[row % values.length]!
  const written = Array.from({ length: rowCount }, (_, row) => {
    const values = [
      String(startMs + row * 4_567_890 + (row % 7 === 0 ? 0 : row * 13)),
      `"t${row % 5}"`,
      at(
        texts.map((text) => JSON.stringify(text)),
        row,
        11,
      ),
      at(
        documents.map((text) => JSON.stringify(text)),
        row,
        9,
      ),
      at(['1', '2', '3', '5', '8'], row * 7, 13),
      at(longs, row, 10),
      at(['true', 'false'], row, 3),
      at(instants, row, 6),
      at(['1.5', '2', '-0.5', '10.25', '3.125'], row * 3, 8),
      at(doubles, row, 7),
    ]
    return `{${fields.map(({ name }, index) => `"${name}":${values[index]}`).join(',')}}`
  })
  return `[${written.join(',')}]`
}

async function pushed(service: RunningService): Promise<void> {
  const key = await makeIngest(service.url, adminKey, { alias: entity, fields })
  const response = await fetch(`${service.url}/ingests/${entity}/data?wait=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: rows(),
  })
  const receipt = (await response.json()) as { rows: number; stored: number }
  if (receipt.stored !== rowCount) throw new Error(`not all rows are stored: ${JSON.stringify(receipt)}`)
}

export interface Asked {
  readonly status: number
  readonly text: string
}

export interface Query {
  readonly kind: 'sql' | 'native'
  readonly text: string
}

export interface BothEngines {
  embedded(query: Query): Promise<Asked>
  druid(query: Query): Promise<Asked>
  close(): Promise<void>
}

/** One machine, and a cluster whose rows Druid has published. */
export async function bothEngines(): Promise<BothEngines> {
  const clusterName = newClusterName()
  const settings = { 'limits.runningQueries': '16' }
  const embedded = await runService(settings, { engine: 'embedded' })
  const cluster = await runService(settings, { engine: 'cluster', clusterName })
  await Promise.all([pushed(embedded), pushed(cluster)])
  await publishRows(clusterName)
  return {
    embedded: (query) => ask(embedded.url, query),
    druid: (query) => ask(cluster.url, query),
    close: async () => {
      await Promise.all([embedded.close(), cluster.close()])
    },
  }
}

async function ask(url: string, { kind, text }: Query): Promise<Asked> {
  const [path, body] =
    kind === 'sql'
      ? ['/consumer/data/sql-query', JSON.stringify({ sql_query: text })]
      : ['/consumer/data/druid-native-query', text]
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` },
    body,
  })
  return { status: response.status, text: await response.text() }
}
