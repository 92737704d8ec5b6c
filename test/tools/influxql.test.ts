// The same points in Tidemark and in a real InfluxDB 1: both answer random statements, and the statements that tools send, equally.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { hasInfluxd, type Influxd, startInfluxd } from './influxd.ts'
import { differenceOf, type InfluxAnswer } from './influxql-compare.ts'
import { demoReadings, fieldsOfLines, nabReadings, type Reading, randomLines } from './influxql-points.ts'
import { grafanaStatement, randomStatement } from './influxql-queries.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? '1')
const statements = Number(process.env['TIDEMARK_INFLUXQL_STATEMENTS'] ?? '1000')

let service: RunningService
let influxd: Influxd

beforeAll(async () => {
  if (!hasInfluxd) return
  influxd = await startInfluxd()
  service = await runService({ 'access.consumption': 'public' })
  const key = await makeIngest(service.url, adminKey, { alias: 'home', fields: fieldsOfLines, duplicates: 'replace' })
  await fetch(`${influxd.url}/query?q=CREATE+DATABASE+home`, { method: 'POST' })
  const body = randomLines(seededRandom(seed))
  for (const url of [influxd.url, service.url]) {
    const written = await fetch(`${url}/write?db=home&precision=ms`, {
      method: 'POST',
      body,
      headers: { 'X-API-Key': key },
    })
    expect(written.status).toBe(204)
  }
  await untilStored('home', body.split('\n').length)
})

async function untilStored(alias: string, rows: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const ingest = await callOk(service.url, 'GET', `/admin/ingests/${alias}`, { key: adminKey })
      expect(ingest).toMatchObject({ counters: { stored: rows, rejected: 0 } })
    },
    { timeout: 60_000 },
  )
}

afterAll(async () => {
  await service?.close()
  await influxd?.stop()
})

async function ask(url: string, q: string, epoch: string | null, db = 'home'): Promise<InfluxAnswer> {
  const query = new URLSearchParams({ db, q, ...(epoch === null ? {} : { epoch }) })
  const response = await fetch(`${url}/query?${query}`)
  return response.json() as Promise<InfluxAnswer>
}

test.runIf(hasInfluxd)('random statements are answered as by InfluxDB 1', { timeout: 3_600_000 }, async () => {
  const differences: string[] = []
  for (let round = 0; round < statements; round++) {
    const statement = randomStatement(seededRandom(seed * 1_000_003 + round))
    const epoch = [null, 'ms', 'ns'][round % 3]!
    const [theirs, ours] = await Promise.all([ask(influxd.url, statement, epoch), ask(service.url, statement, epoch)])
    const difference = differenceOf(statement, theirs, ours)
    if (difference !== null) differences.push(`${round} ${statement}\n   ${difference}`)
  }
  expect(differences).toEqual([])
})

const readings: readonly (readonly [string, readonly Reading[] | null])[] = [
  ['demo', demoReadings(seed)],
  ['nab', nabReadings()],
]

test.runIf(hasInfluxd).each(readings)(
  'the statements that Grafana sends for %s are answered as by InfluxDB 1',
  { timeout: 3_600_000 },
  async (alias, points) => {
    if (points === null) return
    const key = await makeIngest(service.url, adminKey, { alias, duplicates: 'replace' })
    await fetch(`${influxd.url}/query?q=CREATE+DATABASE+${alias}`, { method: 'POST' })
    for (let begin = 0; begin < points.length; begin += 20_000) {
      const body = points.slice(begin, begin + 20_000)
      const lines = body.map(({ D, T, V }) => `${alias},T=${T} V=${V} ${D}`).join('\n')
      const written = await fetch(`${influxd.url}/write?db=${alias}&precision=ms`, { method: 'POST', body: lines })
      expect(written.status).toBe(204)
      await callOk(service.url, 'POST', `/ingests/${alias}/data`, { key, body })
    }
    await untilStored(alias, points.length)
    const differences: string[] = []
    for (let round = 0; round < statements / 4; round++) {
      const statement = grafanaStatement(seededRandom(seed * 1_000_003 + round), alias, points)
      const [theirs, ours] = await Promise.all(
        [influxd.url, service.url].map((url) => ask(url, statement, 'ms', alias)) as [
          Promise<InfluxAnswer>,
          Promise<InfluxAnswer>,
        ],
      )
      const difference = differenceOf(statement, theirs, ours)
      if (difference !== null) differences.push(`${round} ${statement}\n   ${difference}`)
    }
    expect(differences).toEqual([])
  },
)
