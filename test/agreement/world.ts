// The rows that both engines query: typical values, with nulls, edges of numbers and times, and texts of all kinds.
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
  // Constant in all rows of a tag.
  { name: 'c', type: 'string', role: 'dimension' },
  { name: 'm', type: 'long', role: 'dimension' },
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

const tags = 5
const ofTags = [
  ['"a"', '3'],
  ['"B"', '-1'],
  ['null', '0'],
  ['""', 'null'],
  ['"été"', '9007199254740993'],
] as const

const startMs = Date.UTC(2026, 0, 1)
const hourMs = 3_600_000
const rowCount = 100
/** The first rows are spread over days. The others fill hours: the first of a day, one in its middle and its last. */
const spreadRows = 60
const filledHours = [10, 24, 71]

/** All times are distinct, because the order of rows with equal times is undefined. */
function timeOf(row: number): number {
  if (row < spreadRows) return startMs + row * 4_567_890 + (row % 7 === 0 ? 0 : row * 13)
  const [hour, place] = [(row - spreadRows) % filledHours.length, Math.floor((row - spreadRows) / filledHours.length)]
  const isLast = row + filledHours.length >= rowCount
  return startMs + filledHours[hour]! * hourMs + (isLast ? hourMs - 1 : place * 240_000)
}

/** The rows of each push. On one machine some are sealed into files, and the last ones stay in memory. */
const pushes = [30, 60, 85, rowCount].map((end, place, ends) => ({ start: ends[place - 1] ?? 0, end }))
const oneMachine = { 'store.headRows': '30', 'store.dayRowsMin': '10' }

function rows({ start, end }: { readonly start: number; readonly end: number }): string {
  const at = (values: readonly string[], row: number, nulls: number): string =>
    row % nulls === nulls - 1 ? 'null' : values[row % values.length]!
  const written = Array.from({ length: end - start }, (_, place) => {
    const row = start + place
    const values = [
      String(timeOf(row)),
      `"t${row % tags}"`,
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
      ...ofTags[row % tags]!,
    ]
    return `{${fields.map(({ name }, index) => `"${name}":${values[index]}`).join(',')}}`
  })
  return `[${written.join(',')}]`
}

async function pushed(service: RunningService): Promise<void> {
  const key = await makeIngest(service.url, adminKey, { alias: entity, fields })
  for (const push of pushes) {
    const response = await fetch(`${service.url}/ingests/${entity}/data?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: rows(push),
    })
    const receipt = (await response.json()) as { rows: number; stored: number }
    if (receipt.stored !== push.end - push.start) throw new Error(`not all rows are stored: ${JSON.stringify(receipt)}`)
  }
}

export interface Asked {
  readonly status: number
  readonly text: string
  /** Whether the store answered without the SQL engine. */
  readonly byStore?: boolean
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

/** One machine, and a cluster on which Druid has published the rows. */
export async function bothEngines(): Promise<BothEngines> {
  const clusterName = newClusterName()
  const settings = { 'limits.runningQueries': '16' }
  const embedded = await runService({ ...settings, ...oneMachine }, { engine: 'embedded' })
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
  const byStore = response.headers.get('tidemark-answered-by') === 'store'
  return { status: response.status, text: await response.text(), byStore }
}
