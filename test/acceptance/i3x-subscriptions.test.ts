// i3X 1.0: subscriptions, which are built on live rows. Each test covers a "must" of the implementation guide, or a property of our implementation.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest, makeSubscriber } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Update {
  readonly elementId: string
  readonly value: unknown
}
interface Batch {
  readonly sequenceNumber: number
  readonly updates: readonly Update[]
}
interface Body {
  readonly success: boolean
  readonly result?: unknown
  readonly results?: readonly { readonly success: boolean; readonly responseDetail?: { readonly status: number } }[]
  readonly responseDetail?: { readonly status: number; readonly detail: string }
}

/** The origin of a web page, which reads streams too. */
const origin = 'https://page.example'
let service: RunningService
let key: string
let last = 0

beforeAll(async () => {
  const settings = { 'access.consumption': 'key', 'i3x.hierarchy': 'equipment,parent,name', 'i3x.waitingBytes': '1500' }
  service = await runService({ ...settings, 'i3x.subscriptions': '40', 'cors.origins': origin })
  await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'other' })
  const fields = ['id', 'parent', 'name'].map((name) => ({
    name,
    type: 'string',
    role: name === 'id' ? 'index' : 'attribute',
  }))
  await makeIngest(service.url, adminKey, { alias: 'equipment', kind: 'metadata', fields })
  key = await makeSubscriber(
    service.url,
    adminKey,
    'factory',
    [{ entity: '*' }, { ingest: '*' }],
    ['consume', 'ingest'],
  )
  await push('plant', [row('a', 0), row('b', 0), row('pump', 0)])
  await push('other', [row('a', 0)])
  await push('equipment', [{ id: 'pump', name: 'Pump' }])
})
afterAll(() => service?.close())

const row = (T: string, V: number) => ({ D: new Date(Date.UTC(2026, 0, 1) + last++ * 1000).toISOString(), T, V })
const push = (alias: string, body: readonly object[]) =>
  callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body })
const post = (path: string, body: object, asker = key) =>
  call<Body>(service.url, 'POST', `/i3x/v1/subscriptions${path}`, { key: asker, body })

interface Subscribed {
  readonly clientId: string
  readonly subscriptionId: string
}

async function subscribe(elementIds: readonly string[], maxDepth = 1): Promise<Subscribed> {
  const { body } = await post('', { clientId: 'client' })
  const named = body.result as Subscribed
  const registered = await post('/register', { ...named, elementIds, maxDepth })
  expect(registered.body.success).toBe(true)
  return { clientId: 'client', subscriptionId: named.subscriptionId }
}

const sync = (named: Subscribed, lastSequenceNumber?: unknown) =>
  post('/sync', { ...named, ...(lastSequenceNumber === undefined ? {} : { lastSequenceNumber }) })
const batchesOf = ({ body }: { readonly body: Body }) => body.result as readonly Batch[]
const updatesOf = (batches: readonly Batch[]) =>
  batches.flatMap(({ updates }) => updates.map(({ elementId, value }) => [elementId, value]))

/** Syncs and acknowledges until this many updates have come. */
async function syncs(named: Subscribed, count: number): Promise<readonly (readonly unknown[])[]> {
  const told: (readonly unknown[])[] = []
  let acknowledged: number | undefined
  await expect
    .poll(
      async () => {
        const batches = batchesOf(await sync(named, acknowledged))
        told.push(...updatesOf(batches))
        acknowledged = batches.at(-1)?.sequenceNumber ?? acknowledged
        return told.length
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThanOrEqual(count)
  return told
}

test('updates arrive in order, in batches with rising numbers, until they are acknowledged', async () => {
  const named = await subscribe(['tag:plant:a', 'tag:other:a'])
  expect(batchesOf(await sync(named))).toEqual([])
  await push('plant', [row('a', 1), row('b', 2), row('a', 3)])
  await expect
    .poll(async () => updatesOf(batchesOf(await sync(named))))
    .toEqual([
      ['tag:plant:a', 1],
      ['tag:plant:a', 3],
    ])
  await push('other', [row('a', 4)])
  await expect.poll(async () => batchesOf(await sync(named)).length).toBe(2)
  const batches = batchesOf(await sync(named))
  expect(batches.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2])
  expect(batches[1]!.updates).toMatchObject([{ elementId: 'tag:other:a', value: 4, quality: 'Good' }])
  expect(batchesOf(await sync(named, 1))).toEqual(batches.slice(1))
  for (const invalid of [7, -2, 1.5, 'x']) expect((await sync(named, invalid)).status).toBe(400)
  expect(batchesOf(await sync(named))).toEqual(batches.slice(1))
  expect(batchesOf(await sync(named, 2))).toEqual([])
})

test('-1 acknowledges all waiting updates', async () => {
  const named = await subscribe(['tag:plant:a'])
  await push('plant', [row('a', 1)])
  await expect.poll(async () => batchesOf(await sync(named)).length).toBe(1)
  expect(batchesOf(await sync(named, -1))).toEqual([])
  await push('plant', [row('a', 2)])
  expect(await syncs(named, 1)).toEqual([['tag:plant:a', 2]])
})

test('objects are registered once, each separately, and unregistered', async () => {
  const named = await subscribe(['tag:plant:a'])
  const again = await post('/register', { ...named, elementIds: ['tag:plant:a', 'nothing'] })
  expect(again.body).toMatchObject({
    success: false,
    results: [{ success: true, result: null }, { responseDetail: { status: 404 } }],
  })
  const { body } = await post('/list', { clientId: 'client', subscriptionIds: [named.subscriptionId, 'nothing'] })
  expect(body).toMatchObject({
    success: false,
    results: [
      {
        result: { subscriptionId: named.subscriptionId, monitoredObjects: [{ elementId: 'tag:plant:a', maxDepth: 1 }] },
      },
      { subscriptionId: 'nothing', responseDetail: { status: 404 } },
    ],
  })
  await push('plant', [row('a', 1)])
  await expect.poll(async () => batchesOf(await sync(named)).length).toBe(1)
  const left = await post('/unregister', { ...named, elementIds: ['tag:plant:a', 'tag:plant:b'] })
  expect(left.body.results).toMatchObject([{ success: true }, { responseDetail: { status: 404 } }])
  await push('plant', [row('a', 2)])
  // Waiting updates are still delivered.
  expect(updatesOf(batchesOf(await sync(named)))).toEqual([['tag:plant:a', 1]])
})

test('entities, components and items are watched too', async () => {
  const whole = await subscribe(['entity:plant', 'tag:plant:b'])
  const parts = await subscribe(['item:equipment:pump'], 0)
  expect(updatesOf(batchesOf(await sync(parts, -1)))).toEqual([
    ['item:equipment:pump', { id: 'pump', parent: null, name: 'Pump' }],
  ])
  await push('plant', [row('b', 1), row('pump', 2)])
  await push('equipment', [{ id: 'pump', name: 'Feed pump' }])
  expect(await syncs(whole, 3)).toEqual([
    ['tag:plant:b', 1],
    ['entity:plant', { T: 'b', V: 1 }],
    ['entity:plant', { T: 'pump', V: 2 }],
  ])
  expect(await syncs(parts, 3)).toEqual(
    expect.arrayContaining([
      ['tag:plant:pump', 2],
      ['item:equipment:pump', { id: 'pump', parent: null, name: 'Feed pump' }],
    ]),
  )
})

test('a client that does not sync for a while misses nothing: updates beyond i3x.waitingBytes are read later', async () => {
  const named = await subscribe(['tag:plant:a'])
  const values = Array.from({ length: 400 }, (_, V) => V)
  const pushAll = (some: readonly number[]) =>
    push(
      'plant',
      some.map((V) => row('a', V)),
    )
  await pushAll(values.slice(0, 60))
  await expect.poll(async () => (await sync(named)).status).toBe(206)
  const first = await sync(named)
  expect(first.body.responseDetail?.status).toBe(206)
  await pushAll(values.slice(60))
  // The same batch is sent again until it is acknowledged, and no more than that.
  expect(batchesOf(await sync(named))).toEqual(batchesOf(first))
  expect(await syncs(named, 400)).toEqual(values.map((V) => ['tag:plant:a', V]))
})

test('a subscription is visible to its own client only, and checks what the key may read', async () => {
  const named = await subscribe(['tag:plant:a'])
  const others = { ...named, clientId: 'another' }
  for (const path of ['/sync', '/stream', '/register', '/unregister'])
    expect((await post(path, { ...others, elementIds: [] })).status).toBe(404)
  for (const path of ['/list', '/delete'])
    expect(
      (await post(path, { clientId: 'another', subscriptionIds: [named.subscriptionId] })).body.results,
    ).toMatchObject([{ responseDetail: { status: 404 } }])
  for (const path of ['', '/list', '/delete', '/register', '/unregister', '/sync', '/stream'])
    expect(
      (await post(path, { subscriptionId: named.subscriptionId, subscriptionIds: [], elementIds: [] })).status,
    ).toBe(400)
  const blind = await makeSubscriber(service.url, adminKey, 'blind', [{ entity: 'other' }], ['consume'])
  await push('plant', [row('a', 1)])
  expect(batchesOf(await post('/sync', named, blind))).toEqual([])
  expect((await post('/register', { ...named, elementIds: ['tag:plant:a'] }, blind)).body.results).toMatchObject([
    { responseDetail: { status: 404 } },
  ])
})

interface OpenStream {
  /** The updates received so far. */
  readonly told: Update[]
  readonly ended: Promise<unknown>
  readonly cut: () => void
}

async function openStream(named: Subscribed): Promise<OpenStream> {
  const cutting = new AbortController()
  const response = await fetch(`${service.url}/i3x/v1/subscriptions/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json', origin },
    body: JSON.stringify(named),
    signal: cutting.signal,
  })
  const headers = ['content-type', 'access-control-allow-origin'].map((name) => response.headers.get(name))
  expect([response.status, ...headers]).toEqual([200, 'text/event-stream', origin])
  const told: Update[] = []
  const read = async (): Promise<string> => {
    let rest = ''
    for await (const chunk of response.body!) {
      const blocks = (rest + Buffer.from(chunk).toString()).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) if (block.startsWith('data: ')) told.push(...JSON.parse(block.slice(6)))
    }
    return 'ended'
  }
  return { told, ended: read().catch((error: Error) => error.name), cut: () => cutting.abort() }
}

test('a stream sends waiting and new updates, and ends when another stream of the subscription starts', async () => {
  const named = await subscribe(['tag:plant:a'])
  await push('plant', [row('a', 1)])
  const first = await openStream(named)
  const valuesOf = ({ told }: OpenStream) => told.map(({ value }) => value)
  await expect.poll(() => valuesOf(first)).toEqual([1])
  await push('plant', [row('a', 2)])
  await expect.poll(() => valuesOf(first)).toEqual([1, 2])
  expect((await sync(named)).status).toBe(400)
  const second = await openStream(named)
  expect(await first.ended).toBe('ended')
  await push('plant', [row('a', 3)])
  await expect.poll(() => valuesOf(second)).toEqual([3])
  second.cut()
  expect(await second.ended).toBe('AbortError')
  await push('plant', [row('a', 4)])
  expect(await syncs(named, 1)).toEqual([['tag:plant:a', 4]])
})

test('a deleted subscription is unknown, and its stream ends', async () => {
  const named = await subscribe(['tag:plant:a'])
  const stream = await openStream(named)
  const { subscriptionId } = named
  const { body } = await post('/delete', { clientId: 'client', subscriptionIds: [subscriptionId, 'nothing'] })
  expect(body.results).toMatchObject([
    { subscriptionId, success: true, result: null },
    { responseDetail: { status: 404 } },
  ])
  expect(await stream.ended).toBe('ended')
  for (const path of ['/sync', '/stream']) expect((await post(path, named)).status).toBe(404)
})

test('clientId and displayName have a maximum length', async () => {
  const long = 'x'.repeat(4097)
  for (const body of [{ clientId: long }, { clientId: 'client', displayName: long }]) {
    const answer = await post('', body)
    expect([answer.status, answer.body.responseDetail!.detail]).toEqual([400, expect.stringContaining('4096')])
  }
})

test('a subscription beyond i3x.subscriptions is a 503', async () => {
  const answers = []
  for (let made = 0; made < 41; made++) answers.push(await post('', { clientId: 'many' }))
  expect(answers.at(-1)!.status).toBe(503)
  expect(answers.at(-1)!.body.responseDetail!.detail).toContain('i3x.subscriptions')
})
