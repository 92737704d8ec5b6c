// SQL's functions of values over time, and buckets without rows: the guide's queries over its rows, and rows with equal dates.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { askSql } from '../support/sql-world.ts'

const guide = readFileSync('docs/guides/which-number.md', 'utf8')
const tables = [...guide.matchAll(/^```text\n([\s\S]*?)\n```$/gm)].map(([, table]) => linesOf(table!))
const queries = [...guide.matchAll(/^```sql\n([\s\S]*?)\n```\n\n```text\n([\s\S]*?)\n```$/gm)]

function linesOf(table: string): readonly (readonly string[])[] {
  return table.split('\n').map((line) => line.trim().split(/\s+/))
}

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'open', type: 'boolean', role: 'metric' },
  { name: 'count', type: 'long', role: 'metric' },
]

/** The rows to push: the first three tables of the guide. */
function pushedRows(): object[] {
  return tables
    .slice(0, 3)
    .flatMap(([header, ...lines]) =>
      lines.map(([time, tag, value]) => ({ D: time, T: tag, [header![2]!]: JSON.parse(value!) })),
    )
}

let service: RunningService
let key: string
let readerKey: string
beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  key = await makeIngest(service.url, adminKey, { alias: 'plant', fields })
  readerKey = await makeReader(service.url, adminKey, ['plant'])
  await push(pushedRows())
})
afterAll(() => service?.close())

const push = (body: object[]) => callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })

async function ask(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { status, text: body } = await askSql({ service }, readerKey, text)
  expect([status, body]).toMatchObject([200, expect.any(String)])
  return JSON.parse(body)
}

describe('the queries of the guide', () => {
  test('are found in the guide', () => expect(queries).toHaveLength(2))

  test.each(queries.map(([, query, table]) => [query!, table!]))('%s', async (query, table) => {
    const rows = await ask(query)
    const shown = (value: unknown): string => (value === null ? '_' : String(value).replace(/:00\.000Z$/, ''))
    const header = Object.keys(rows[0]!)
    expect([header, ...rows.map((row) => Object.values(row).map(shown))]).toEqual(linesOf(table))
  })
})

test('among rows with equal dates the one pushed last counts, whatever its value', async () => {
  const row = (minute: number, V: number) => ({ D: `2027-01-01T00:${10 + minute}`, T: 'twice', V })
  await push([row(0, 5), row(10, 50), row(20, 10)])
  await push([row(0, 3)])
  await push([row(10, 4), row(20, 7)])
  await push([row(0, 1)])
  // The values are 1, 4 and 7.
  const text = `SELECT TIME_WEIGHTED_AVG(V, __time) AS a, TIME_WEIGHTED_AVG(V, __time, 'step') AS b, COUNTER_RISE(V, __time) AS c,
    COUNTER_RISE(V, TIME_FLOOR(__time, 'PT20M')) AS d FROM plant WHERE T = 'twice'`
  expect(await ask(text)).toEqual([{ a: 4, b: 2.5, c: 6, d: 6 }])
})
