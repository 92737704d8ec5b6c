// InfluxDB's own clients for Python and Node.js, each installed in a separate folder, write to a service; SQL queries check the rows.
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { python } from './python.ts'
import { troubledProxy } from './troubled-proxy.ts'

const run = promisify(execFile)
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const nodeFolder = pathOf('../../node_modules/.cache/tools-node')

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'host', type: 'string', role: 'tag' },
  { name: 'd', type: 'double', role: 'metric' },
]

let service: RunningService
let interpreter: string

beforeAll(async () => {
  interpreter = await python()
  await mkdir(nodeFolder, { recursive: true })
  const install = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', nodeFolder]
  await run('npm', [...install, '@influxdata/influxdb-client@1.35.0'])
  service = await runService({ 'access.consumption': 'public' })
})

afterAll(() => service?.close())

/** Creates an open ingest and returns a key that may push to it. A repeated batch replaces its rows. */
function bucket(alias: string): Promise<string> {
  return makeIngest(service.url, adminKey, { alias, fields, unknown: 'add', duplicates: 'replace' })
}

const write = (name: string, url: string, key: string, alias: string) =>
  run(interpreter, [pathOf('influxdb_client_writes.py'), name, url, key, alias])

async function found(query: string): Promise<unknown> {
  return callOk(service.url, 'POST', '/druid/v2/sql', { body: { query } })
}

/** Resolves when this many rows are validated; a 204 only means that they are on disk. */
async function untilStored(alias: string, rows: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const { counters } = await callOk<{ counters: object }>(service.url, 'GET', `/admin/ingests/${alias}`, {
          key: adminKey,
        })
        return counters
      },
      { timeout: 10_000 },
    )
    .toMatchObject({ stored: rows, rejected: 0 })
}

const summary = (alias: string): string => `SELECT COUNT(*) AS n, SUM(d) AS s FROM ${alias}`

test('Python: a point with fields of all types is stored digit for digit', async () => {
  const key = await bucket('types')
  await write('all_types', service.url, key, 'types')
  await untilStored('types', 1)
  const columns = `__time, measurement, host, d, whole, CAST(i AS VARCHAR) AS i, CAST(most AS VARCHAR) AS most, "on", note`
  expect(await found(`SELECT ${columns} FROM types`)).toEqual([
    {
      __time: '2026-01-01T00:00:00.123Z',
      measurement: 'boiler, north',
      host: 'a=b c',
      d: 0.5,
      whole: 3,
      i: '-9223372036854775808',
      most: '9223372036854775807',
      on: 1,
      note: 'a "text", with = and \\ and\nä',
    },
  ])
})

test('Python: timestamps of each precision are stored', async () => {
  const key = await bucket('precisions')
  await write('every_precision', service.url, key, 'precisions')
  await untilStored('precisions', 4)
  expect(await found('SELECT __time, host FROM precisions ORDER BY __time')).toEqual([
    { __time: '2026-01-01T00:00:01.000Z', host: 's' },
    { __time: '2026-01-01T00:00:02.000Z', host: 'ms' },
    { __time: '2026-01-01T00:00:03.000Z', host: 'us' },
    { __time: '2026-01-01T00:00:04.000Z', host: 'ns' },
  ])
})

test('Python: gzip bodies are accepted', async () => {
  const key = await bucket('zipped')
  await write('gzip', service.url, key, 'zipped')
  await untilStored('zipped', 1000)
  expect(await found(summary('zipped'))).toEqual([{ n: 1000, s: 500_000 }])
})

test('Python: batches are retried after a 503 and a lost response, and each row counts once', async () => {
  const key = await bucket('batched')
  const proxy = await troubledProxy(service.url)
  await write('batches', proxy.url, key, 'batched')
  await proxy.close()
  expect(proxy.seen.slice(0, 2)).toEqual(['503', '204 lost'])
  expect(new Set(proxy.seen.slice(2))).toEqual(new Set(['204']))
  await untilStored('batched', proxy.seen.slice(1).length * 100)
  expect(await found(summary('batched'))).toEqual([{ n: 1000, s: 499_500 }])
})

test('Python: a refusal shows its message', async () => {
  const key = await bucket('known')
  const { stdout } = await write('refused', service.url, key, 'known')
  expect(stdout).toMatch(/^403 The subscriber has no valid subscription to the ingest "nothing"\. /)
})

test('Node.js: batches with gzip are retried, and each row counts once', async () => {
  const key = await bucket('nodes')
  const proxy = await troubledProxy(service.url)
  const path = `${nodeFolder}/node_modules/@influxdata/influxdb-client`
  await run(process.execPath, [pathOf('influxdb-client-writes.mjs'), path, proxy.url, key, 'nodes'])
  await proxy.close()
  expect(proxy.seen.slice(0, 2)).toEqual(['503', '204 lost'])
  await untilStored('nodes', proxy.seen.slice(1).length * 100)
  expect(await found(summary('nodes'))).toEqual([{ n: 1000, s: 499_500 }])
  expect(await found('SELECT i, "on", note FROM nodes WHERE i IS NOT NULL')).toEqual([
    { i: 7, on: 1, note: 'a "b" \\' },
  ])
})
