// Rows at rest give the same query results as rows in memory: after seals, merges and restarts, and in a backup restored elsewhere.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreBackup } from '../../src/admin/restore.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { runCommand } from '../support/run-command.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

/** Bounds so tight that a few hundred rows are sealed several times, and files are merged. */
const settings = {
  'store.headRows': '100',
  'store.headAgeMs': '50',
  'store.dayRowsMin': '40',
  'store.pageRows': '32',
  'store.retryDelayMs': '20',
  'journal.segmentBytes': '65536',
}

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'S', type: 'string', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'N', type: 'long', role: 'metric' },
]

let service: RunningService
let key: string
/** Receives the same rows and keeps them in memory. */
let reference: RunningService
let referenceKey: string
beforeAll(async () => {
  service = await runService(settings)
  key = await makeIngest(service.url, adminKey, { alias: 'plant', fields })
  reference = await runService()
  referenceKey = await makeIngest(reference.url, adminKey, { alias: 'plant', fields })
})
afterAll(async () => {
  await service?.close()
  await reference?.close()
})

interface StoreState {
  readonly sealedPosition: number
  readonly files: number
  readonly rows: number
}

const stateOf = async (url: string): Promise<StoreState> =>
  (await callOk<{ store: StoreState }>(url, 'GET', '/readyz', { key: adminKey })).store

/** Waits for background work; a test that waits in vain fails by its time limit. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Pushes rows over three days and some tags, a few of them invalid, in small bodies. */
async function push(from: number, rows: number): Promise<void> {
  for (let first = from; first < from + rows; first += 50) {
    const body = Array.from({ length: 50 }, (_, index) => {
      const value = first + index
      const day = value % 3
      const date = new Date(Date.UTC(2026, 0, 1 + day) + (value % 977) * 60_000).toISOString()
      const good = {
        D: date,
        T: `tag-${value % 7}`,
        S: value % 5 === 0 ? null : `state ${value % 4}`,
        V: value / 4,
        N: value,
      }
      return value % 25 === 24 ? { ...good, V: 'bad' } : good
    })
    await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
    await callOk(reference.url, 'POST', '/ingests/plant/data?wait=true', { key: referenceKey, body })
  }
}

const questions: readonly (readonly [path: string, body: object])[] = [
  ['select', { fields: ['S'] }],
  ['select', { ids: ['tag-3'], start_date: '2026-01-02T00:00', end_date: '2026-01-02T06:00' }],
  ['average', { granularity: 'hour' }],
  ['average', { granularity: 'all', ids: ['tag-1', 'tag-2'] }],
  ['average-granularity', { granularity: 'day' }],
  ['latest', {}],
  ['last', { date: '2026-01-02T12:00', offset: 1 }],
  ['next', { date: '2026-01-02T12:00' }],
  ['snap', { start_date: '2026-01-01T00:00', end_date: '2026-01-03T00:00', granularity: 'six_hour' }],
]

async function answers(url: string): Promise<unknown[]> {
  const given: unknown[] = []
  for (const [path, body] of questions) {
    given.push(await callOk(url, 'POST', `/consumer/data/${path}`, { body: { entity: 'plant', ...body } }))
  }
  given.push(await callOk(url, 'GET', '/consumer/data/entities'))
  const { counters } = await callOk<{ counters: object }>(url, 'GET', '/admin/ingests/plant', { key: adminKey })
  return [...given, counters]
}

const journalFiles = async (): Promise<string[]> => readdir(join(service.dataDirectory, 'journal'))

test('rows are sealed, small files merged and the journal trimmed; a restart answers the same', async () => {
  await push(0, 1000)
  await until(async () => (await stateOf(service.url)).sealedPosition === 1000)
  const before = await answers(service.url)
  expect(before).toEqual(await answers(reference.url))
  expect((before[0] as unknown[]).length).toBe(960)
  expect(before.at(-1)).toEqual({ received: 1000, stored: 960, rejected: 40, pending: 0 })
  await until(async () => (await journalFiles()).every((name) => name >= '00000000000000001000'))
  service = await service.restart()
  expect(await stateOf(service.url)).toMatchObject({ sealedPosition: 1000, rows: 960 })
  expect(await answers(service.url)).toEqual(before)
  await push(1000, 50)
  const after = await answers(service.url)
  expect(after).toEqual(await answers(reference.url))
  expect(after.at(-1)).toEqual({ received: 1050, stored: 1008, rejected: 42, pending: 0 })
})

test('a restored backup answers as the service did, and accepts new rows', async () => {
  await push(1050, 100)
  const before = await answers(service.url)
  const environment = { TIDEMARK_URL: service.url, TIDEMARK_KEY: adminKey }
  const { output } = await runCommand(['backup', '--json'], environment)
  const made = JSON.parse(output) as { path: string; bytes: number }
  expect(made.path.startsWith(join(service.dataDirectory, 'backups', 'tidemark-'))).toBe(true)
  const data = `${service.dataDirectory}-restored`
  expect(await runCommand(['restore', made.path, '--data', data], {})).toMatchObject({ code: 0, errors: '' })
  expect(await runCommand(['restore', made.path, '--data', data], {})).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is not empty'),
  })
  expect(await runCommand(['verify', '--data', data], {})).toMatchObject({ code: 0, errors: '' })
  const restored = await runService(settings, { dataDirectory: data })
  try {
    expect(await answers(restored.url)).toEqual(before)
    const body = [{ D: '2026-02-01T00:00:00Z', T: 'tag-9', S: null, V: 1, N: 1 }]
    expect(await callOk(restored.url, 'POST', '/ingests/plant/data?wait=true', { key, body })).toMatchObject({
      stored: 1,
    })
  } finally {
    await restored.close()
    await rm(data, { recursive: true, force: true })
  }
})

test('restoring a damaged backup names the file and leaves no folder', async () => {
  const { path } = await callOk<{ path: string }>(service.url, 'POST', '/admin/backups', { key: adminKey })
  const data = `${service.dataDirectory}-refused`
  const names = (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  for (const entry of names) {
    const file = join(entry.parentPath ?? entry.path, entry.name)
    const bytes = await readFile(file)
    const changed = Buffer.from(bytes)
    changed[changed.length >> 1]! ^= 1
    // A linked file is the service's own, so it is restored immediately.
    await writeFile(file, changed)
    const refused = restoreBackup({ backup: path, data }, { disk: nodeDisk, reach: () => undefined })
    await expect(refused).rejects.toThrow(entry.name)
    await writeFile(file, bytes)
    await expect(readdir(data)).rejects.toThrow('ENOENT')
    await expect(readdir(`${data}.restoring`)).rejects.toThrow('ENOENT')
  }
})

test('the journal is trimmed after a few large metadata items', async () => {
  const items = await runService({ 'store.unsealedBytes': '100000', 'journal.segmentBytes': '65536' })
  try {
    const description = [
      { name: 'id', type: 'string', role: 'index' },
      { name: 'text', type: 'string', role: 'attribute' },
    ]
    const itemKey = await makeIngest(items.url, adminKey, { alias: 'notes', kind: 'metadata', fields: description })
    for (let number = 0; number < 30; number++) {
      const body = [{ id: `note ${number}`, text: 'x'.repeat(20_000) }]
      await callOk(items.url, 'POST', '/ingests/notes/data?wait=true', { key: itemKey, body })
    }
    await until(async () => (await stateOf(items.url)).sealedPosition >= 25)
    // Counts files, not their bytes: a listed file may be gone before its size is read.
    const segments = () => readdir(join(items.dataDirectory, 'journal'))
    await until(async () => (await segments()).length < 5)
    expect((await stateOf(items.url)).rows).toBe(0)
  } finally {
    await items.close()
  }
})

test('only one backup runs at a time', async () => {
  const ask = () => call<{ code?: string }>(service.url, 'POST', '/admin/backups', { key: adminKey })
  const outcomes = await Promise.all([ask(), ask()])
  expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 503])
  expect((await readdir(join(service.dataDirectory, 'backups'))).filter((name) => name.startsWith('.'))).toEqual([])
})
