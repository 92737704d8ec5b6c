// The service as a process: how it starts, what it refuses and how it stops, with real signals and a real folder.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { killRounds } from '../crash/kill-rounds.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { runCommand } from '../support/run-command.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

let dataDirectory: string
const running: ServerProcess[] = []

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-process-'))
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.kill()
  await rm(dataDirectory, { recursive: true, force: true })
})

async function start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await ServerProcess.start({ dataDirectory, environment })
  running.push(server)
  return server
}

const row = { D: '2026-01-01T00:00:00.000Z', T: 'a', V: 1 }

test('SIGTERM ends the process with 0, and the next start has all rows', async () => {
  const first = await start()
  const key = await makeIngest(first.url, adminKey, { alias: 'plant' })
  await callOk(first.url, 'POST', '/ingests/plant/data', { key, body: row })
  expect(await first.stop()).toBe(0)
  const second = await start()
  expect(await callOk(second.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })).toEqual([row])
})

test('SIGTERM seals all rows and empties the journal; the answers stay the same', async () => {
  const first = await start()
  const key = await makeIngest(first.url, adminKey, { alias: 'plant' })
  const body = Array.from({ length: 20_000 }, (_, at) => ({ ...row, T: `t${at % 7}`, V: at }))
  await callOk(first.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
  const ask = (server: ServerProcess) =>
    callOk(server.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
  const before = await ask(first)
  expect(await journalBytes()).toBeGreaterThan(100_000)
  expect(await first.stop()).toBe(0)
  expect(await journalBytes()).toBeLessThan(1000)
  const second = await start()
  expect(second.log).toContain('"validatedAgainRows":0')
  expect(await ask(second)).toEqual(before)
})

test('SIGTERM without time for a seal leaves the rows in the journal', async () => {
  const first = await start({ TIDEMARK_SERVER_SHUTDOWN_MS: '0' })
  const key = await makeIngest(first.url, adminKey, { alias: 'plant' })
  await callOk(first.url, 'POST', '/ingests/plant/data?wait=true', { key, body: row })
  expect(await first.stop()).toBe(0)
  expect((await start()).log).toContain('"validatedAgainRows":1')
})

async function journalBytes(): Promise<number> {
  const folder = join(dataDirectory, 'journal')
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

test('a push in flight at SIGTERM is acknowledged or refused, and every acknowledged push is stored', async () => {
  const server = await start()
  const key = await makeIngest(server.url, adminKey, { alias: 'plant' })
  const pushes = Array.from({ length: 50 }, () => call(server.url, 'POST', '/ingests/plant/data', { key, body: row }))
  await pushes[0]
  const [code, ...answers] = await Promise.all([server.stop(), ...pushes.map((push) => push.catch(() => null))])
  expect(code).toBe(0)
  const statuses = new Set(answers.filter((answer) => answer !== null).map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
  const again = await start()
  const stored = await callOk<unknown[]>(again.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
  const acknowledged = answers.filter((answer) => answer?.status === 200).length
  expect(stored.length).toBeGreaterThanOrEqual(acknowledged)
})

test('without TIDEMARK_ADMIN_KEY the first start prints a working admin key, once', async () => {
  const first = await start({ TIDEMARK_ADMIN_KEY: '' })
  const line = first.log.split('\n').find((text) => text.includes('"adminKey"'))
  const { adminKey: made } = JSON.parse(line ?? '{}') as { adminKey: string }
  expect((await call(first.url, 'GET', '/admin/ingests', { key: made })).status).toBe(200)
  await first.stop()
  const second = await start({ TIDEMARK_ADMIN_KEY: '' })
  expect(second.log).not.toContain('adminKey')
  expect((await call(second.url, 'GET', '/admin/ingests', { key: made })).status).toBe(200)
})

test('a changed TIDEMARK_ADMIN_KEY replaces the old one', async () => {
  await (await start()).stop()
  const changed = 'another-admin-key-9876543210'
  const server = await start({ TIDEMARK_ADMIN_KEY: changed })
  expect((await call(server.url, 'GET', '/admin/ingests', { key: adminKey })).status).toBe(403)
  expect((await call(server.url, 'GET', '/admin/ingests', { key: changed })).status).toBe(200)
})

describe('refuses to start, with a remedy', () => {
  const serve = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runCommand(['serve', '--port', '0', '--data', dataDirectory, ...words], {
      TIDEMARK_ADMIN_KEY: adminKey,
      ...environment,
    })

  test('on a folder in use by another server', async () => {
    await start()
    const { code, output, errors } = await serve([])
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toMatch(/is in use by another Tidemark process \(process \d+\).*--data/)
  })

  test('on an address in use', async () => {
    const { url } = await start()
    const other = await mkdtemp(join(tmpdir(), 'tidemark-process-'))
    const { code, errors } = await serve(['--port', new URL(url).port, '--data', other])
    await rm(other, { recursive: true, force: true })
    expect(code).toBe(1)
    expect(errors).toMatch(/address is in use.*--port/)
  })

  test('with an unreadable settings file', async () => {
    const { code, errors } = await serve(['--config', join(dataDirectory, 'none.json')])
    expect(code).toBe(64)
    expect(errors).toMatch(
      /^tidemark: The file of settings .*none\.json \(from --config or TIDEMARK_CONFIG\) cannot be read: there is no such file\.$/m,
    )
    const folder = await serve([], { TIDEMARK_CONFIG: dataDirectory })
    expect(folder.errors).toMatch(/cannot be read: it is a folder\.$/m)
  })

  test('on an unknown host, before the data folder is touched', async () => {
    const { code, errors } = await serve(['--host', 'no.such.host.invalid', '--data', join(dataDirectory, 'untouched')])
    expect(code).toBe(1)
    expect(errors).toMatch(/^host \(no\.such\.host\.invalid\) is neither an address nor a known name\. .*--host/m)
    expect(await readdir(dataDirectory)).toEqual([])
  })

  test('with invalid settings, naming all of them', async () => {
    const { code, errors } = await serve(['--port', '99999'], { TIDEMARK_LIMITS_BUCKETS: 'many' })
    expect(code).toBe(64)
    expect(errors).toMatch(/port .*--port.*99999/)
    expect(errors).toMatch(/limits\.buckets .*TIDEMARK_LIMITS_BUCKETS/)
  })

  test('on a journal damaged in its middle, naming the file and the offset', async () => {
    // A stop with enough time seals the rows, so the journal would contain nothing to damage.
    const server = await start({ TIDEMARK_SERVER_SHUTDOWN_MS: '0' })
    const key = await makeIngest(server.url, adminKey, { alias: 'plant' })
    for (let push = 0; push < 5; push++) await callOk(server.url, 'POST', '/ingests/plant/data', { key, body: row })
    await server.stop()
    const folder = join(dataDirectory, 'journal')
    const [segment] = await readdir(folder)
    const bytes = await readFile(join(folder, segment!))
    bytes[200]! ^= 0xff
    await writeFile(join(folder, segment!), bytes)
    const { code, errors } = await serve([])
    expect(code).toBe(1)
    expect(errors).toContain(segment)
    expect(errors).toMatch(/offset \d+|byte \d+/)
  })
})

test('three kills lose and duplicate no row (npm run test:crash does many)', async () => {
  const findings = await killRounds({ rounds: 3, clients: 4, seed: 1 })
  expect(findings).toMatchObject({ lost: 0, doubled: 0, partial: 0, foreign: 0 })
  expect(findings.acknowledged).toBeGreaterThan(0)
})
