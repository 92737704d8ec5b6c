// The same points in Tidemark and in a real InfluxDB 1: random statements of the grammar, and what tools send, get the same answer from both.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callWell, makeIngest } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { hasInfluxd, type Influxd, startInfluxd } from './influxd.ts'
import { differenceOf, type InfluxAnswer } from './influxql-compare.ts'
import { fieldsOfLines, randomLines } from './influxql-points.ts'
import { randomStatement } from './influxql-queries.ts'

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
  const rows = body.split('\n').length
  await vi.waitFor(
    async () => {
      const ingest = await callWell(service.url, 'GET', '/admin/ingests/home', { key: adminKey })
      expect(ingest).toMatchObject({ counters: { stored: rows, rejected: 0 } })
    },
    { timeout: 60_000 },
  )
})

afterAll(async () => {
  await service?.close()
  await influxd?.stop()
})

async function ask(url: string, q: string, epoch: string | null): Promise<InfluxAnswer> {
  const query = new URLSearchParams({ db: 'home', q, ...(epoch === null ? {} : { epoch }) })
  const response = await fetch(`${url}/query?${query}`)
  return response.json() as Promise<InfluxAnswer>
}

test.runIf(hasInfluxd)('random statements', { timeout: 3_600_000 }, async () => {
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
