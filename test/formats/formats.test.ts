// A second reader of all files on disk, written in another language from the pages of docs/formats alone, finds the pushed data.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const python = ['python3', 'python'].find((name) => spawnSync(name, ['-c', 'import sqlite3']).status === 0)
if (python === undefined && process.env['CI'] === 'true') throw new Error('CI reads the formats with Python 3')

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'U', type: 'string', role: 'tag' },
  { name: 'S', type: 'string', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'N', type: 'long', role: 'metric' },
  { name: 'B', type: 'boolean', role: 'metric' },
  { name: 'W', type: 'timestamp', role: 'dimension' },
  { name: 'E', type: 'double', role: 'metric' },
  { name: 'P', type: 'double', role: 'metric' },
]

interface Row {
  readonly D: string
  readonly T: string
  readonly U: string
  readonly S: string | null
  readonly V: number | null
  readonly N: number | null
  readonly B: boolean | null
  readonly W: string
  readonly P: number | null
}

const startMs = Date.UTC(2026, 0, 1)
/** Dense enough for hourly sums, over two days; one series in seven is too sparse for them. */
const rowAt = (number: number): Row => ({
  D: new Date(startMs + number * 3_000 + (number < 2000 ? 0 : 86_400_000)).toISOString(),
  T: number % 50 === 0 ? 'rare' : `tag ${number % 3}`,
  U: number % 2 === 0 ? 'ä' : '\u{1F600}',
  S: number % 5 === 0 ? null : `state ${number % 4}`,
  V: number % 7 === 0 ? null : number / 3,
  N: number % 11 === 0 ? null : number * 1_000_003 - 5_000_000,
  B: number % 13 === 0 ? null : number % 2 === 0,
  W: new Date(startMs - number * 1_000).toISOString(),
  /** Decimals, with few digits in the first file. */
  P: number % 17 === 0 ? null : (number < 1500 ? number % 40 : number) / (number < 1500 ? 10 : 100),
})
/** A row as stored in Parquet files. */
const storedRow = ({ D, W, ...others }: Row) => ({ ...others, W: Date.parse(W), E: null, __time: Date.parse(D) })

/** The first push is sealed, so only the second one is in the journal when the service stops. */
const settings = {
  'store.headRows': '2000',
  'store.dayRowsMin': '500',
  'store.pageRows': '128',
  'journal.segmentBytes': '65536',
}
const sealedRows = Array.from({ length: 3000 }, (_, number) => rowAt(number))
const journalRows = [rowAt(5000), { ...rowAt(5001), V: 'bad' }]
const items = [
  { id: 'boiler', area: 'north', weight: 1.5, made: '2026-01-01T00:00:00.000Z', more: { a: [1, 'ü'] } },
  { id: 'pump', area: 'south' },
]

interface Entry {
  readonly kind: string
  readonly body: string | null
  readonly replayed: readonly { readonly text: string; readonly longs: readonly string[] }[]
}

interface Found {
  readonly journal: { readonly entries: readonly Entry[] }
  readonly store: Readonly<Record<string, readonly object[]>>
  readonly sections: readonly number[]
  readonly items: readonly { readonly key: string; readonly attributes: object }[]
  readonly itemKeys: readonly string[]
  readonly batches: readonly { readonly rows: number; readonly ingest: number; readonly subscriber: number }[]
  readonly keys: readonly ({ readonly rows: number } | null)[]
  readonly tokens: readonly string[]
  readonly backupPosition?: number
}

function readWith(folder: string, asked: object): Found {
  const script = join(import.meta.dirname, 'read_data_folder.py')
  const output = execFileSync(python!, ['-B', script, folder, JSON.stringify(asked)], { encoding: 'utf8' })
  return JSON.parse(output) as Found
}

let service: RunningService
let batch: string
let token: string
let backup: string
beforeAll(async () => {
  service = await runService(settings)
  const key = await makeIngest(service.url, adminKey, { alias: 'plant', fields })
  const attributes = [
    { name: 'id', type: 'string', role: 'index' },
    { name: 'area', type: 'string', role: 'attribute' },
    { name: 'weight', type: 'double', role: 'attribute' },
    { name: 'made', type: 'timestamp', role: 'attribute' },
    { name: 'more', type: 'json', role: 'attribute' },
  ]
  const itemsKey = await makeIngest(service.url, adminKey, { alias: 'tags', kind: 'metadata', fields: attributes })
  await callOk(service.url, 'POST', '/ingests/tags/data?wait=true', { key: itemsKey, body: items })
  await pushOnce(key, 'the first push', sealedRows)
  while (await hasUnsealed()) await new Promise((resolve) => setTimeout(resolve, 10))
  const pushed = await callOk<{ batch: string }>(service.url, 'POST', '/ingests/plant/data?wait=true', {
    key,
    body: journalRows,
  })
  batch = pushed.batch
  await callOk(service.url, 'POST', '/admin/ingests/plant/rejected/replay', { key: adminKey, body: {} })
  await replayLine()
  const page = await callOk<{ NextToken: string }>(service.url, 'GET', '/admin/ingests?limit=1', { key: adminKey })
  token = page.NextToken
  backup = (await callOk<{ path: string }>(service.url, 'POST', '/admin/backups', { key: adminKey })).path
})
afterAll(() => service?.close())

async function pushOnce(key: string, idempotencyKey: string, body: object): Promise<void> {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${key}`,
    'Idempotency-Key': idempotencyKey,
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${service.url}/ingests/plant/data?wait=true`, request)
  expect(answer.status).toBe(200)
}

async function replayLine(): Promise<void> {
  const key = await makeIngest(service.url, adminKey, { alias: 'lined' })
  const request = { method: 'POST', headers: { authorization: `Token ${key}` }, body: 'm,T=é n=2i,x=1 5' }
  expect((await fetch(`${service.url}/write?db=lined&precision=ms`, request)).status).toBe(204)
  await callOk(service.url, 'PATCH', '/admin/ingests/lined', { key: adminKey, body: { unknown: 'add' } })
  const path = '/admin/ingests/lined/rejected/replay'
  for (let stored = 0; stored === 0; )
    ({ stored } = await callOk<{ stored: number }>(service.url, 'POST', path, { key: adminKey, body: {} }))
}

async function hasUnsealed(): Promise<boolean> {
  const { store } = await callOk<{ store: { rows: number } }>(service.url, 'GET', '/readyz', { key: adminKey })
  return store.rows < sealedRows.length
}

const asked = () => ({
  batches: [batch],
  tokens: [{ token, scope: ['/admin/ingests'] }],
  itemKeys: [
    ['aé', 'string'],
    [-1, 'long'],
    [-0.5, 'double'],
    [0, 'double'],
    [0.5, 'double'],
  ],
})

test.skipIf(python === undefined)('a reader made from the pages finds in a backup what was pushed', () => {
  const found = readWith(backup, asked())
  expect(found.store).toEqual({ 1: sealedRows.map(storedRow) })
  expect(found.sections).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
  const [pushed, replay] = found.journal.entries
  expect(JSON.parse(pushed.body!)).toEqual(journalRows)
  expect(replay).toMatchObject({ kind: 'replay', replayed: [{ text: JSON.stringify(journalRows[1]) }] })
  const line = { text: '{"measurement":"m","T":"é","n":2,"x":1,"D":5}', longs: ['n'] }
  expect(found.journal.entries.findLast(({ kind }) => kind === 'replay')).toMatchObject({ replayed: [line] })
  expect(found.items).toEqual([
    { key: Buffer.from('boiler').toString('hex'), attributes: { ...items[0], id: undefined } },
    { key: Buffer.from('pump').toString('hex'), attributes: { area: 'south' } },
  ])
  expect(found.batches).toMatchObject([{ rows: 2 }])
  const { ingest, subscriber } = found.batches[0]
  const keys = ['the first push', 'another'].map((key) => [subscriber, ingest, key])
  expect(readWith(backup, { keys }).keys).toMatchObject([{ rows: sealedRows.length }, null])
  expect(found.tokens).toEqual(['lined'])
  expect(found.itemKeys).toEqual([
    '61c3a9',
    '7fffffffffffffff',
    '401fffffffffffff',
    '8000000000000000',
    'bfe0000000000000',
  ])
  expect(found.backupPosition).toBeGreaterThan(sealedRows.length)
})

test.skipIf(python === undefined)('and in the data folder, which holds nothing that its page does not name', () => {
  const dataFolderPage = readFileSync('docs/formats/data-folder.md', 'utf8')
  const found = readWith(service.dataDirectory, { ...asked(), dataFolderPage })
  expect(found.store).toEqual({ 1: sealedRows.map(storedRow) })
})

test.skipIf(python === undefined)('a clean close leaves the mark that vouches for the journal', async () => {
  service = await service.restart()
  expect(readWith(service.dataDirectory, {}).journal.entries.at(-1)).toMatchObject({ kind: 'mark' })
})
