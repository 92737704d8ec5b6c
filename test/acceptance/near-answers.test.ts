// Questions that the main thread answers itself: who has seen a row never gets an answer without it again, whoever answers.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, callWell, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const running: RunningService[] = []

afterEach(async () => {
  for (const service of running.splice(0)) await service.close()
})

// Each question is asked anew.
const settings = { 'limits.keptAnswerBytes': '0', 'store.headRows': '40', 'store.headAgeMs': '50' }

interface Plant {
  readonly service: RunningService
  readonly push: (rows: readonly object[]) => Promise<unknown>
}

async function plant(
  changed: Readonly<Record<string, string>> = {},
  parts: Parameters<typeof runService>[1] & { readonly duplicates?: string } = {},
): Promise<Plant> {
  const { duplicates = 'keep', ...overrides } = parts
  const service = await runService({ ...settings, ...changed }, overrides)
  running.push(service)
  return { service, push: await ingestOf(service, { duplicates }) }
}

async function ingestOf({ url }: RunningService, options: object, alias = 'plant'): Promise<Plant['push']> {
  const key = await makeIngest(url, adminKey, { alias, entity: 'plant', ...options })
  return (rows) => callWell(url, 'POST', `/ingests/${alias}/data?wait=true`, { key, text: JSON.stringify(rows) })
}

const minute = (index: number): string => new Date(Date.UTC(2026, 0, 2) + index * 60_000).toISOString()
const row = (index: number, tag = 'a') => ({ D: minute(index), T: tag, V: index })

const ends = { start_date: '2026-01-01T00:00:00Z', end_date: '2026-01-09T00:00:00Z' }
const questions: readonly (readonly [kind: string, body: object])[] = [
  ['latest', {}],
  ['last', { date: '2026-01-08T00:00:00Z' }],
  ['next', { date: '2026-01-01T00:00:00Z' }],
  ['average', { ...ends, granularity: 'minute' }],
  ['average-dimensions', { ...ends, granularity: 'year' }],
  ['snap', { end_date: '2026-01-09T00:00:00Z' }],
]

/** One after the other: who asks alone is answered without the store's thread. */
async function askAll({ url }: RunningService): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const [kind, body] of questions) {
    answers.push(
      await callWell(url, 'POST', `/consumer/data/${kind}`, { body: { entity: 'plant', ids: ['a'], ...body } }),
    )
  }
  return answers
}

/** What all of them answer of rows of one tag, a minute each. */
function expected(from: number, to: number): readonly unknown[] {
  const rows = Array.from({ length: to - from + 1 }, (_, index) => row(from + index))
  return [
    [row(to)],
    [row(to)],
    [row(from)],
    rows,
    [{ D: '2026-01-01T00:00:00.000Z', T: 'a', V: (from + to) / 2 }],
    [{ ...row(to), snap: '2026-01-09T00:00:00.000Z' }],
  ]
}

async function nearAnswers({ url }: RunningService): Promise<number> {
  const response = await fetch(`${url}/metrics`)
  return Number(/^tidemark_near_answers_total (\d+)$/m.exec(await response.text())?.[1] ?? Number.NaN)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('each answer holds all rows that were told to be there, while rows come, are sealed and merged', async () => {
  const { service, push } = await plant()
  for (let index = 0; index < 60; index++) {
    await push([row(index), row(index, 'b')])
    expect(await askAll(service)).toEqual(expected(0, index))
    if (index % 20 === 0) await pause(80)
  }
  if (!onCluster) expect(await nearAnswers(service)).toBeGreaterThan(180)
})

test('late rows, and those of other days, are in the next answer', async () => {
  const { service, push } = await plant()
  await push([row(40), row(41)])
  await askAll(service)
  for (let index = 39; index >= 0; index--) {
    await push([row(index), { ...row(index, 'b'), D: minute(index + 86_400) }])
    expect(await askAll(service)).toEqual(expected(index, 41))
  }
})

test('what has no room in memory is answered by the thread', async () => {
  const { service, push } = await plant({
    'query.mirrorBytes': '1000',
    'store.headAgeMs': '60000',
    'store.headRows': '4000',
  })
  for (let index = 0; index < 200; index++) await push([row(index)])
  expect(await askAll(service)).toEqual(expected(0, 199))
  expect(await askAll(service)).toEqual(expected(0, 199))
})

test('where there is no memory for it, the main thread answers nothing', async () => {
  const { service, push } = await plant({ 'query.mirrorBytes': '0' })
  await push([row(0)])
  for (let round = 0; round < 3; round++) expect(await askAll(service)).toEqual(expected(0, 0))
  if (!onCluster) expect(await nearAnswers(service)).toBe(0)
})

test('rows that replace others are answered by the thread', async () => {
  const { service, push } = await plant({}, { duplicates: 'replace' })
  await push([row(0)])
  for (let value = 1; value < 10; value++) {
    await push([{ ...row(0), V: value }])
    expect((await askAll(service))[0]).toEqual([{ ...row(0), V: value }])
  }
  if (!onCluster) expect(await nearAnswers(service)).toBe(0)
})

test('what was dropped, and is another entity of that name, is not answered with', async () => {
  const { service, push } = await plant()
  await push([row(0), row(1)])
  for (let round = 0; round < 3; round++) expect(await askAll(service)).toEqual(expected(0, 1))
  await callWell(service.url, 'DELETE', '/admin/ingests/plant?data=drop', { key: adminKey })
  const gone = await call(service.url, 'POST', '/consumer/data/latest', { body: { entity: 'plant', ids: ['a'] } })
  expect(gone.status).toBe(400)
  const pushAgain = await ingestOf(service, {}, 'again')
  await pushAgain([row(5)])
  for (let round = 0; round < 3; round++) expect(await askAll(service)).toEqual(expected(5, 5))
})

test.skipIf(onCluster)('a thread that dies takes the mirror with it, and the next one makes it anew', async () => {
  const threadUrl = new URL('../crash/planted/dies-on-file-thread.mjs', import.meta.url)
  const { service, push } = await plant({ 'store.headRows': '1000', 'store.headAgeMs': '60000' }, { threadUrl })
  for (let death = 0; death < 3; death++) {
    await push([row(death)])
    for (let round = 0; round < 3; round++) expect(await askAll(service)).toEqual(expected(0, death))
    const before = await nearAnswers(service)
    expect(before).toBeGreaterThan(0)
    await writeFile(join(service.dataDirectory, 'die'), '')
    const latest = { body: { entity: 'plant', ids: ['a'] } }
    while ((await call(service.url, 'POST', '/consumer/data/latest', latest)).status === 200) await pause(1)
    while ((await call(service.url, 'POST', '/consumer/data/latest', latest)).status === 503) await pause(5)
    for (let round = 0; round < 3; round++) expect(await askAll(service)).toEqual(expected(0, death))
    expect(await nearAnswers(service)).toBeGreaterThan(before)
  }
})
