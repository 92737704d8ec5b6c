// Journal files with acknowledged entries are lost: a start reports it, and an operator may continue without them.
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import type { Service } from '../../src/service/start-service.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { runCommand } from '../support/run-command.ts'
import { adminKey, ServerProcess, usualEnvironment } from '../support/server-process.ts'
import { startService } from '../support/start-service.ts'

const threadUrl = new URL('../../dist/store-thread/worker-side/entry.js', import.meta.url)
const sqlEntryUrl = new URL('../../dist/sql-process/worker-side/entry.js', import.meta.url)

const rowsOfPush = 50
const pushes = 7
/** A few pushes per file, and every third push in a separate file. A stop has no time to seal. */
const settings = {
  'journal.segmentBytes': '65536',
  'journal.apartBytes': '65536',
  'store.headRows': '200',
  'server.shutdownMs': '0',
}
const environment = {
  TIDEMARK_ADMIN_KEY: adminKey,
  TIDEMARK_JOURNAL_SEGMENT_BYTES: '65536',
  TIDEMARK_JOURNAL_APART_BYTES: '65536',
  TIDEMARK_STORE_HEAD_ROWS: '200',
  TIDEMARK_SERVER_SHUTDOWN_MS: '0',
}

let root: string
let folders = 0
/** A cleanly stopped folder: some of its rows are sealed, the newest are only in the journal. */
let stopped: string
let backup: string
let key: string

const start = (data: string): Promise<Service> =>
  startService(
    loadSettings({
      flags: { port: '0', data, ...settings },
      environment: usualEnvironment,
      file: null,
    }),
    () => undefined,
    { threadUrl, sqlEntryUrl },
  )

async function push(url: string, number: number): Promise<string> {
  const tag = `${number}${'x'.repeat(number % 3 === 2 ? 1500 : 500)}`
  const rows = Array.from({ length: rowsOfPush }, (_, row) => ({ D: number * 1000 + row, T: tag, V: row }))
  const answer = await fetch(`${url}/ingests/plant/data?wait=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': `${number}` },
    body: JSON.stringify(rows),
  })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { batch: string }).batch
}

async function countRows(url: string): Promise<number> {
  return (await callOk<unknown[]>(url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })).length
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-lost-'))
  stopped = join(root, 'stopped')
  const service = await start(stopped)
  key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  for (let number = 0; number < pushes; number++) await push(service.url, number)
  backup = (await callOk<{ path: string }>(service.url, 'POST', '/admin/backups', { key: adminKey })).path
  await service.close()
})
afterAll(() => rm(root, { recursive: true }))

/** A copy of the folder without some of its journal files. */
async function without(isLost: (names: readonly string[]) => readonly string[]): Promise<string> {
  const data = join(root, `copy-${++folders}`)
  await cp(stopped, data, { recursive: true })
  const journal = join(data, 'journal')
  for (const name of isLost((await readdir(journal)).sort())) await rm(join(journal, name))
  return data
}

async function refusalOf(data: string): Promise<string> {
  return start(data).then(
    async (service) => {
      await service.close()
      return 'started'
    },
    (error: Error) => error.message,
  )
}

const newest = (names: readonly string[]): readonly string[] => names.slice(-1)

test('a folder that was stopped cleanly starts, and accept-loss finds no missing rows', async () => {
  const data = await without(() => [])
  expect(await runCommand(['accept-loss', '--data', data], {})).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^No row is missing/),
  })
  const service = await start(data)
  expect(await countRows(service.url)).toBe(pushes * rowsOfPush)
  await service.close()
})

test.each<[string, (names: readonly string[]) => readonly string[], RegExp]>([
  ['the newest file', newest, /the journal ends at position \d+, but all before position 350 was acknowledged/],
  ['all files', (names) => names, /holds no file of the journal, which reached position 350/],
])(
  '%s of the journal missing: start and verify report it, and accept-loss lets the service start',
  async (_, lost, said) => {
    const data = await without(lost)
    expect(await refusalOf(data)).toMatch(said)
    expect(await refusalOf(data)).toContain('"tidemark accept-loss --data <folder>"')
    expect(await runCommand(['verify', '--data', data], {})).toMatchObject({
      code: 1,
      output: expect.stringMatching(said),
    })
    const accepted = await runCommand(['accept-loss', '--data', data], {})
    expect(accepted).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Given up: .* from position \d+ to 350 that were not stored yet/),
    })
    const service = await start(data)
    const left = await countRows(service.url)
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(pushes * rowsOfPush)
    await service.close()
  },
)

test('after accept-loss lost pushes sent again are stored in new batches, and others are not stored twice', async () => {
  const data = await without(newest)
  expect(await runCommand(['accept-loss', '--data', data], {})).toMatchObject({ code: 0 })
  const service = await start(data)
  const batches = new Set<string>()
  for (let number = 0; number < pushes; number++) batches.add(await push(service.url, number))
  expect(batches.size).toBe(pushes)
  expect(await countRows(service.url)).toBe(pushes * rowsOfPush)
  await service.close()
  expect(await runCommand(['verify', '--data', data], {})).toMatchObject({ code: 0 })
  const again = await start(data)
  expect(await countRows(again.url)).toBe(pushes * rowsOfPush)
  // A backup includes the record of the loss.
  const { path } = await callOk<{ path: string }>(again.url, 'POST', '/admin/backups', { key: adminKey })
  await again.close()
  const restored = join(root, `restored-${++folders}`)
  expect(await runCommand(['restore', path, '--data', restored], {})).toMatchObject({ code: 0 })
  const elsewhere = await start(restored)
  expect(await countRows(elsewhere.url)).toBe(pushes * rowsOfPush)
  await elsewhere.close()
}, 120_000)

test('a folder without a recorded end of the journal starts, unless the journal is missing', async () => {
  const data = await without(() => [])
  const database = new DatabaseSync(join(data, 'catalog.sqlite'))
  database.exec('DELETE FROM journal_end')
  database.close()
  const service = await start(data)
  expect(await countRows(service.url)).toBe(pushes * rowsOfPush)
  await service.close()
  await rm(join(data, 'journal'), { recursive: true })
  expect(await refusalOf(data)).toMatch(/holds no file of the journal/)
})

test('a missing journal is detected after a kill too, by the position of the last seal', async () => {
  const data = join(root, `killed-${++folders}`)
  const server = await ServerProcess.start({ dataDirectory: data, environment })
  const before = key
  key = await makeIngest(server.url, adminKey, { alias: 'plant' })
  for (let number = 0; number < pushes; number++) await push(server.url, number)
  await server.kill()
  key = before
  const journal = join(data, 'journal')
  const names = (await readdir(journal)).sort()
  for (const name of names) await rename(join(journal, name), join(data, name))
  expect(await refusalOf(data)).toMatch(/holds no file of the journal/)
  for (const name of names) await rename(join(data, name), join(journal, name))
  const service = await start(data)
  expect(await countRows(service.url)).toBe(pushes * rowsOfPush)
  await service.close()
})

test('a backup that lacks its newest journal file is not restored', async () => {
  const part = join(root, 'part')
  await cp(backup, part, { recursive: true })
  const name = (await readdir(join(part, 'journal'))).sort().at(-1)!
  await rm(join(part, 'journal', name))
  const data = join(root, 'from-part')
  expect(await runCommand(['restore', part, '--data', data], {})).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/\.journal is missing: the backup is incomplete/),
  })
})
