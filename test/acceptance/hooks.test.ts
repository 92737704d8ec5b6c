// Hooks through the whole service: events are signed, delivered once, and retried until accepted, also across a kill.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

type Told = Readonly<Record<string, unknown>> & { readonly id: string; readonly kind: string }

let service: RunningService
let receiver: Server
let url: string
/** The status of responses to calls; null to leave calls unanswered. */
let status: number | null = 204
/** The delay before a failed call is retried for the first time. */
const pauseMs = 10_000
const told: { readonly event: Told; readonly body: string; readonly signature: string | undefined }[] = []
const admin = { key: adminKey }
const patience = { timeout: 60_000 }

beforeAll(async () => {
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      told.push({ event: JSON.parse(body), body, signature: request.headers['tidemark-signature']?.toString() })
      if (status !== null) response.writeHead(status).end()
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/told`
  const settings = { 'hooks.privateAddresses': 'true', 'limits.checkMs': '50', 'journal.diskWarnBytes': '1000' }
  Object.assign(settings, { 'journal.diskFloorBytes': '0' })
  service = await runService(settings, { freeBytes: async () => freeBytes })
})
afterAll(async () => {
  await service?.close()
  receiver.close()
})

let freeBytes = 1e12
const put = (name: string, body: unknown) => call<Told>(service.url, 'PUT', `/admin/hooks/${name}`, { ...admin, body })
const deliveries = async (name: string) =>
  (await callOk<{ Items: readonly Told[] }>(service.url, 'GET', `/admin/hooks/${name}/deliveries`, admin)).Items
const tellings = (kind: string) => told.filter(({ event }) => event.kind === kind)

describe('a hook', () => {
  test('is created, shown without its secret, replaced and deleted; each change is audited', async () => {
    const hook = {
      url,
      kinds: ['backup_failed', { kind: 'rejected_rows', over: 1, within: 'PT5M' }],
      secret: 'hidden-one',
    }
    const made = await put('first', hook)
    expect(made).toMatchObject({ status: 201, body: { name: 'first', url, secret_set: expect.any(String) } })
    expect(made.body['kinds']).toEqual([{ kind: 'backup_failed' }, hook.kinds[1]])
    expect(await put('first', { url, kinds: ['part_away'] })).toMatchObject({
      status: 200,
      body: { secret_set: expect.any(String) },
    })
    // Changing only the secret is a change too.
    await put('first', { url, kinds: ['part_away'], secret: 'hidden-two' })
    expect(await call(service.url, 'GET', '/admin/hooks/first', admin)).toMatchObject({ status: 200 })
    const { Items } = await callOk<{ Items: readonly Told[] }>(service.url, 'GET', '/admin/hooks', admin)
    expect(Items.map(({ name }) => name)).toEqual(['first'])
    expect((await call(service.url, 'DELETE', '/admin/hooks/first', admin)).status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect(await call(service.url, method, '/admin/hooks/first', admin)).toMatchObject({ status: 404 })
    const audit = await callOk<{ Items: readonly Told[] }>(service.url, 'GET', '/admin/audit?limit=4', admin)
    expect(audit.Items.map(({ what }) => what)).toEqual(['deleteHook', 'putHook', 'putHook', 'putHook'])
    expect(JSON.stringify([Items, audit])).not.toContain('hidden-')
  })

  test.each<[unknown]>([
    [{ url: 'ftp://a/', kinds: ['disk_low'] }],
    [{ url: 'https://user:password@a.example/', kinds: ['disk_low'] }],
    [{ url: 'https://a.example/', kinds: [] }],
    [{ url: 'https://a.example/', kinds: ['diskLow'] }],
    [{ url: 'https://a.example/', kinds: ['rejected_rows'] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'rejected_rows', over: 1, within: '5m' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'rejected_rows', over: 1, within: 'P999999999Y' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'nothing_received', tag: 'a'.repeat(513), for: 'PT1H' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'rejected_rows', over: 1, within: 'PT0S' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'nothing_received', ingest: 'nowhere', for: 'PT1H' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'nothing_received', tag: 'nowhere', for: 'PT1H' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'nothing_received', tag: 'a', entity: 'nowhere', for: 'PT1H' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'disk_low', over: 1 }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'nothing_received', for: 'PT1H' }] }],
    [{ url: 'https://a.example/', kinds: [{ kind: 'nothing_received', ingest: 'a', tag: 'b', for: 'PT1H' }] }],
    [{ url: 'https://a.example/', kinds: ['disk_low'], secret: '' }],
  ])('%j is rejected', async (hook) => {
    expect((await put('bad', hook)).status).toBe(400)
    expect((await put('a b', { url, kinds: ['disk_low'] })).status).toBe(400)
  })
})

/** Empties the disk and fills it again, until the hook is called. */
async function fillAgain(isTold: () => boolean | Promise<boolean>): Promise<void> {
  for (let times = 0; times < 100 && !(await isTold()); times++) {
    freeBytes = freeBytes > 1000 ? 5 : 1e12
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

test('disk_low is sent once, signed, and again when the disk fills up again after it had space', async () => {
  await put('disk', { url, kinds: ['disk_low'], secret: 'key' })
  freeBytes = 10
  await expect.poll(() => tellings('disk_low').length, patience).toBe(1)
  const [{ event, body, signature }] = tellings('disk_low') as [(typeof told)[number]]
  expect(event).toMatchObject({ id: expect.any(String), time: expect.any(String), free_bytes: 10 })
  const seconds = /^t=(\d+),v1=/.exec(signature ?? '')![1]
  expect(signature).toBe(`t=${seconds},v1=${createHmac('sha256', 'key').update(`${seconds}.${body}`).digest('hex')}`)
  await expect.poll(async () => (await deliveries('disk'))[0]?.['state'], patience).toBe('delivered')
  service = await service.restart()
  await fillAgain(() => tellings('disk_low').length > 1)
  expect(tellings('disk_low')[1]!.event).toMatchObject({ free_bytes: 5 })
})

test('rejected_rows is sent with the ingest when too many rows are rejected', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await put('rejected', { url, kinds: [{ kind: 'rejected_rows', over: 2, within: 'PT5M' }] })
  const push = (rows: number) =>
    callOk(service.url, 'POST', '/ingests/plant/data?wait=true', {
      key,
      body: Array.from({ length: rows }, () => ({ D: 'never', T: 'a', V: 1 })),
    })
  await push(3)
  await expect.poll(() => tellings('rejected_rows').length, patience).toBe(1)
  expect(tellings('rejected_rows')[0]!.event).toMatchObject({ ingest: 'plant', rows: 3, over: 2, within: 'PT5M' })
})

test('nothing_received is sent for an ingest and a tag that have sent rows before and are silent now', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'meter' })
  const silent = [
    { kind: 'nothing_received', ingest: 'meter', for: 'PT1S' },
    { kind: 'nothing_received', tag: 'old', entity: 'meter', for: 'P1D' },
    { kind: 'nothing_received', tag: 'new', for: 'P1D' },
  ]
  const body = [
    { D: '2020-01-01', T: 'old', V: 1 },
    { D: '9999-01-01', T: 'new', V: 1 },
  ]
  await callOk(service.url, 'POST', '/ingests/meter/data?wait=true', { key, body })
  await put('silent', { url, kinds: silent })
  await expect.poll(() => tellings('nothing_received').length, patience).toBe(2)
  const events = tellings('nothing_received').map(({ event }) => event['ingest'] ?? event['tag'])
  expect(events.toSorted()).toEqual(['meter', 'old'])
})

test('a failed delivery is retried under the same id, also after a restart', async () => {
  status = 500
  await put('late', { url, kinds: ['backup_failed', 'disk_low'] })
  await expect.poll(async () => (await deliveries('late'))[0]?.['attempts'], patience).toBe(1)
  const [waiting] = await deliveries('late')
  expect(waiting).toMatchObject({ state: 'waiting', status: 500, error: 'the answer was 500' })
  status = 204
  service = await service.restart({ nowMs: () => Date.now() + pauseMs })
  await expect.poll(async () => (await deliveries('late'))[0]?.['state'], patience).toBe('delivered')
  expect(told.filter(({ event }) => event.id === waiting!.id)).toHaveLength(2)
})

test('a kill before the delivery does not lose the event, which is sent under the same id', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-hooks-'))
  const environment = {
    TIDEMARK_HOOKS_PRIVATE_ADDRESSES: 'true',
    // No disk has this much free space, so it is low from the start.
    TIDEMARK_JOURNAL_DISK_WARN_BYTES: String(2 ** 40),
    TIDEMARK_LIMITS_CHECK_MS: '50',
  }
  const eventsAt = async (server: ServerProcess): Promise<Told | undefined> =>
    (await callOk<{ Items: readonly Told[] }>(server.url, 'GET', '/admin/hooks/killed/deliveries', admin)).Items[0]
  let server = await ServerProcess.start({ dataDirectory, environment })
  try {
    status = null
    const before = tellings('disk_low').length
    await callOk(server.url, 'PUT', '/admin/hooks/killed', { ...admin, body: { url, kinds: ['disk_low'] } })
    await expect.poll(() => tellings('disk_low').length, patience).toBe(before + 1)
    const { event } = tellings('disk_low').at(-1)!
    expect(await eventsAt(server)).toMatchObject({ id: event.id, state: 'waiting', attempts: 0 })
    await server.kill()
    status = 204
    server = await ServerProcess.start({ dataDirectory, environment })
    await expect.poll(async () => (await eventsAt(server))?.['state'], patience).toBe('delivered')
    expect((await eventsAt(server))!.id).toBe(event.id)
  } finally {
    status = 204
    await server.kill()
    await rm(dataDirectory, { recursive: true })
  }
})

test('a hook to a private address is rejected and not called, unless hooks.privateAddresses allows it', async () => {
  service = await service.restart({ settings: { 'hooks.privateAddresses': 'false' } })
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:7f00:1]', 'localhost', '10.0.0.1', '[fe80::1]'])
    expect(await put('own', { url: `http://${host}/`, kinds: ['disk_low'] })).toMatchObject({ status: 400 })
  // A hook that exists already is no longer called.
  const before = told.length
  const isRefused = async (): Promise<boolean> =>
    String((await deliveries('disk'))[0]?.['error']).includes('hooks.privateAddresses')
  await fillAgain(isRefused)
  expect(await isRefused()).toBe(true)
  expect(told.length).toBe(before)
})
