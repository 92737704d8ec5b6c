// Answers that are kept, in the whole service: who has seen a row never gets an answer without it again.
import { afterEach, expect, test } from 'vitest'
import { call, callWell, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const running: RunningService[] = []

afterEach(async () => {
  for (const service of running.splice(0)) await service.close()
})

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
]

interface Plant {
  readonly service: RunningService
  readonly push: (rows: readonly object[]) => Promise<unknown>
}

async function plant(settings: Readonly<Record<string, string>> = {}): Promise<Plant> {
  const service = await runService(settings)
  running.push(service)
  return { service, push: await ingestOf(service) }
}

async function ingestOf({ url }: RunningService, alias = 'plant'): Promise<Plant['push']> {
  const key = await makeIngest(url, adminKey, { alias, entity: 'plant', fields })
  return (rows) => callWell(url, 'POST', `/ingests/${alias}/data?wait=true`, { key, text: JSON.stringify(rows) })
}

const minute = (index: number): string => `2026-01-02T00:${String(index).padStart(2, '0')}:00.000Z`
const row = (index: number) => ({ D: minute(index), T: 'a', V: index })

const questions: readonly (readonly [kind: string, body: object])[] = [
  ['select', {}],
  ['select', { start_date: '2026-01-02T00:00:00Z', end_date: '2026-01-02T23:00:00Z' }],
  ['latest', { ids: ['a'] }],
  ['last', { date: '2026-01-03T00:00:00Z' }],
  ['next', { date: '2026-01-01T00:00:00Z' }],
  ['average', { granularity: 'minute' }],
  ['average-granularity', {}],
  ['average-dimensions', { end_date: '2026-01-03T00:00:00Z' }],
  ['snap', { end_date: '2026-01-03T00:00:00Z' }],
]

function ask({ url }: RunningService, kind: string, body: object): Promise<unknown> {
  return callWell(url, 'POST', `/consumer/data/${kind}`, { body: { entity: 'plant', ...body } })
}

const askAll = (service: RunningService): Promise<readonly unknown[]> =>
  Promise.all(questions.map(([kind, body]) => ask(service, kind, body)))

/** What all of them answer of rows of one tag, a minute each, the first of them at `from`. */
function expected(from: number, to: number): readonly unknown[] {
  const rows = Array.from({ length: to - from + 1 }, (_, index) => row(from + index))
  const mean = (from + to) / 2
  return [
    rows,
    rows,
    [row(to)],
    [row(to)],
    [row(from)],
    rows,
    [{ D: minute(from), V: mean }],
    [{ D: minute(from), T: 'a', V: mean }],
    [{ ...row(to), snap: '2026-01-03T00:00:00.000Z' }],
  ]
}

async function hitsOf({ url }: RunningService): Promise<number> {
  const response = await fetch(`${url}/metrics`)
  return Number(/^tidemark_kept_answer_hits_total (\d+)$/m.exec(await response.text())?.[1])
}

test('each answer holds all rows that were told to be there', async () => {
  const { service, push } = await plant({ 'store.headRows': '8', 'store.headAgeMs': '50' })
  for (let index = 0; index < 6; index++) {
    await push([row(index)])
    for (let round = 0; round < 4; round++) expect(await askAll(service)).toEqual(expected(0, index))
  }
  if (!onCluster) expect(await hitsOf(service)).toBeGreaterThan(0)
})

test('what has left, was dropped, or is another entity of that name is not answered with', async () => {
  const { service, push } = await plant()
  await push([row(0), row(1)])
  for (let round = 0; round < 4; round++) expect(await askAll(service)).toEqual(expected(0, 1))
  await callWell(service.url, 'PATCH', '/admin/entities/plant', { key: adminKey, body: { retention: 'P1D' } })
  expect(await ask(service, 'select', {})).toEqual([])
  await callWell(service.url, 'PATCH', '/admin/entities/plant', { key: adminKey, body: { retention: null } })
  expect(await ask(service, 'select', {})).toEqual([])
  await callWell(service.url, 'DELETE', '/admin/ingests/plant?data=drop', { key: adminKey })
  const gone = await call(service.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
  expect(gone).toMatchObject({ status: 400, body: { code: 'unknown_entity' } })
  const pushAgain = await ingestOf(service, 'later')
  await pushAgain([row(5)])
  expect(await askAll(service)).toEqual(expected(5, 5))
})

test('none are kept where none are to be', async () => {
  const { service, push } = await plant({ 'limits.keptAnswerBytes': '0' })
  await push([row(0)])
  for (let round = 0; round < 4; round++) expect(await askAll(service)).toEqual(expected(0, 0))
  if (!onCluster) expect(await hitsOf(service)).toBe(0)
})
