// A disk that fails or is full: acknowledged pushes stay, pushes that cannot be kept are refused, and the service reports the fault.

import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { Disk, DiskFile } from '../../src/lib/disk.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import type { ServiceEvent } from '../../src/observe/event.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { LiveReader } from '../support/live-reader.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const threadUrl = pathToFileURL(testProgram('crash/full-disk-thread'))
const settings = {
  'store.headRows': '100',
  'store.headAgeMs': '50',
  'store.stepBytes': '1024',
  'store.retryDelayMs': '10',
}

let service: RunningService
afterEach(() => service?.close())

type Failing = 'nothing' | 'sync' | 'full'

/** The disk of this machine, with failing journal files. */
function failingDisk(fails: () => Failing): Disk {
  const wrap = (file: DiskFile): DiskFile => ({
    size: () => file.size(),
    read: (buffer, offset) => file.read(buffer, offset),
    truncate: (size) => file.truncate(size),
    close: () => file.close(),
    write: async (buffers, offset) => {
      if (fails() === 'full') throw Object.assign(new Error('ENOSPC: planted'), { code: 'ENOSPC' })
      await file.write(buffers, offset)
    },
    sync: async () => {
      if (fails() === 'sync') throw Object.assign(new Error('EIO: planted'), { code: 'EIO' })
      await file.sync()
    },
  })
  return {
    ...nodeDisk,
    open: async (path, options) => {
      const file = await nodeDisk.open(path, options)
      return path.endsWith('.seg') || path.includes('/journal/') ? wrap(file) : file
    },
  }
}

let pushed = 0

function rows(count: number): object[] {
  return Array.from({ length: count }, () => {
    const value = pushed++
    return { D: new Date(Date.UTC(2026, 0, 1) + value * 1000).toISOString(), T: `tag-${value % 3}`, V: value }
  })
}

interface Refusal {
  readonly code: string
  readonly detail: string
  readonly retryable: boolean
}

const push = (key: string, body: unknown, query = '') =>
  call<Refusal>(service.url, 'POST', `/ingests/plant/data${query}`, { key, body })

async function values(): Promise<number[]> {
  const body = { entity: 'plant' }
  return (await callOk<{ V: number }[]>(service.url, 'POST', '/consumer/data/select', { body })).map(({ V }) => V)
}

async function counters(): Promise<object> {
  const path = '/admin/ingests/plant'
  return (await callOk<{ counters: object }>(service.url, 'GET', path, { key: adminKey })).counters
}

interface Readiness extends Refusal {
  readonly ready: boolean
  readonly store: { readonly sealedPosition: number }
  readonly failing: readonly { readonly work: string; readonly failures: number }[]
}

const ready = () => call<Readiness>(service.url, 'GET', '/readyz', { key: adminKey })

/** Waits for background work; a test that waits in vain fails by its time limit. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('after an fsync error of the journal no push is acknowledged until a restart, and /readyz reports it', async () => {
  let failing: Failing = 'nothing'
  pushed = 0
  service = await runService({}, { disk: failingDisk(() => failing) })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  expect((await push(key, rows(3), '?wait=true')).status).toBe(200)
  failing = 'sync'
  const refused = await Promise.all(Array.from({ length: 5 }, () => push(key, rows(1))))
  failing = 'nothing'
  refused.push(await push(key, rows(1)))
  for (const { status, body } of refused) {
    expect([status, body.code, body.retryable]).toEqual([503, 'unavailable', true])
    expect(body.detail).toContain('Idempotency-Key')
  }
  const { status, body } = await ready()
  expect([status, body.code]).toEqual([503, 'unavailable'])
  expect(body.detail).toContain('journal')
  expect(await values()).toEqual([0, 1, 2])
  service = await service.restart()
  expect((await ready()).status).toBe(200)
  const after = await values()
  expect(after.slice(0, 3)).toEqual([0, 1, 2])
  expect(new Set(after).size).toBe(after.length)
  expect((await push(key, rows(1), '?wait=true')).status).toBe(200)
  expect(await values()).toEqual([...after, 9])
})

test('a full disk refuses pushes, and the service accepts them automatically when there is space again', async () => {
  let failing: Failing = 'nothing'
  pushed = 0
  service = await runService({}, { disk: failingDisk(() => failing) })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  expect((await push(key, rows(3), '?wait=true')).status).toBe(200)
  failing = 'full'
  const { status, body } = await push(key, rows(5))
  expect([status, body.code, body.retryable]).toEqual([503, 'overloaded', true])
  expect((await ready()).status).toBe(200)
  failing = 'nothing'
  expect((await push(key, rows(2), '?wait=true')).status).toBe(200)
  expect(await values()).toEqual([0, 1, 2, 8, 9])
  service = await service.restart()
  expect(await values()).toEqual([0, 1, 2, 8, 9])
})

test('rows that cannot be sealed on a full disk stay in the journal and in memory, and are sealed when there is space', async () => {
  const events: ServiceEvent['kind'][] = []
  pushed = 0
  service = await runService(settings, { threadUrl, observe: ({ kind }) => events.push(kind) })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const fault = join(service.dataDirectory, 'disk-is-full')
  await writeFile(fault, '')
  for (let times = 0; times < 40; times++) expect((await push(key, rows(10))).status).toBe(200)
  await until(async () => events.filter((kind) => kind === 'sealFailed').length > 3)
  const meanwhile = await values()
  expect(meanwhile).toEqual(Array.from({ length: meanwhile.length }, (_, value) => value))
  expect(meanwhile.length).toBeGreaterThanOrEqual(100)
  const reported = (await ready()).body
  expect(reported).toMatchObject({ ready: true, failing: [{ work: 'seal' }] })
  expect(reported.failing[0]?.failures).toBeGreaterThan(3)
  // Memory is bounded: the pipeline waits.
  expect(meanwhile.length).toBeLessThan(400)
  await rm(fault)
  await until(async () => (await ready()).body.store.sealedPosition === 400)
  expect((await ready()).body.failing).toEqual([])
  const all = Array.from({ length: 400 }, (_, value) => value)
  expect(await values()).toEqual(all)
  expect(await counters()).toEqual({ received: 400, stored: 400, rejected: 0, pending: 0 })
  service = await service.restart()
  expect(await values()).toEqual(all)
})

test('a result that does not fit on the disk is refused, and is returned when there is space', async () => {
  pushed = 0
  const small = { 'spool.answerMemoryBytes': '0', 'spool.memoryBytes': '0' }
  service = await runService(small, { threadUrl })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  for (let times = 0; times < 10; times++) expect((await push(key, rows(1000), '?wait=true')).status).toBe(200)
  const fault = join(service.dataDirectory, 'disk-is-full')
  await writeFile(fault, '')
  const { status, body } = await call<Refusal>(service.url, 'POST', '/consumer/data/select', {
    body: { entity: 'plant' },
  })
  expect([status, body.code, body.retryable]).toEqual([503, 'overloaded', true])
  expect(body.detail).toContain('disk is full')
  expect((await ready()).status).toBe(200)
  await rm(fault)
  expect(await values()).toEqual(Array.from({ length: 10_000 }, (_, value) => value))
  expect(await readdir(join(service.dataDirectory, 'spool'))).toEqual([])
})

test('a full catalog refuses changes by the operator, and loses none of the accepted ones', async () => {
  pushed = 0
  service = await runService()
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  service = await service.restart({ catalogPagesMax: 1 })
  const made: string[] = []
  const make = (name: string) =>
    call<Refusal>(service.url, 'POST', '/admin/subscribers', { key: adminKey, body: { name } })
  let refusal = await make('the first')
  made.push('the first')
  for (let number = 1; refusal.status === 201 && number < 1000; number++) {
    const name = `subscriber-${number}`.padEnd(120, '.')
    refusal = await make(name)
    if (refusal.status === 201) made.push(name)
  }
  expect([refusal.status, refusal.body.code, refusal.body.retryable]).toEqual([503, 'unavailable', true])
  expect(refusal.body.detail).toContain('full')
  expect((await push(key, rows(3), '?wait=true')).status).toBe(200)
  service = await service.restart({ catalogPagesMax: 100_000 })
  expect((await make('one more')).status).toBe(201)
  const path = '/admin/subscribers?limit=10000'
  const { Items } = await callOk<{ Items: { name: string }[] }>(service.url, 'GET', path, { key: adminKey })
  expect(Items.map(({ name }) => name)).toEqual(['admin', 'pusher-of-plant', 'one more', ...made].sort())
  expect(await values()).toEqual([0, 1, 2])
})

test('rejected rows that do not fit in the catalog are stored once when there is space', async () => {
  const events: ServiceEvent['kind'][] = []
  pushed = 0
  service = await runService(settings, { threadUrl, observe: ({ kind }) => events.push(kind) })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const fault = join(service.dataDirectory, 'catalog-is-full')
  await writeFile(fault, '')
  service = await service.restart()
  const bad = { D: '2026-01-01', T: 'a', V: 'x'.repeat(100_000) }
  for (let times = 0; times < 5; times++) expect((await push(key, [...rows(10), bad])).status).toBe(200)
  await until(async () => events.filter((kind) => kind === 'validationFailed').length > 2)
  // Validated rows can be queried meanwhile.
  expect((await ready()).status).toBe(200)
  expect((await values()).length).toBeLessThan(50)
  await rm(fault)
  const isThere = async (): Promise<boolean> => (await ready()).status === 200 && (await values()).length === 50
  await until(() => isThere().catch(() => false))
  expect(await values()).toEqual(Array.from({ length: 50 }, (_, value) => value))
  expect(await counters()).toEqual({ received: 55, stored: 50, rejected: 5, pending: 0 })
  const path = '/admin/ingests/plant/rejected'
  const { Items } = await callOk<{ Items: { index: number }[] }>(service.url, 'GET', path, { key: adminKey })
  expect(Items.map(({ index }) => index)).toEqual([10, 10, 10, 10, 10])
})

describe('a start on a full disk that must seal rows before it can read more', () => {
  const key = async (): Promise<string> => makeIngest(service.url, adminKey, { alias: 'plant' })

  /** The journal has 400 rows; a start keeps 100 and 99 more in memory before it must seal some. */
  async function startWithoutSpace(): Promise<{ pusher: string; events: ServiceEvent[] }> {
    const events: ServiceEvent[] = []
    pushed = 0
    const unsealed = { ...settings, 'store.headRows': '1000', 'store.headAgeMs': '600000' }
    service = await runService(unsealed, { threadUrl, observe: (event) => events.push(event) })
    const pusher = await key()
    for (let times = 0; times < 40; times++) expect((await push(pusher, rows(10), '?wait=true')).status).toBe(200)
    await writeFile(join(service.dataDirectory, 'disk-is-full'), '')
    service = await service.restart({ settings: { 'store.headRows': '100', 'store.retryDelayMs': '200' } })
    return { pusher, events }
  }

  const all = Array.from({ length: 400 }, (_, value) => value)

  test('listens, reports the full disk, accepts pushes, refuses reads, and continues automatically', async () => {
    const { pusher, events } = await startWithoutSpace()
    const { status, body } = await ready()
    expect([status, body.code, body.retryable]).toEqual([503, 'unavailable', true])
    expect(body.detail).toContain('disk of the data folder is full')
    expect(body.detail).toContain('Free some space')
    const reported = events.find((event) => event.kind === 'startBlocked')
    expect(reported).toMatchObject({ reason: expect.stringContaining('is full') })
    const native = { queryType: 'timeBoundary', dataSource: 'plant' }
    for (const [path, body] of [
      ['select', { entity: 'plant' }],
      ['sql-query', { sql_query: 'SELECT V FROM plant' }],
      ['druid-native-query', { query_type: 'timeBoundary', query_data: native }],
    ] as const) {
      const answer = await call<Refusal>(service.url, 'POST', `/consumer/data/${path}`, { body })
      expect([path, answer.status, answer.body.code]).toEqual([path, 503, 'unavailable'])
      expect(answer.body.detail).toContain('is full')
    }
    const counted = await call<Refusal>(service.url, 'GET', '/admin/ingests/plant', { key: adminKey })
    expect([counted.status, counted.body.detail]).toEqual([503, expect.stringContaining('is full')])
    expect((await call(service.url, 'GET', '/healthz')).status).toBe(200)
    expect((await push(pusher, rows(5))).status).toBe(200)
    await rm(join(service.dataDirectory, 'disk-is-full'))
    await until(async () => (await ready()).status === 200)
    await until(async () => (await values()).length === 405)
    expect(await counters()).toEqual({ received: 405, stored: 405, rejected: 0, pending: 0 })
    service = await service.restart()
    expect(await values()).toEqual([...all, 400, 401, 402, 403, 404])
  })

  test('can be stopped while it waits for space, and loses nothing', async () => {
    await startWithoutSpace()
    expect((await ready()).status).toBe(503)
    service = await service.restart()
    expect((await ready()).status).toBe(503)
    await rm(join(service.dataDirectory, 'disk-is-full'))
    await until(async () => (await ready()).status === 200)
    expect(await values()).toEqual(all)
  })
})

test('a deletion that waits for disk space ends with a 503 in time, changes nothing, and does not block live readers', async () => {
  pushed = 0
  // Nothing is sealed before the deletion requests it.
  const idle = { 'store.headRows': '1000000', 'store.headAgeMs': '3600000', 'store.retryDelayMs': '10' }
  service = await runService({ ...idle, 'limits.queryTimeMs': '1500' }, { threadUrl })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const full = join(service.dataDirectory, 'disk-is-full')
  const path = '/admin/entities/plant/deletions'
  const remove = () =>
    call<Refusal>(service.url, 'POST', path, { key: adminKey, body: { ids: ['tag-0'], reason: 'wrong' } })
  await push(key, rows(3), '?wait=true')
  const reader = new LiveReader()
  await reader.connect(service.url, 'entity=plant')
  await writeFile(full, '')
  const refused = await remove()
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
  expect(refused.body.detail).toContain('limits.queryTimeMs')
  expect(await values()).toEqual([0, 1, 2])
  await push(key, rows(1), '?wait=true')
  await expect.poll(() => reader.rows, { timeout: 60_000 }).toMatchObject([{ V: 3 }])
  await rm(full)
  await until(async () => (await remove()).status === 201)
  expect(await values()).toEqual([1, 2])
  await expect
    .poll(() => reader.receivedEvents.map(([event]) => event), { timeout: 60_000 })
    .toEqual(['row', 'deleted'])
  await reader.cut()
})
