import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { DruidClient, type QueryLanguage } from './druid-client.ts'

type Request = Readonly<{ path: string; names: Record<string, unknown> }>

/** A broker whose responses the test sends. It responds to every DELETE with 202, as Druid does. */
class Broker {
  readonly #server: Server
  readonly queries: (Request & { readonly response: ServerResponse })[] = []
  readonly cancels: string[] = []
  #changed: () => void = () => undefined

  constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response))
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  /** Resolves when `isThere` returns true. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    if (request.method === 'DELETE') {
      this.cancels.push(path)
      response.writeHead(202).end()
    } else {
      const { context } = JSON.parse(Buffer.concat(chunks).toString())
      this.queries.push({ path, names: context, response })
    }
    this.#changed()
  }
}

let end: () => Promise<void>
afterEach(() => end())

async function world({ connections = 2 } = {}) {
  const broker = new Broker()
  const url = await broker.open()
  let nowMs = 0
  const due: { readonly delayMs: number; readonly callback: () => void }[] = []
  const settings = { queryUrl: url, managementUrl: url, credentials: null, ca: null, connections }
  const client = new DruidClient(
    { ...settings, managementTimeoutMs: 10_000 },
    {
      nowMs: () => nowMs,
      timer: (callback, delayMs) => {
        due.push({ delayMs, callback })
        return () => undefined
      },
    },
  )
  end = async () => {
    client.close()
    await broker.close()
  }
  const setNow = (ms: number): void => {
    nowMs = ms
  }
  return { broker, client, due, setNow }
}

async function answer(
  client: DruidClient,
  language: QueryLanguage,
  signal = new AbortController().signal,
): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of client.query(language, { queryType: 'scan' }, { signal, timeoutMs: 5000 }))
    chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test.each<[QueryLanguage, (names: Record<string, unknown>) => string[]]>([
  ['native', ({ queryId }) => [`/druid/v2/${queryId}`]],
  ['sql', ({ queryId, sqlQueryId }) => [`/druid/v2/${queryId}`, `/druid/v2/sql/${sqlQueryId}`]],
])(
  '%s: a query abandoned before Druid answers is cancelled after Druid has received it, and again later',
  async (language, paths) => {
    const { broker, client, due, setNow } = await world()
    const leaving = new AbortController()
    const left = answer(client, language, leaving.signal).catch((error: Error) => error.name)
    await broker.until(() => broker.queries.length === 1)
    setNow(100)
    leaving.abort()
    expect(await left).toBe('AbortError')
    expect(broker.cancels).toEqual([])
    expect(due.map(({ delayMs }) => delayMs)).toEqual([900])
    const expected = paths(broker.queries[0]!.names)
    due[0]!.callback()
    await broker.until(() => broker.cancels.length === expected.length)
    expect(broker.cancels.toSorted()).toEqual(expected)
    expect(due.map(({ delayMs }) => delayMs)).toEqual([900, 1000])
  },
)

test('an abandoned query keeps its connection until Druid has received its cancel, and the next query waits', async () => {
  const { broker, client, due } = await world({ connections: 1 })
  const leaving = new AbortController()
  const left = answer(client, 'native', leaving.signal).catch((error: Error) => error.name)
  await broker.until(() => broker.queries.length === 1)
  leaving.abort()
  expect(await left).toBe('AbortError')
  const next = answer(client, 'native')
  due[0]!.callback()
  await broker.until(() => broker.queries.length === 2)
  expect(broker.cancels.length).toBe(1)
  broker.queries[1]!.response.end('[]')
  expect(await next).toBe('[]')
})

test('a query abandoned in the middle of its response is cancelled immediately, and only once', async () => {
  const { broker, client, due } = await world()
  const pieces = client.query('native', {}, { signal: new AbortController().signal, timeoutMs: 5000 })
  const first = pieces.next()
  await broker.until(() => broker.queries.length === 1)
  broker.queries[0]!.response.write('[1,')
  expect(String((await first).value)).toBe('[1,')
  await pieces.return(undefined)
  await broker.until(() => broker.cancels.length === 1)
  expect(broker.cancels).toEqual([`/druid/v2/${broker.queries[0]!.names['queryId']}`])
  expect(due).toEqual([])
})

test('a query abandoned while waiting for a connection is neither sent nor cancelled', async () => {
  const { broker, client, due } = await world({ connections: 1 })
  const whole = answer(client, 'native')
  await broker.until(() => broker.queries.length === 1)
  const leaving = new AbortController()
  const left = answer(client, 'native', leaving.signal).catch((error: Error) => error.name)
  leaving.abort()
  broker.queries[0]!.response.end('[]')
  expect(await whole).toBe('[]')
  expect(await left).toBe('AbortError')
  expect([broker.queries.length, broker.cancels, due]).toEqual([1, [], []])
})

test.each<QueryLanguage>(['native', 'sql'])(
  'an HTML page instead of a query response is reported as unavailable: %s',
  async (language) => {
    const { broker, client } = await world()
    const asked = answer(client, language)
    await broker.until(() => broker.queries.length > 0)
    broker.queries[0]!.response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Sign in</h1>')
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
  },
)

test('an HTML page instead of a management response is reported as unavailable', async () => {
  const { broker, client } = await world()
  const managed = client.manage('POST', '/druid/indexer/v1/supervisor', { context: {} })
  await broker.until(() => broker.queries.length > 0)
  broker.queries[0]!.response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
  await expect(managed).rejects.toMatchObject({ code: 'unavailable' })
})
