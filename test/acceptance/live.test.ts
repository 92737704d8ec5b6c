// Rows are streamed as they become queryable: their content and order, and the end of a stream.
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Tidemark } from '../../src/client/tidemark.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { LiveReader } from '../support/live-reader.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

type Row = Readonly<Record<string, unknown>>

let service: RunningService
let key: string

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const push = (ingest: string, ingestKey: string, body: readonly Row[]) =>
  callOk(service.url, 'POST', `/ingests/${ingest}/data?wait=true`, { key: ingestKey, body })
const told = (reader: LiveReader, rows: readonly unknown[]) =>
  expect.poll(() => reader.rows, { timeout: 60_000 }).toEqual(rows)

beforeAll(async () => {
  service = await runService({ 'limits.liveBytes': '100000', 'limits.liveReaders': '5', 'store.headAgeMs': '50' })
  key = await makeIngest(service.url, adminKey, { alias: 'plant' })
})
afterAll(() => service?.close())

test('a stream has the same items as select, and no others', async () => {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'site', type: 'string', role: 'tag' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'note', type: 'string', role: 'dimension' },
    { name: 'V', type: 'double', role: 'metric' },
    { name: 'count', type: 'long', role: 'metric' },
    { name: 'on', type: 'boolean', role: 'metric' },
  ]
  const wideKey = await makeIngest(service.url, adminKey, { alias: 'wide', fields })
  const queries = ['', '&ids=north', '&id_name_field=T&prefixes=b&fields=note', '&metric_name_field=on,V']
  const readers = queries.map(() => new LiveReader())
  await Promise.all(readers.map((reader, index) => reader.connect(service.url, `entity=wide${queries[index]}`)))
  await push('wide', wideKey, [
    { D: at(1), site: 'north', T: 'a', note: 'a "b"\n', V: 1.5, count: 5, on: true },
    { D: at(2), site: 'south', T: 'b', count: 7 },
    { D: at(3), site: 'north', T: 'b', V: 'x' },
    { D: at(4), site: 'north', T: 'b1', note: 'é' },
    { D: at(5), site: 'north', T: 'b1', on: false },
  ])
  for (const [index, reader] of readers.entries()) {
    const selected = await callOk<Row[]>(service.url, 'GET', `/consumer/data/select?entity=wide${queries[index]}`)
    expect(selected.length).toBeGreaterThan(0)
    await told(reader, selected)
    await reader.cut()
  }
})

test('a replacing row is sent as the complete item with its current values', async () => {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'a', type: 'double', role: 'metric' },
    { name: 'b', type: 'double', role: 'metric' },
  ]
  const itemKey = await makeIngest(service.url, adminKey, { alias: 'items', duplicates: 'replace', fields })
  const reader = new LiveReader()
  await reader.connect(service.url, 'entity=items')
  const first = reader.lastId
  const rows: Row[] = [
    { D: at(1), T: 'x', a: 1, b: 2 },
    { D: at(1), T: 'x', a: 3, b: 2 },
    { D: at(1), T: 'y', a: null, b: 9 },
    { D: at(1), T: 'x', a: 3, b: null },
  ]
  await push('items', itemKey, [{ D: at(1), T: 'x', a: 1, b: 2 }])
  await told(reader, rows.slice(0, 1))
  await push('items', itemKey, [
    { D: at(1), T: 'x', a: 3 },
    { D: at(1), T: 'y', b: 9 },
  ])
  await told(reader, rows.slice(0, 3))
  await push('items', itemKey, [{ D: at(1), T: 'x', b: null }])
  await told(reader, rows)
  await reader.cut()
  // An item that is sent again has its current values.
  const later = new LiveReader()
  await later.connect(service.url, 'entity=items', first)
  await told(later, [rows[3], rows[3], rows[2], rows[3]])
  await later.cut()
})

test('an id that is unknown, forged or of another entity resets the stream', async () => {
  const reader = new LiveReader()
  await reader.connect(service.url, 'entity=plant')
  const id = reader.lastId!
  for (const wrong of ['x', id.replace(/\d+(?=-[\w-]{16}$)/, (place) => `${Number(place) + 1}`), `${id}x`]) {
    const other = new LiveReader()
    await other.connect(service.url, 'entity=plant', wrong)
    expect(other.events).toEqual(['reset'])
    await other.cut()
  }
  const elsewhere = new LiveReader()
  await elsewhere.connect(service.url, 'entity=wide', id)
  expect(elsewhere.events).toEqual(['reset'])
  await elsewhere.cut()
  await reader.cut()
})

test('a reader whose filter matches no row still gets the position of the entity', async () => {
  const reader = new LiveReader()
  await reader.connect(service.url, 'entity=plant&ids=nobody')
  const first = reader.lastId
  await push('plant', key, [{ D: at(1), T: 'a', V: 1 }])
  await expect.poll(() => reader.lastId, { timeout: 60_000 }).not.toBe(first)
  expect(reader.rows).toEqual([])
  await reader.cut()
})

test('a reader that does not read gets the event "behind", and can resume where it stopped', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const received: Buffer[] = []
  socket.write('GET /consumer/data/live?entity=plant HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  await new Promise((resolve) => socket.once('readable', resolve))
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ D: at(0), T: 'x'.repeat(500), V: index }))
  for (let round = 0; round < 3; round++) await push('plant', key, rows)
  await push('plant', key, [{ D: at(1), T: 'last', V: 0 }])
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => received.push(chunk)).on('end', resolve)
  })
  socket.destroy()
  const text = Buffer.concat(received).toString()
  expect(text).toContain('event: behind\ndata: {"liveBytes":100000}\n\n')
  const id = [...text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!
  const seen = text.split('"D"').length - 1
  expect(seen).toBeLessThan(60_001)
  const reader = new LiveReader()
  await reader.connect(service.url, 'entity=plant', id)
  await expect.poll(() => reader.rows.length, { timeout: 60_000 }).toBe(60_001 - seen)
  expect(reader.events).toEqual([])
  expect(reader.rows.at(-1)).toMatchObject({ T: 'last' })
  await reader.cut()
})

test('over limits.liveTotalBytes slow readers are disconnected; a reader that keeps up continues', async () => {
  const few = await runService({ 'limits.liveBytes': '1073741824', 'limits.liveTotalBytes': '40000000' })
  try {
    const fewKey = await makeIngest(few.url, adminKey, { alias: 'plant' })
    const { hostname, port } = new URL(few.url)
    const reader = new LiveReader()
    await reader.connect(few.url, 'entity=plant&ids=last')
    const sockets = Array.from({ length: 3 }, () => connect(Number(port), hostname))
    for (const socket of sockets) {
      socket.write('GET /consumer/data/live?entity=plant HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      await new Promise((resolve) => socket.once('readable', resolve))
    }
    const path = '/ingests/plant/data?wait=true'
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ D: at(0), T: 'x'.repeat(500), V: index }))
    for (let round = 0; round < 6; round++) await callOk(few.url, 'POST', path, { key: fewKey, body: rows })
    await callOk(few.url, 'POST', path, { key: fewKey, body: [{ D: at(1), T: 'last', V: 0 }] })
    await told(reader, [{ D: at(1), T: 'last', V: 0 }])
    const texts = await Promise.all(sockets.map(textOf))
    // A client that does not read the final event either is disconnected.
    expect(texts.some((text) => text.endsWith('event: behind\ndata: {"liveTotalBytes":40000000}\n\n'))).toBe(true)
    for (const text of texts) expect(text).not.toContain('"last"')
    expect(reader.events).toEqual([])
    await reader.cut()
  } finally {
    await few.close()
  }
})

test('a reader beyond limits.liveReaders is refused until another disconnects', async () => {
  const readers = Array.from({ length: 5 }, () => new LiveReader())
  for (const reader of readers) await reader.connect(service.url, 'entity=plant')
  const refused = await call(service.url, 'GET', '/consumer/data/live?entity=plant')
  expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded', retryable: true } })
  await readers[0]!.cut()
  await expect
    .poll(() =>
      readers[0]!.connect(service.url, 'entity=plant').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  for (const reader of readers) await reader.cut()
})

describe('a stream ends', () => {
  const admin = { key: adminKey }
  const watcher = '/admin/subscribers/watcher'
  let aheadMs = 0

  beforeAll(async () => {
    const settings = { 'access.consumption': 'key' }
    service = await service.restart({ settings, nowMs: () => Date.now() + aheadMs })
    await callOk(service.url, 'POST', '/admin/subscribers', { ...admin, body: { name: 'watcher' } })
  })

  test.each<[name: string, end: (keyId: string) => unknown]>([
    ['its key is deleted', (id) => callOk(service.url, 'DELETE', `/admin/keys/${id}`, admin)],
    [
      'its key expires',
      () => {
        aheadMs = 60_000
      },
    ],
    [
      'the subscription is removed',
      () => callOk(service.url, 'PUT', `${watcher}/subscriptions`, { ...admin, body: [] }),
    ],
  ])('when %s', async (_, end) => {
    await callOk(service.url, 'PUT', `${watcher}/subscriptions`, { ...admin, body: [{ entity: 'plant' }] })
    const expires = new Date(Date.now() + aheadMs + 60_000).toISOString()
    const made = { ...admin, body: { rights: ['consume'], expires } }
    const { id, key: readerKey } = await callOk<{ id: string; key: string }>(
      service.url,
      'POST',
      `${watcher}/keys`,
      made,
    )
    const response = await fetch(`${service.url}/consumer/data/live?entity=plant`, {
      headers: { authorization: `Bearer ${readerKey}` },
    })
    expect(response.status).toBe(200)
    let text = ''
    const reading = (async () => {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part
    })()
    await push('plant', key, [{ D: at(1), T: id, V: 1 }])
    await expect.poll(() => text, { timeout: 60_000 }).toContain(`"T":"${id}"`)
    await end(id)
    await reading
    expect(text).toMatch(/^id: /)
    const refused = await call(service.url, 'GET', '/consumer/data/live?entity=plant', { key: readerKey })
    expect(refused.status).toBe(403)
  })

  test('when the service stops, and the client reconnects automatically', async () => {
    service = await service.restart({ settings: { 'access.consumption': 'public' } })
    let url = service.url
    let heads = 0
    const throughProxy: typeof fetch = async (input, init) => {
      const response = await fetch(String(input).replace('http://service', url), init)
      heads++
      return response
    }
    const stop = new AbortController()
    const items: Row[] = []
    const following = (async () => {
      const client = new Tidemark({ url: 'http://service', fetch: throughProxy })
      const request = { entity: 'plant', ids: ['c'] }
      for await (const one of client.live<Row>(request, { signal: stop.signal }))
        if (one.event === 'rows') items.push(...one.items)
    })()
    const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text()
    await expect.poll(metrics, { timeout: 60_000 }).toContain('tidemark_live_readers 1')
    await expect.poll(() => heads, { timeout: 60_000 }).toBe(1)
    await push('plant', key, [{ D: at(1), T: 'c', V: 1 }])
    await expect.poll(() => items.length, { timeout: 60_000 }).toBe(1)
    service = await service.restart()
    await push('plant', key, [{ D: at(2), T: 'c', V: 2 }])
    url = service.url
    await expect.poll(() => items, { timeout: 60_000 }).toMatchObject([{ V: 1 }, { V: 2 }])
    stop.abort()
    await following
  })
})

/** The bytes until the connection ends or breaks. Of a chunked body, the chunk framing at the end is removed. */
async function textOf(socket: Socket): Promise<string> {
  const received: Buffer[] = []
  await new Promise<void>((resolve) => {
    socket
      .on('data', (chunk) => received.push(chunk))
      .on('error', () => undefined)
      .on('close', () => resolve())
  })
  return Buffer.concat(received)
    .toString()
    .replace(/\r\n0\r\n\r\n$/, '')
}
