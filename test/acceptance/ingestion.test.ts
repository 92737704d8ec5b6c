// Repeated pushes, and pushes that exceed a limit, over HTTP.

import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { testProgram } from '../support/compiled.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly retryAfter: string | null
}

interface PushOptions {
  readonly idempotencyKey?: string
  readonly query?: string
  readonly gzip?: boolean
  readonly alias?: string
}

async function push(url: string, key: string, body: string, options: PushOptions = {}): Promise<Answer> {
  const { idempotencyKey, query = '', gzip = false, alias = 'plant' } = options
  const response = await fetch(`${url}/ingests/${alias}/data${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: gzip ? gzipSync(body) : body,
  })
  const answer = (await response.json()) as Record<string, unknown>
  return { status: response.status, body: answer, retryAfter: response.headers.get('retry-after') }
}

const row = (value: number | string): string => JSON.stringify({ D: '2026-01-01', T: 'a', V: value })

async function values(url: string): Promise<number[]> {
  const items = await callOk<{ V: number }[]>(url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
  return items.map(({ V }) => V).sort((a, b) => a - b)
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('an Idempotency-Key', () => {
  let service: RunningService
  let key = ''
  beforeAll(async () => {
    service = await runService()
    key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  })
  afterAll(() => service?.close())
  const send = (body: string, options: PushOptions): Promise<Answer> => push(service.url, key, body, options)

  test('returns the same response to a repeated push, also with wait, gzip and after a restart', async () => {
    const first = await send(row(1), { idempotencyKey: 'one' })
    expect(first).toMatchObject({ status: 200, body: { rows: 1 } })
    expect(await send(row(1), { idempotencyKey: 'one' })).toEqual(first)
    expect(await send(row(1), { idempotencyKey: 'one', gzip: true })).toEqual(first)
    const receipt = { ...first.body, stored: 1, rejected: 0, pending: 0, replaced: 0, errors: [] }
    expect((await send(row(1), { idempotencyKey: 'one', query: '?wait=true' })).body).toEqual(receipt)
    service = await service.restart()
    expect(await send(row(1), { idempotencyKey: 'one' })).toEqual(first)
    expect(await values(service.url)).toEqual([1])
  })

  test.skipIf(onCluster)('outlives the journal segment with the push', async () => {
    const sealing = await runService({ 'store.headRows': '1024', 'journal.segmentBytes': '65536' })
    try {
      const ownKey = await makeIngest(sealing.url, adminKey, { alias: 'plant' })
      const first = await push(sealing.url, ownKey, row(1), { idempotencyKey: 'kept' })
      const many = `[${Array.from({ length: 3000 }, (_, index) => row(index)).join()}]`
      const firstSegment = '00000000000000000000.journal'
      await until(async () => {
        await push(sealing.url, ownKey, many)
        return !(await readdir(join(sealing.dataDirectory, 'journal'))).includes(firstSegment)
      })
      const restarted = await sealing.restart()
      expect(await push(restarted.url, ownKey, row(1), { idempotencyKey: 'kept' })).toEqual(first)
      await restarted.close()
    } catch (error) {
      await sealing.close()
      throw error
    }
  })

  test('is refused with another body, and is independent at another ingest', async () => {
    await send(row(2), { idempotencyKey: 'two', query: '?wait=true' })
    const refused = await send(row(3), { idempotencyKey: 'two' })
    expect(refused).toMatchObject({ status: 400, body: { code: 'idempotency_key_reused', retryable: false } })
    const otherKey = await makeIngest(service.url, adminKey, { alias: 'other' })
    expect((await push(service.url, otherKey, row(3), { idempotencyKey: 'two', alias: 'other' })).status).toBe(200)
    expect(await values(service.url)).toEqual([1, 2])
  })

  test('is not used up by a push that is a 400', async () => {
    expect((await send('[', { idempotencyKey: 'three' })).status).toBe(400)
    expect((await send(row(3), { idempotencyKey: 'three', query: '?wait=true' })).status).toBe(200)
  })

  test('stores one of many concurrent pushes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(row(4), { idempotencyKey: 'four', query: '?wait=true' })),
    )
    expect(new Set(answers.map(({ body }) => body['batch'])).size).toBe(1)
    expect(await values(service.url)).toEqual([1, 2, 3, 4])
  })

  test.each([
    ['', 'is empty'],
    ['a'.repeat(256), 'is too long'],
    ['caf\u00e9', 'is not ASCII'],
    ['a\tb', 'has a control character'],
  ])('%j %s', async (idempotencyKey) => {
    const { status, body } = await send(row(9), { idempotencyKey })
    expect(status).toBe(400)
    expect(body['errors']).toEqual([{ path: 'idempotency-key', message: expect.any(String) }])
  })

  test('of 255 characters is accepted', async () => {
    const idempotencyKey = `${'a'.repeat(253)} ~`
    expect((await send(row(5), { idempotencyKey })).status).toBe(200)
  })
})

describe('limits', () => {
  async function world(
    settings: Record<string, string>,
    run: (url: string, key: string) => Promise<void>,
  ): Promise<void> {
    const service = await runService({ 'limits.checkMs': '5', ...settings })
    try {
      await run(service.url, await makeIngest(service.url, adminKey, { alias: 'plant' }))
    } finally {
      await service.close()
    }
  }

  // A cluster uses the database's own estimate of the number of keys.
  test.skipIf(onCluster)(
    'limits.idempotencyKeys refuses a new key; known keys and pushes without a key are accepted',
    () =>
      world({ 'limits.idempotencyKeys': '2' }, async (url, key) => {
        for (const idempotencyKey of ['a', 'b']) await push(url, key, row(1), { idempotencyKey })
        const refused = await push(url, key, row(1), { idempotencyKey: 'c' })
        expect(refused).toMatchObject({ status: 503, retryAfter: '60', body: { code: 'overloaded', retryable: true } })
        expect((await push(url, key, row(1), { idempotencyKey: 'a' })).status).toBe(200)
        expect((await push(url, key, row(1))).status).toBe(200)
      }),
  )

  test('limits.keyRowsPerSecond refuses a push with a 429; a repeated push is accepted', () =>
    world({ 'limits.keyRowsPerSecond': '10' }, async (url, key) => {
      const rows = `[${Array.from({ length: 2000 }, () => row(1)).join()}]`
      expect((await push(url, key, rows, { query: '?wait=true', idempotencyKey: 'k' })).status).toBe(200)
      const refused = await push(url, key, row(1))
      expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests', retryable: true } })
      expect(Number(refused.retryAfter)).toBeGreaterThan(100)
      expect(await values(url)).toHaveLength(2000)
      expect((await push(url, key, rows, { idempotencyKey: 'k' })).status).toBe(200)
    }))

  test('limits.bodiesBytes refuses a push while a larger one is sent, and accepts it afterwards', () =>
    world({ 'limits.bodiesBytes': '65536' }, async (url, key) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      let go = (): void => {}
      const goes = new Promise<void>((resolve) => {
        go = resolve
      })
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from(`[${row(1)}${' '.repeat(65_000)}`))
          await goes
          controller.enqueue(Buffer.from(']'))
          controller.close()
        },
      })
      const slow = fetch(`${url}/ingests/plant/data?wait=true`, {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as RequestInit)
      const large = `[${row(2)}${' '.repeat(2000)}]`
      for (const gzip of [false, true]) {
        await until(async () => (await push(url, key, large, { gzip })).status === 503)
      }
      go()
      expect((await slow).status).toBe(200)
      await until(async () => (await push(url, key, large, { gzip: true })).status === 200)
    }))

  test('limits.rejectedBytes refuses pushes to an ingest until its rejected rows are discarded', () =>
    world({ 'limits.rejectedBytes': '1000' }, async (url, key) => {
      const bad = row('x'.repeat(2000))
      await push(url, key, bad, { query: '?wait=true' })
      // Until the catalog is queried, the message says that the remaining space could be filled.
      const refused = await push(url, key, row(1))
      expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } })
      await until(async () => {
        const { status, body } = await push(url, key, row(1))
        return status === 503 && String(body['detail']).includes('/admin/ingests/plant/rejected')
      })
      await callOk(url, 'DELETE', '/admin/ingests/plant/rejected', { key: adminKey })
      expect((await push(url, key, row(1))).status).toBe(200)
    }))
})

test.skipIf(onCluster)(
  'with a full backlog only known idempotency keys are accepted, and it recovers automatically',
  async () => {
    const threadUrl = pathToFileURL(testProgram('crash/stalls-on-file-thread'))
    const service = await runService({ 'journal.backlogBytes': '65536' }, { threadUrl })
    const brake = join(service.dataDirectory, 'stall')
    try {
      const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
      await push(service.url, key, row(0), { query: '?wait=true' })
      await writeFile(brake, '')
      const large = `[${row(1)}${' '.repeat(30_000)}]`
      const statuses: number[] = []
      for (let index = 0; index < 5; index++) {
        statuses.push((await push(service.url, key, large, { idempotencyKey: `${index}` })).status)
      }
      expect(statuses).toEqual([200, 200, 200, 503, 503])
      expect((await push(service.url, key, large, { idempotencyKey: '1' })).status).toBe(200)
      expect((await push(service.url, key, row(1))).body['detail']).toContain('journal.backlogBytes')
      await rm(brake)
      await until(async () => (await push(service.url, key, row(2), { query: '?wait=true' })).status === 200)
      expect(await values(service.url)).toEqual([0, 1, 1, 1, 2])
    } finally {
      await rm(brake, { force: true })
      await service.close()
    }
  },
)

test.skipIf(onCluster)(
  'below the disk floor nothing is stored, and pushes resume automatically when there is space',
  async () => {
    let free = 1e12
    const service = await runService(
      { 'limits.checkMs': '5', 'journal.diskFloorBytes': '1000', 'journal.diskWarnBytes': '5000' },
      { freeBytes: async () => free },
    )
    const disk = async () =>
      (await call<{ disk: { filling: boolean } }>(service.url, 'GET', '/readyz', { key: adminKey })).body.disk
    try {
      const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
      await push(service.url, key, row(1), { query: '?wait=true' })
      expect(await disk()).toEqual({ freeBytes: expect.any(Number), floorBytes: 1000, filling: false })
      free = 4000
      await until(async () => (await disk()).filling)
      expect((await push(service.url, key, row(1), { query: '?wait=true' })).status).toBe(200)
      free = 999
      // Rows accepted in the meantime are stored before they are counted.
      await until(async () => (await push(service.url, key, row(1), { query: '?wait=true' })).status === 503)
      const before = (await values(service.url)).length
      const refused = await push(service.url, key, row(1))
      expect(refused).toMatchObject({ status: 503, retryAfter: '5', body: { code: 'overloaded', retryable: true } })
      expect(refused.body['detail']).toContain('journal.diskFloorBytes')
      free = 1e12
      await until(async () => (await push(service.url, key, row(2), { query: '?wait=true' })).status === 200)
      expect((await values(service.url)).filter((value) => value === 1)).toHaveLength(before)
    } finally {
      await service.close()
    }
  },
)

describe('discarding rejected rows', () => {
  interface Rejected {
    readonly Items: readonly { readonly id: string; readonly row: string }[]
  }

  test('removes them from the list for good, and changes neither receipts nor counters', async () => {
    let service = await runService()
    try {
      const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
      const path = '/admin/ingests/plant/rejected'
      const list = async (): Promise<Rejected> => callOk(service.url, 'GET', path, { key: adminKey })
      const rows = `[${[1, 'b', 'c', 'd', 'e'].map(row).join()}]`
      const { body: receipt } = await push(service.url, key, rows, { query: '?wait=true' })
      const [first, second] = (await list()).Items
      const discard = (body?: unknown) =>
        call(service.url, 'DELETE', path, { key: adminKey, ...(body === undefined ? {} : { body }) })
      expect(await discard({ ids: [first!.id, second!.id, '999'] })).toEqual({ status: 200, body: { discarded: 2 } })
      expect(await discard({ ids: [first!.id] })).toEqual({ status: 200, body: { discarded: 0 } })
      expect(await discard({ ids: [] })).toEqual({ status: 200, body: { discarded: 0 } })
      expect((await discard({ ids: ['x'] })).body).toMatchObject({ errors: [{ path: 'ids[0]' }] })
      expect((await discard({ id: ['1'] })).status).toBe(400)
      expect((await list()).Items).toHaveLength(2)
      service = await service.restart()
      expect((await list()).Items).toHaveLength(2)
      expect(await discard()).toEqual({ status: 200, body: { discarded: 2 } })
      expect((await list()).Items).toEqual([])
      const batch = String(receipt['batch'])
      expect(await callOk(service.url, 'GET', `/ingests/plant/batches/${batch}`, { key })).toEqual(receipt)
      const { counters } = await callOk<{ counters: unknown }>(service.url, 'GET', '/admin/ingests/plant', {
        key: adminKey,
      })
      expect(counters).toEqual({ received: 5, stored: 1, rejected: 4, pending: 0 })
      expect((await call(service.url, 'DELETE', '/admin/ingests/no/rejected', { key: adminKey })).status).toBe(404)
      expect((await call(service.url, 'DELETE', path, { key })).status).toBe(403)
    } finally {
      await service.close()
    }
  })
})
