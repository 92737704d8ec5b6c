// Data queries on the whole service: formats, limits, slow readers, and clients that disconnect.
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterEach, describe, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { rounds } from '../support/rounds.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const running: RunningService[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const service of running.splice(0)) await service.close()
})

const rows = [
  { D: '2026-01-01T00:00:00.000Z', T: 'a,b', V: 1.5, n: 9007199254740993n, text: 'say "hi"' },
  { D: '2026-01-01T00:00:10.000Z', T: 'c', V: null, n: -1n, text: '' },
  { D: '2026-01-01T00:00:20.000Z', T: 'c', V: 2, n: null, text: null },
]

/** A service with these rows. */
async function plant(settings: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const service = await runService(settings)
  running.push(service)
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
    { name: 'n', type: 'long', role: 'metric' },
    { name: 'text', type: 'string', role: 'metric' },
  ]
  const key = await makeIngest(service.url, adminKey, { alias: 'plant', fields })
  const text = `[${rows.map(jsonOf).join(',')}]`
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, text })
  return service
}

function jsonOf(row: object): string {
  const members = Object.entries(row).map(
    ([name, value]) => `"${name}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
  )
  return `{${members.join(',')}}`
}

function ask(
  service: RunningService,
  kind: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${service.url}/consumer/data/${kind}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ entity: 'plant', ...body }),
    signal,
  })
}

/** A snap of one tag at each of many seconds: a long answer over few rows, about 90 bytes a tick. */
const everySecond = (ticks: number): object => ({
  ids: ['a,b'],
  metric_name_field: ['V'],
  granularity: 'second',
  start_date: '2026-01-01',
  end_date: `PT${ticks - 1}S`,
})

async function problemOf(
  response: Response,
): Promise<{ status: number; code: string; retryable: boolean; retryAfter: string | null }> {
  const { code, retryable } = (await response.json()) as { code: string; retryable: boolean }
  return { status: response.status, code, retryable, retryAfter: response.headers.get('retry-after') }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('all formats return the same data', async () => {
  const service = await plant()
  const answer = async (accept: string): Promise<{ type: string | null; bytes: Buffer }> => {
    const response = await ask(service, 'select', {}, { accept })
    expect(response.status).toBe(200)
    return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const text = async (accept: string): Promise<string> => {
    const { type, bytes } = await answer(accept)
    return `${type}\n${bytes}`
  }
  expect(await text('*/*')).toBe(`application/json\n[${rows.map(jsonOf).join(',')}]`)
  expect(await text('application/x-ndjson')).toBe(
    `application/x-ndjson\n${rows.map((row) => `${jsonOf(row)}\n`).join('')}`,
  )
  expect(await text('text/*')).toBe(
    'text/csv; charset=utf-8\nD,T,V,n,text\r\n' +
      '2026-01-01T00:00:00.000Z,"a,b",1.5,9007199254740993,"say ""hi"""\r\n' +
      '2026-01-01T00:00:10.000Z,c,,-1,""\r\n' +
      '2026-01-01T00:00:20.000Z,c,2,,\r\n',
  )
  const { type, bytes } = await answer('application/vnd.apache.arrow.stream')
  expect(type).toBe('application/vnd.apache.arrow.stream')
  expect(
    tableFromIPC(bytes)
      .toArray()
      .map((row) => ({ ...row })),
  ).toEqual(rows.map((row) => ({ ...row, D: Date.parse(row.D) })))
  expect(await problemOf(await ask(service, 'select', {}, { accept: 'text/html' }))).toMatchObject({
    status: 406,
    code: 'not_acceptable',
  })
})

describe('a response larger than its memory', () => {
  test('is complete, plain and compressed, and its file is removed', async () => {
    const service = await plant({ 'spool.answerMemoryBytes': '1000000' })
    const ticks = 40_000
    const inMemory = Array.from({ length: ticks }, (_, second) => {
      const snap = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
      return `{"D":"2026-01-01T00:00:00.000Z","T":"a,b","V":1.5,"snap":"${snap}"}`
    })
    const expected = `[${inMemory.join(',')}]`
    for (const encoding of ['identity', 'gzip', 'br']) {
      const response = await ask(service, 'snap', everySecond(ticks), { 'accept-encoding': encoding })
      const text = await response.text()
      expect(text.length).toBe(expected.length)
      expect(text === expected).toBe(true)
    }
    expect(await readdir(await spoolOf(service))).toEqual([])
  })

  test('is refused while slow readers fill the spool, and accepted after they are disconnected', async () => {
    const service = await plant({
      'spool.answerMemoryBytes': '1000000',
      'spool.fileBytes': '30000000',
      // Druid needs longer to answer the next query.
      'limits.sendIdleMs': onCluster ? '5000' : '300',
    })
    await slowReader(service, everySecond(250_000))
    const refused = await problemOf(await ask(service, 'snap', everySecond(250_000)))
    expect(refused).toEqual({ status: 503, code: 'overloaded', retryable: true, retryAfter: '1' })
    await until(async () => {
      const response = await ask(service, 'snap', everySecond(250_000))
      const answer = (await response.json()) as { readonly length?: number }
      if (response.status === 200) expect(answer.length).toBe(250_000)
      return response.status === 200
    })
  })
})

// Druid's answers take longer than the idle limit.
test.skipIf(onCluster)('a client that reads none of its short responses is disconnected', async () => {
  const service = await plant({ 'limits.sendIdleMs': '300' })
  const ended = neverRead(service, everySecond(150), 3000)
  await expect(ended).resolves.toBeUndefined()
})

test('a spool file of a dead process is removed at the next start', async () => {
  const first = await plant()
  await writeFile(join(await spoolOf(first), 'left-behind'), 'x')
  running.splice(0, 1, await first.restart())
  expect(await readdir(await spoolOf(first))).toEqual([])
})

/** Processes of a cluster have separate folders. */
async function spoolOf({ dataDirectory }: RunningService): Promise<string> {
  const own = onCluster ? (await readdir(dataDirectory)).filter((name) => name.startsWith('process-')) : []
  return join(dataDirectory, ...own, 'spool')
}

/** Requests a snap, and reads nothing after the response has begun. */
async function slowReader(service: RunningService, request: object): Promise<void> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  sockets.push(socket)
  const body = JSON.stringify({ entity: 'plant', ...request })
  const head = `POST /consumer/data/snap HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  await once(socket, 'readable')
}

/** Sends more requests than the system buffers answers for, and reads nothing. Resolves when the service has closed the connection. */
async function neverRead(service: RunningService, request: object, times: number): Promise<void> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  const body = JSON.stringify({ entity: 'plant', ...request })
  const head = `POST /consumer/data/snap HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`
  const text = `${head}Content-Length: ${body.length}\r\n\r\n${body}`
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).on('close', () => resolve())
  })
  for (let asked = 0; asked < times; asked++) socket.write(text)
  // A write to a closed connection reveals that it is closed.
  const knocking = setInterval(() => socket.write(text), 100)
  await closed
  clearInterval(knocking)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20)
}

describe('concurrent queries', () => {
  // Druid answers such a snap before the other queries have arrived.
  test.skipIf(onCluster)(
    'beyond limits.runningQueries wait, and beyond limits.waitingQueries are refused',
    async () => {
      const service = await plant({ 'limits.runningQueries': '1', 'limits.waitingQueries': '1' })
      const statuses = Array.from({ length: 4 }, async () => {
        const response = await ask(service, 'snap', everySecond(200_000))
        if (response.status !== 200) return problemOf(response)
        await response.arrayBuffer()
        return 200
      })
      const outcomes = await Promise.all(statuses)
      expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(2)
      const refused = outcomes.filter((outcome) => outcome !== 200)
      const overloaded = { status: 503, code: 'overloaded', retryable: true, retryAfter: '1' }
      expect(refused).toEqual([overloaded, overloaded])
    },
  )

  test('a query over limits.queryTimeMs is a 503 that is not retryable', async () => {
    const service = await plant({
      // Before the query, the fixture polls Druid for the row.
      'limits.queryTimeMs': onCluster ? '150' : '30',
      'limits.runningQueries': '1',
      'limits.waitingQueries': '0',
    })
    expect(await problemOf(await ask(service, 'snap', everySecond(1_000_000)))).toEqual({
      status: 503,
      code: 'query_timeout',
      retryable: false,
      retryAfter: null,
    })
    await until(async () => (await ask(service, 'latest', {})).status === 200)
  })

  test('a query abandoned by its client is cancelled, and its place becomes free', async () => {
    const places = { 'limits.runningQueries': '1', 'limits.waitingQueries': '0' }
    const service = await plant(places)
    // Each query would take a second; the test's time limit detects queries that continue.
    for (let leaving = 0; leaving < rounds(60); leaving++) {
      const controller = new AbortController()
      const left = ask(service, 'snap', everySecond(1_000_000), {}, controller.signal).catch(() => 'left')
      await pause(10)
      controller.abort()
      expect(await left).toBe('left')
      await until(async () => {
        const response = await ask(service, 'latest', {})
        await response.arrayBuffer()
        return response.status === 200
      })
    }
    expect(await readdir(await spoolOf(service))).toEqual([])
  })
})

test.each([
  ['limits.resultRows', 'select', {}, 'result_too_large'],
  ['limits.buckets', 'snap', everySecond(3), 'too_many_buckets'],
  ['limits.buckets', 'average', { granularity: 'second' }, 'too_many_buckets'],
  ['limits.resultBytes', 'select', {}, 'result_too_large'],
])('above %s, %s is a 413 that names the limit', async (limit, kind, body, code) => {
  const service = await plant({ [limit]: '2' })
  const response = await ask(service, kind, body)
  const problem = (await response.json()) as { detail: string }
  expect(problem).toMatchObject({ status: 413, code, retryable: false })
  expect(problem.detail).toContain(limit)
  expect(problem.detail).toMatch(/\b[23]\b/)
  expect(problem.detail).toMatch(/shorter range/)
})
