// One byte changed anywhere in a data folder: `tidemark verify` names the file, and the service returns an error, never a wrong result.

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import type { Finding } from '../../src/lib/finding.ts'
import type { ServiceEvent } from '../../src/observe/event.ts'
import type { Service } from '../../src/service/start-service.ts'
import { verifyData } from '../../src/service/verify-data.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { runCommand } from '../support/run-command.ts'
import { adminKey, usualEnvironment } from '../support/server-process.ts'
import { startService } from '../support/start-service.ts'

const threadUrl = new URL('../../dist/store-thread/worker-side/entry.js', import.meta.url)
const sqlEntryUrl = new URL('../../dist/sql-process/worker-side/entry.js', import.meta.url)
const sealing = { 'store.headAgeMs': '20', 'store.pageRows': '32' }
const question = { entity: 'plant', granularity: 'PT1M' }
const rows = Array.from({ length: 250 }, (_, value) => ({
  D: new Date(Date.UTC(2026, 0, 1) + value * 60_000).toISOString(),
  T: `tag-${value % 3}`,
  V: value / 8,
}))

const root = await mkdtemp(join(tmpdir(), 'tidemark-damage-'))
const whole = join(root, 'whole')
let answer: unknown
let sqlAnswer: unknown
let nativeAnswer: unknown
let folders = 0
afterAll(() => rm(root, { recursive: true, force: true }))

/** A stop has no time to seal, so the content of the journal stays there. */
const settingsOf = (data: string, settings: Readonly<Record<string, string>> = {}) =>
  loadSettings({
    flags: { port: '0', data, 'server.shutdownMs': '0', ...settings },
    environment: usualEnvironment,
    file: null,
  })

function start(
  data: string,
  settings: Readonly<Record<string, string>> = {},
  observe: (event: ServiceEvent) => void = () => undefined,
): Promise<Service> {
  return startService(settingsOf(data, settings), observe, { threadUrl, sqlEntryUrl })
}

const ask = (url: string) => call(url, 'POST', '/consumer/data/average', { body: question })

const askSql = (url: string) => {
  const sql_query = 'SELECT T, COUNT(*) AS n, SUM(V) AS s, MAX(__time) AS e FROM plant GROUP BY T ORDER BY T'
  return call(url, 'POST', '/consumer/data/sql-query', { body: { sql_query } })
}

const askNative = (url: string) => {
  const sum = { type: 'doubleSum', name: 'sum', fieldName: 'V' }
  const whole = { dataSource: 'plant', intervals: ['2000/2100'], granularity: 'hour', aggregations: [sum] }
  const query_data = { ...whole, dimensions: ['T'], queryType: 'groupBy' }
  return call(url, 'POST', '/consumer/data/druid-native-query', { body: { query_type: 'groupBy', query_data } })
}

async function findingsOf(data: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of verifyData(settingsOf(data))) findings.push(finding)
  return findings
}

/** 230 rows in a file, 20 in the journal. */
beforeAll(async () => {
  const sealed = await start(whole, sealing)
  const key = await makeIngest(sealed.url, adminKey, { alias: 'plant' })
  const push = (url: string, from: number, to: number): Promise<unknown> =>
    callOk(url, 'POST', '/ingests/plant/data?wait=true', { key, body: rows.slice(from, to) })
  await push(sealed.url, 0, 230)
  const sealedRows = async (): Promise<number> =>
    (await callOk<{ store: { rows: number } }>(sealed.url, 'GET', '/readyz', { key: adminKey })).store.rows
  while ((await sealedRows()) < 230) await new Promise((resolve) => setTimeout(resolve, 10))
  await sealed.close()
  const service = await start(whole)
  await push(service.url, 230, 250)
  answer = (await ask(service.url)).body
  sqlAnswer = (await askSql(service.url)).body
  nativeAnswer = (await askNative(service.url)).body
  await service.close()
  // Moves the whole catalog into its main file, so that one byte of it can be changed.
  const database = new DatabaseSync(join(whole, 'catalog.sqlite'))
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
})

/** A copy of the whole folder with the named file changed. */
async function damaged(path: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const data = join(root, `damaged-${++folders}`)
  // SQLite removes its log, which is empty, when the last statement of a closed service is garbage-collected, possibly in the middle of a copy.
  await cp(whole, data, { recursive: true, filter: (source) => !/-(wal|shm)$/.test(source) })
  await writeFile(join(data, path), change(await readFile(join(whole, path))))
  return data
}

const flipped =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    bytes[at] = bytes[at]! ^ 0x10
    return bytes
  }

async function pathOf(folder: string, ending: string): Promise<string> {
  const name = (await readdir(join(whole, folder))).find((one) => one.endsWith(ending))
  if (name === undefined) throw new Error(`there is no ${ending} in ${folder}`)
  return join(folder, name)
}

describe('verify', () => {
  test('finds no damage in an intact folder, changes nothing, and lists its parts', async () => {
    const before = await readdir(whole, { recursive: true })
    const { code, output } = await runCommand(['verify', '--data', whole], {})
    expect(code).toBe(0)
    expect(output.split('\n').map((line) => line.replace(/mixed-\w+/, '*'))).toEqual([
      'ok       catalog.sqlite: 1 files are stored, with all rows before position 230',
      'ok       journal: 1 pushes in 1 files, up to position 250; 0 idempotency keys',
      'ok       store/1/series.log: 3 series',
      'ok       store/1/*: 230 rows',
      '',
    ])
    expect((await readdir(whole, { recursive: true })).filter((name) => !before.includes(name))).toEqual([])
  })

  test.each<[string, () => Promise<string>, (bytes: Buffer) => Buffer, RegExp]>([
    ['a page of a Parquet file', () => pathOf('store/1', '.parquet'), flipped(60), /\.parquet/],
    [
      'the footer of a Parquet file',
      () => pathOf('store/1', '.parquet'),
      (bytes) => flipped(bytes.length - 20)(bytes),
      /\.parquet/,
    ],
    ['a truncated Parquet file', () => pathOf('store/1', '.parquet'), (bytes) => bytes.subarray(0, 100), /\.parquet/],
    ['the head of an index', () => pathOf('store/1', '.index'), flipped(40), /\.index/],
    [
      'a section of an index',
      () => pathOf('store/1', '.index'),
      (bytes) => flipped(bytes.length - 40)(bytes),
      /\.index/,
    ],
    ['the series log', () => pathOf('store/1', '.log'), flipped(50), /series\.log, offset 24/],
    ['the journal', () => pathOf('journal', '.journal'), flipped(200), /0230\.journal, offset 96/],
    ['the catalog', async () => 'catalog.sqlite', (bytes) => bytes.fill(7, 4096, 4200), /catalog\.sqlite/],
  ])('names the damaged file: %s', async (_name, path, change, named) => {
    const data = await damaged(await path(), change)
    const { code, output, errors } = await runCommand(['verify', '--data', data], {})
    expect(code).toBe(1)
    expect(
      output
        .split('\n')
        .filter((line) => line.startsWith('DAMAGED'))
        .join('\n'),
    ).toMatch(named)
    expect(errors).toContain('Restore a backup.')
  })

  test.each(['rows = 229', 'last_position = 300', "kind = 'day'"])('detects a manifest with %s', async (change) => {
    const data = await damaged('owner.lock', (bytes) => bytes)
    const database = new DatabaseSync(join(data, 'catalog.sqlite'))
    database.exec(`update store_files set ${change}`)
    database.close()
    const [catalog] = await findingsOf(data)
    expect(catalog).toMatchObject({ isDamaged: true, found: expect.stringContaining('its table store_files') })
    await expect(start(data)).rejects.toThrow('catalog.sqlite is damaged')
  })

  test('detects a catalog that is older than the journal; a start is refused and deletes nothing', async () => {
    const data = await damaged('owner.lock', (bytes) => bytes)
    const database = new DatabaseSync(join(data, 'catalog.sqlite'))
    database.exec('delete from store_files; delete from store_state')
    database.close()
    const before = await readdir(join(data, 'store/1'))
    await expect(start(data)).rejects.toThrow(
      'the journal begins at position 230, but the catalog knows of rows in files up to 0',
    )
    expect(await readdir(join(data, 'store/1'))).toEqual(before)
    expect(await findingsOf(data)).toContainEqual({
      part: 'journal',
      isDamaged: true,
      found: expect.stringContaining('the journal begins at position 230'),
    })
  })

  test('detects a catalog that lacks an ingest of the journal; a start is refused with the remedy', async () => {
    const data = await damaged('owner.lock', (bytes) => bytes)
    const database = new DatabaseSync(join(data, 'catalog.sqlite'))
    database.exec('PRAGMA foreign_keys = OFF; delete from ingest_fields; delete from ingests')
    database.close()
    const said = /the journal names ingest 1, version 1, which the catalog lacks: .*Restore the catalog/
    expect(await findingsOf(data)).toContainEqual({
      part: 'journal',
      isDamaged: true,
      found: expect.stringMatching(said),
    })
    await expect(start(data)).rejects.toThrow(said)
  })

  test('reports the store as skipped when the catalog is damaged', async () => {
    const data = await damaged('catalog.sqlite', (bytes) => bytes.fill(7))
    const { code, output } = await runCommand(['verify', '--data', data], {})
    expect([code, output.split('\n').at(-2)]).toEqual([1, expect.stringMatching(/^skipped {2}store: not checked: /)])
  })

  test('detects a damaged write-ahead log of the catalog', async () => {
    const data = await damaged('owner.lock', (bytes) => bytes)
    const wal = join(data, 'catalog.sqlite-wal')
    await writeFile(wal, Buffer.alloc(5000, 7))
    const [catalog] = await findingsOf(data)
    expect(catalog).toMatchObject({ part: 'catalog.sqlite', isDamaged: true, found: expect.stringContaining(wal) })
  })

  test('refuses a folder in use by a service, and a path that is not a data folder', async () => {
    const service = await start(whole)
    await expect(findingsOf(whole)).rejects.toThrow('in use by another Tidemark process')
    await service.close()
    await expect(findingsOf(join(root, 'absent'))).rejects.toThrow('is not a data folder')
  })
})

describe('a service on a damaged folder', () => {
  const places = Array.from({ length: 12 }, (_, place) => place / 12)
  const endings = ['.parquet', '.index'] as const
  test.each(endings.flatMap((ending) => places.map((place) => [ending, place] as const)))(
    'with a byte changed in %s, at %d of its length, answers correctly or with an error that names it',
    async (ending, place) => {
      const path = await pathOf('store/1', ending)
      const data = await damaged(path, (bytes) => flipped(Math.floor(place * bytes.length))(bytes))
      const reported: string[] = []
      const service = await start(data, {}, (event) => {
        if (event.kind === 'fileDamaged') reported.push(event.path)
      })
      // Queries of the service itself before it was ready may have met the file.
      reported.splice(0)
      const answers = [await ask(service.url), await askSql(service.url), await askNative(service.url)]
      const afterFile = { entity: 'plant', start_date: '2026-01-01T04:00' }
      const others = await callOk<unknown[]>(service.url, 'POST', '/consumer/data/select', { body: afterFile })
      await service.close()
      for (const [asked, { status, body }] of answers.entries()) {
        if (status === 200) expect(body).toEqual([answer, sqlAnswer, nativeAnswer][asked])
        else {
          expect([status, body]).toMatchObject([500, { code: 'damaged_data', retryable: false }])
          expect(JSON.stringify(body)).not.toMatch(/store\/|mixed-|\.(index|parquet)/)
        }
      }
      const refused = answers.filter(({ status }) => status !== 200)
      expect(reported).toEqual(refused.map(() => join(data, path)))
      expect(others.length).toBe(10)
    },
  )

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['truncated', (bytes) => bytes.subarray(0, 100)],
    ['empty', (bytes) => bytes.subarray(0, 0)],
    ['all zeros', (bytes) => Buffer.alloc(bytes.length)],
    // In the footer, so that the engine finds no structure.
    ['damaged near its end', (bytes) => bytes.fill(0xff, bytes.length - 200, bytes.length - 20)],
  ])('SQL and native queries report a file that is %s like data queries do, and count it', async (_name, change) => {
    const path = await pathOf('store/1', '.parquet')
    const data = await damaged(path, change)
    const reported: string[] = []
    const service = await start(data, {}, (event) => {
      if (event.kind === 'fileDamaged') reported.push(event.path)
    })
    const metFirst = reported.splice(0).length
    const sum = { type: 'doubleSum', name: 'sum', fieldName: 'V' }
    // Expressions, so that the engine reads the file: without them the store computes the result from its index.
    const virtualColumns = [{ type: 'expression', name: 'one', expression: '1', outputType: 'LONG' }]
    const asked = { dataSource: 'plant', intervals: ['2000/2100'], granularity: 'all', aggregations: [sum] }
    const native = { ...asked, virtualColumns }
    const answers = [
      await call(service.url, 'POST', '/consumer/data/sql-query', {
        body: { sql_query: 'SELECT SUM(SQRT(V)) FROM plant' },
      }),
      await call(service.url, 'POST', '/consumer/data/druid-native-query', {
        body: { query_type: 'timeseries', query_data: native },
      }),
    ]
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    // A text in the query that mentions files does not count as damage.
    const innocent = "SELECT CAST('Failed to read file Parquet TProtocolException' AS BIGINT)"
    const refused = await call(service.url, 'POST', '/consumer/data/sql-query', { body: { sql_query: innocent } })
    await service.close()
    for (const { status, body } of answers) {
      expect([status, body]).toMatchObject([500, { code: 'damaged_data', retryable: false }])
      expect(JSON.stringify(body)).not.toMatch(/store\/|mixed-|\.(index|parquet)/)
    }
    // Where the engine does not name the file, its folder is reported.
    expect(reported.map((one) => join(data, path).startsWith(one))).toEqual([true, true])
    expect(metrics).toMatch(new RegExp(`tidemark_\\w*damage\\w* ${metFirst + 2}\\n`))
    expect(refused.status).toBeLessThan(500)
  })

  const emptied = async (data: string): Promise<void> => {
    await rm(join(data, 'catalog.sqlite-wal'), { force: true })
    await writeFile(join(data, 'catalog.sqlite'), '')
  }
  const filled = (from: number) => async (data: string) => {
    const path = join(data, 'catalog.sqlite')
    const bytes = await readFile(path)
    await writeFile(path, bytes.fill(7, from))
  }
  test.each<[string, (data: string) => Promise<void>, RegExp]>([
    [
      'missing',
      (data) => rm(join(data, 'catalog.sqlite')),
      /catalog\.sqlite is missing, but its data is there .*whole backup/,
    ],
    ['empty', emptied, /catalog\.sqlite is empty, but its data is there .*keys.*whole backup/],
    [
      'not a database',
      filled(0),
      /catalog\.sqlite cannot be read \(file is not a database\): it is damaged.*whole backup/,
    ],
    ['damaged in its tables', filled(4096), /catalog\.sqlite .*(damaged|malformed)/],
    [
      'next to a damaged write-ahead log',
      (data) => writeFile(join(data, 'catalog.sqlite-wal'), Buffer.alloc(5000, 7)),
      /catalog\.sqlite-wal is damaged: its header is not as it was written\..*move that one file away/,
    ],
  ])(
    'whose catalog is %s: start, verify and accept-loss name the remedy and change nothing',
    async (_name, change, said) => {
      const data = await damaged('owner.lock', (bytes) => bytes)
      await change(data)
      const bytesOf = () => readFile(join(data, 'catalog.sqlite')).catch(() => null)
      const before = await bytesOf()
      await expect(start(data)).rejects.toThrow(said)
      const accepted = await runCommand(['accept-loss', '--data', data], {})
      expect(accepted).toMatchObject({ code: 1, output: '', errors: expect.stringMatching(said) })
      const verified = await runCommand(['verify', '--data', data], {})
      expect(verified.code).toBe(1)
      expect(verified.output).toMatch(said)
      expect(verified.output).toMatch(/^ok {7}journal: 1 pushes/m)
      expect(`${accepted.errors}${verified.errors}`).not.toMatch(/\n +at /)
      expect(await bytesOf()).toEqual(before)
    },
  )

  test('does not start without its catalog, says what the catalog held, and creates none', async () => {
    const data = await damaged('owner.lock', (bytes) => bytes)
    for (const ending of ['', '-wal', '-shm']) await rm(join(data, `catalog.sqlite${ending}`), { force: true })
    const before = await readdir(data, { recursive: true })
    await expect(start(data)).rejects.toThrow(
      /catalog\.sqlite is missing, but its data is there .*keys.*restore a whole backup/,
    )
    const after = await readdir(data, { recursive: true })
    expect(after.filter((name) => name !== 'owner.pid')).toEqual(before.filter((name) => name !== 'owner.pid'))
  })

  test('does not start with a damaged series log', async () => {
    const data = await damaged('store/1/series.log', flipped(50))
    await expect(start(data)).rejects.toThrow(/series\.log, offset 24/)
  })
})
