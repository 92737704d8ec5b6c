// i3X: the latency of a call that browses 10,000 objects, and the rate of pushes next to subscriptions that clients sync.
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callOk, makeIngest } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { push } from './background-load.ts'
import { printTable, quantile, spread } from './figures.ts'
import { runLoad } from './load.ts'
import { drain, makePlant, plantBodies, tagName } from './plant.ts'

interface Size {
  readonly objects: number
  readonly subscriptions: number
  readonly runs: number
  readonly seconds: number
}

type Post = <Answer>(path: string, body: object) => Promise<Answer>

export async function benchI3x(size: Size): Promise<void> {
  await withServer((url) => browse(url, size))
  const ways: readonly (readonly [name: string, way: Way])[] = [
    ['nothing', null],
    [`${size.subscriptions} subscriptions, each synced once a second`, 'sync'],
    [`${size.subscriptions} subscriptions with streams`, 'stream'],
  ]
  const measured = new Map(ways.map(([name]): [string, Beside[]] => [name, []]))
  // In turn, so that other work on the machine affects all of them.
  for (let run = 0; run < size.runs; run++) {
    for (const [name, way] of ways)
      await withServer(async (url) => {
        measured.get(name)!.push(await pushBeside(url, way, size))
      })
  }
  printTable(
    'Pushes of 1000 rows, 100,000 a second, beside subscriptions of a tag each',
    ['beside', 'rows/s', 'answer p50 ms', 'p99 ms', 'updates/s'],
    [...measured].map(([name, all]) => [
      name,
      ...(['rows', 'pushMs', 'pushP99Ms', 'updates'] as const).map((figure) =>
        spread(
          all.map((one) => one[figure]),
          0,
        ),
      ),
    ]),
  )
}

async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const environment = { TIDEMARK_I3X_HIERARCHY: 'equipment,parent,name', TIDEMARK_LIMITS_LIVE_READERS: '10000' }
  const server = await ServerProcess.start({ dataDirectory, environment })
  try {
    await work(server.url)
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

const posting =
  (url: string): Post =>
  (path, body) =>
    callOk(url, 'POST', `/i3x/v1${path}`, { key: adminKey, body })

async function browse(url: string, { objects, runs }: Size): Promise<void> {
  const place = (index: number): string => `site.line-${index % 100}.machine-${index}`
  const key = await makePlant(url, 'plant')
  const rows = Array.from({ length: objects }, (_, index) => ({ D: '2026-01-01', T: place(index), V: index }))
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key, body: rows })
  const fields = ['id', 'parent', 'name'].map((name) => ({
    ...{ name, type: 'string', role: name === 'id' ? 'index' : 'attribute' },
  }))
  const tableKey = await makeIngest(url, adminKey, { alias: 'equipment', kind: 'metadata', fields })
  const items = Array.from({ length: objects }, (_, index) => ({
    ...{ id: `e${index}`, parent: index === 0 ? null : `e${index < 100 ? 0 : index % 100}`, name: `Machine ${index}` },
  }))
  await callOk(url, 'POST', '/ingests/equipment/data?wait=true', { key: tableKey, body: items })
  const ids = rows.map(({ T }) => `tag:plant:${T}`)
  const itemIds = items.map(({ id }) => `item:equipment:${id}`)
  const related = (elementId: string) => ({ elementIds: [elementId], relationshipType: 'HasChildren' })
  const calls: readonly (readonly [path: string, body: object | null, what: string])[] = [
    ['/objects?root=true', null, 'the roots'],
    ['/objects?typeElementId=type:tag:plant', null, 'all tags'],
    ['/objects?typeElementId=type:item:equipment', null, 'all items'],
    ['/objects/related', related('entity:plant'), 'children of the entity'],
    ['/objects/related', related('folder:plant:site.'), 'a folder of 100 folders'],
    ['/objects/related', related('folder:plant:site.line-5.'), 'a folder of 100 tags'],
    ['/objects/related', related('item:equipment:e0'), 'an item of 99 items'],
    ['/objects/related', related('item:equipment:e7'), 'another item of 99 items'],
    ['/objects/list', { elementIds: ids }, 'all tags, by id'],
    ['/objects/list', { elementIds: itemIds }, 'all items, by id'],
    ['/objects/value', { elementIds: ids }, 'values of all tags'],
    ['/objects/value', { elementIds: itemIds }, 'values of all items'],
  ]
  const ms = new Map(calls.map(([, , what]): [string, number[]] => [what, []]))
  for (let run = -5; run < runs * 10; run++) {
    for (const [path, body, what] of calls) {
      const startMs = performance.now()
      const response = await fetch(`${url}/i3x/v1${path}`, {
        ...{ method: body === null ? 'GET' : 'POST', headers: { 'content-type': 'application/json' } },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      })
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
      if (run >= 0) ms.get(what)!.push(performance.now() - startMs)
    }
  }
  printTable(
    `Browsing ${objects} tags and ${objects} items`,
    ['call', 'p50 ms', 'p99 ms'],
    [...ms].map(([what, all]) => [what, ...[0.5, 0.99].map((share) => quantile(all, share).toFixed(1))]),
  )
}

/** How the clients of subscriptions get their updates; null without clients. */
type Way = 'sync' | 'stream' | null

interface Beside {
  readonly rows: number
  readonly pushMs: number
  readonly pushP99Ms: number
  readonly updates: number
}

const tags = 1000
/** The pause of each of four connections, which push 1000 rows at a time: about 100,000 rows a second. */
const pauseMs = 38

async function pushBeside(url: string, way: Way, { subscriptions, seconds }: Size): Promise<Beside> {
  const post = posting(url)
  const key = await makePlant(url, 'plant')
  const [first] = [...plantBodies(tags, 1, tags)]
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key, body: JSON.parse(first!.body) })
  const all: Subscribed[] = []
  for (let index = 0; way !== null && index < subscriptions; index++) {
    const { result } = await post<{ result: Subscribed }>('/subscriptions', { clientId })
    const one = { clientId, subscriptionId: result.subscriptionId }
    await post('/subscriptions/register', { ...one, elementIds: [`tag:plant:${tagName(index % tags)}`] })
    all.push(one)
  }
  const endMs = performance.now() + seconds * 1000
  const following = way === 'stream' ? streamAll(url, all, endMs) : syncAll(url, all, endMs)
  const bodies = [...plantBodies(tags, 50, tags)].map(({ body }) => push(url, key, body))
  let sent = 0
  const next = () => (performance.now() < endMs ? bodies[sent++ % bodies.length]! : null)
  const load = await runLoad({ url, connections: 4, next, pauseMs, retryMs: 20 })
  const updates = await following
  await drain(url, 'plant')
  return {
    rows: (load.answers * tags) / load.seconds,
    pushMs: quantile(load.latenciesMs, 0.5),
    pushP99Ms: quantile(load.latenciesMs, 0.99),
    updates: updates / load.seconds,
  }
}

const clientId = 'bench'

interface Subscribed {
  readonly clientId: string
  readonly subscriptionId: string
}

/** Syncs one subscription after the other on eight connections, each about once a second. Returns the number of updates. */
async function syncAll(url: string, all: readonly Subscribed[], endMs: number): Promise<number> {
  let updates = 0
  const clients = 8
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const sync = (body: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const asked = request(`${url}/i3x/v1/subscriptions/sync`, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (part) => {
          text += part
        })
        response.on('end', () => resolve(text))
      })
      asked.on('error', reject).end(JSON.stringify(body))
    })
  const last = new Map<Subscribed, number>()
  const client = async (first: number): Promise<void> => {
    for (let at = first; performance.now() < endMs; at = (at + clients) % all.length) {
      const startMs = performance.now()
      const lastSequenceNumber = last.get(all[at]!)
      const text = await sync({ ...all[at]!, ...(lastSequenceNumber === undefined ? {} : { lastSequenceNumber }) })
      // A search is cheaper than parsing everything: this client shares the machine with the service.
      for (const [, number] of text.matchAll(/"sequenceNumber":(\d+)/g)) last.set(all[at]!, Number(number))
      updates += text.split('"elementId"').length - 1
      const leftMs = (1000 * clients) / all.length - (performance.now() - startMs)
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs))
    }
  }
  await Promise.all(all.slice(0, clients).map((_, index) => client(index)))
  agent.destroy()
  return updates
}

async function streamAll(url: string, all: readonly Subscribed[], endMs: number): Promise<number> {
  let updates = 0
  const opened = all.map((one) => {
    const headers = { 'content-type': 'application/json' }
    const asked = request(`${url}/i3x/v1/subscriptions/stream`, { method: 'POST', headers }, (response) => {
      response.setEncoding('latin1').on('data', (part: string) => {
        updates += part.split('"elementId"').length - 1
      })
    })
    asked.on('error', () => undefined).end(JSON.stringify(one))
    return asked
  })
  await new Promise((resolve) => setTimeout(resolve, endMs - performance.now()))
  for (const asked of opened) asked.destroy()
  return updates
}
