// Time, gaps and capacity of subscriptions, over live rows that the test sends.
import { expect, test, vi } from 'vitest'
import { Cancellation } from '../lib/cancellation.ts'
import type { LiveListener } from '../live/live.ts'
import type { LiveStart } from '../live/live-rows.ts'
import { keyOfText } from '../metadata/identifier.ts'
import type { Entity, MetadataEntity } from '../model/entity.ts'
import { attributeLine } from '../model/item.ts'
import type { SelectPlan } from '../model/plan.ts'
import { Problem } from '../model/problem.ts'
import { AddressSpace } from './address-space.ts'
import type { LivePort, SyncUpdate } from './subscription.ts'
import { Subscriptions } from './subscriptions.ts'
import { Values } from './values.ts'

const plant: Entity = {
  ...{ id: 1, name: 'plant', duplicates: 'keep', ingests: [], retention: null, sinceMs: null },
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
}
const machines: MetadataEntity = {
  ...{ id: 2, name: 'machines' },
  fields: [
    { name: 'id', type: 'string', role: 'index' },
    { name: 'name', type: 'string', role: 'attribute' },
  ],
}
const caller = { reader: { id: 'reader', mayRead: () => true }, cancellation: new Cancellation() }
const never = () => Promise.reject(new Error('nothing is asked'))

/** A log of rows, kept from a position on. */
class Log {
  readonly #rows: string[] = []
  readonly #listeners = new Map<LiveListener<LiveStart>, number>()
  keptFrom = 0
  isFull = false

  get followers(): number {
    return this.#listeners.size
  }

  add(V: number): void {
    this.#rows.push(JSON.stringify([{ D: '2026-01-01T00:00:00.000Z', T: 'a', V }]))
    for (const [listener, from] of [...this.#listeners]) this.#tell(listener, from)
  }

  readonly live: LivePort = {
    read: ({ entity }) => {
      const plan = { kind: 'select', selection: { entityId: 1 } } as SelectPlan
      return { entity, entityId: 1, question: { plan, itemTags: null } }
    },
    isAllowed: () => true,
    idOf: (_, position) => String(position),
    follow: async (_, lastId, listener) => {
      if (this.isFull) throw new Problem('overloaded', 'one reader too many')
      const isReset = lastId !== null && Number(lastId) < this.keptFrom
      const from = lastId === null || isReset ? this.#rows.length : Number(lastId)
      this.#listeners.set(listener, from)
      queueMicrotask(() => {
        listener.begun(String(from), isReset)
        this.#tell(listener, from)
      })
      return { wait: () => undefined, end: () => this.#listeners.delete(listener) }
    },
  }

  #tell(listener: LiveListener<LiveStart>, from: number): void {
    for (let at = from; at < this.#rows.length && this.#listeners.has(listener); at++) {
      this.#listeners.set(listener, at + 1)
      const position = String(at + 1)
      listener.update({ followers: [], rows: [{ items: this.#rows[at]!, position }], position })
    }
  }
}

const rowBytes = 48

async function subscribed(limits: Partial<{ subscriptions: number; waitingRows: number; idleMs: number }> = {}) {
  const log = new Log()
  const clock = { nowMs: 0 }
  const press = { name: 'Press' }
  const readPress = () => ({
    ...{ key: keyOfText('string', 'press')!, attributes: attributeLine('name', JSON.stringify(press.name)) },
  })
  const { subscriptions: most = 10, waitingRows = 10, idleMs = 1000 } = limits
  const space = new AddressSpace({
    definitions: {
      ...{ entity: () => plant, entities: () => [plant] },
      ...{ metadataEntity: () => machines, metadataEntities: () => [machines] },
    },
    tagLists: { page: async () => ({ tags: ['a'], more: false }) },
    items: { list: never, find: async () => ({ items: [readPress()], keysRead: 1 }) },
    ...{ hierarchy: null, namespaceUri: 'urn:test', objectsMax: 10 },
  })
  const nowMs = () => clock.nowMs
  const values = new Values({ space, queries: { run: never }, sqlQueries: { run: never }, valuesMax: 10, nowMs })
  const subscriptions = new Subscriptions({
    ...{ live: log.live, space, values, nowMs },
    limits: { subscriptions: most, objects: 10, waitingBytes: waitingRows * rowBytes, idleMs },
  })
  const named = subscriptions.create('client', null)
  await subscriptions.register(named, ['tag:plant:a'], 1, caller)
  const sync = async (acknowledged: number | null = null) => {
    const { result, partial } = await subscriptions.sync(named, acknowledged, caller)
    return { told: result.map(({ sequenceNumber, updates }) => [sequenceNumber, ...valuesOf(updates)]), partial }
  }
  return { log, clock, press, subscriptions, named, sync }
}

const valuesOf = (updates: readonly SyncUpdate[]) => updates.map(({ value }) => value)

test('rows over the limit of waiting rows stay in the log, and are returned after an acknowledgement', async () => {
  const { log, sync } = await subscribed({ waitingRows: 2 })
  for (const value of [1, 2, 3, 4, 5]) log.add(value)
  expect(log.followers).toBe(0)
  expect(await sync()).toEqual({ told: [[1, 1, 2, 3]], partial: expect.stringContaining('i3x.waitingBytes') })
  expect(await sync()).toEqual({ told: [[1, 1, 2, 3]], partial: expect.stringContaining('i3x.waitingBytes') })
  await sync(1)
  expect(await sync()).toEqual({ told: [[2, 4, 5]], partial: null })
})

test('rows that the log no longer stores are reported as a gap', async () => {
  const { log, sync } = await subscribed({ waitingRows: 2 })
  for (const value of [1, 2, 3, 4, 5]) log.add(value)
  expect((await sync()).told).toEqual([[1, 1, 2, 3]])
  log.keptFrom = 5
  await sync(1)
  log.add(6)
  expect(await sync()).toEqual({ told: [[3, 6]], partial: expect.stringContaining('limits.liveKeepMs') })
  expect(await sync()).toEqual({ told: [[3, 6]], partial: null })
})

test('-1 also acknowledges rows still in the log', async () => {
  const { log, sync } = await subscribed({ waitingRows: 2 })
  for (const value of [1, 2, 3, 4, 5]) log.add(value)
  expect(await sync(-1)).toEqual({ told: [], partial: null })
  log.add(6)
  expect((await sync()).told).toEqual([[1, 6]])
})

test('a change of an item is returned by the next sync after a failed one', async () => {
  const { log, subscriptions, named, sync } = await subscribed({ waitingRows: 1 })
  await subscriptions.register(named, ['item:machines:press'], 1, caller)
  for (const value of [1, 2, 3]) log.add(value)
  log.isFull = true
  await expect(sync(-1)).rejects.toMatchObject({ code: 'overloaded' })
  log.isFull = false
  expect(await sync(-1)).toEqual({ told: [[1, { id: 'press', name: 'Press' }]], partial: null })
  expect(await sync(1)).toEqual({ told: [], partial: null })
})

test('changes of items share the byte limit of rows, and the newest is returned when there is capacity', async () => {
  const { press, subscriptions, named, sync } = await subscribed({ waitingRows: 1 })
  await subscriptions.register(named, ['item:machines:press'], 1, caller)
  for (const name of ['Press 1', 'Press 2', 'Press 3', 'Press 4']) {
    press.name = name
    await sync()
  }
  const two = [
    [1, { id: 'press', name: 'Press 1' }],
    [2, { id: 'press', name: 'Press 2' }],
  ]
  expect(await sync()).toEqual({ told: two, partial: expect.stringContaining('i3x.waitingBytes') })
  expect(await sync(2)).toEqual({ told: [[3, { id: 'press', name: 'Press 4' }]], partial: null })
})

test('an idle subscription is deleted with all its data, but not while a stream is open', async () => {
  const { log, clock, subscriptions, named, sync } = await subscribed({ idleMs: 1000 })
  clock.nowMs = 1000
  await sync()
  clock.nowMs = 2000
  const stream = await subscriptions.open(named, {
    ...{ isBusy: () => false, write: () => undefined, end: () => undefined, caller: () => caller },
  })
  clock.nowMs = 9000
  subscriptions.expire()
  stream.close()
  clock.nowMs = 10_000
  subscriptions.expire()
  expect(log.followers).toBe(1)
  clock.nowMs = 10_001
  subscriptions.expire()
  expect(log.followers).toBe(0)
  await expect(sync()).rejects.toMatchObject({ code: 'not_found' })
})

test('the number of subscriptions is limited, and a deletion frees a place', async () => {
  const { subscriptions, named } = await subscribed({ subscriptions: 2 })
  subscriptions.create('other', null)
  expect(() => subscriptions.create('third', null)).toThrow(Problem)
  subscriptions.delete('client', [named.subscriptionId])
  expect(subscriptions.create('third', null).clientId).toBe('third')
})

test('a request that names more objects than i3x.objects is refused', async () => {
  const { subscriptions, named } = await subscribed()
  const ids = Array.from({ length: 11 }, (_, at) => `tag:plant:${at}`)
  const tooMany = expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('i3x.objects') })
  expect(() => subscriptions.list('client', ids)).toThrow(tooMany)
  expect(() => subscriptions.delete('client', ids)).toThrow(tooMany)
  await expect(async () => subscriptions.register(named, ids, 1, caller)).rejects.toEqual(tooMany)
  await expect(async () => subscriptions.unregister(named, ids, caller)).rejects.toEqual(tooMany)
})

test('a busy stream receives the rest later, and nothing twice', async () => {
  const { log, subscriptions, named, sync } = await subscribed({ waitingRows: 100 })
  log.add(1)
  expect((await sync()).told).toEqual([[1, 1]])
  const told: unknown[] = []
  let isBusy = false
  const sink = { isBusy: () => isBusy, write: (all: readonly SyncUpdate[]) => told.push(...valuesOf(all)) }
  const stream = await subscriptions.open(named, { ...sink, end: () => undefined, caller: () => caller })
  stream.more()
  await expect.poll(() => told).toEqual([1])
  isBusy = true
  log.add(2)
  await expect(sync()).rejects.toMatchObject({ code: 'invalid_request' })
  expect(told).toEqual([1])
  isBusy = false
  stream.more()
  await expect.poll(() => told).toEqual([1, 2])
  stream.close()
  log.add(3)
  expect((await sync()).told).toEqual([[2, 3]])
})

test('a failing stream has sent its waiting rows, and the next stream continues with the rest', async () => {
  const { log, subscriptions, named } = await subscribed({ waitingRows: 2 })
  for (const value of [1, 2, 3, 4, 5]) log.add(value)
  log.isFull = true
  const told: unknown[] = []
  let ended = 0
  const write = (all: readonly SyncUpdate[]) => told.push(...valuesOf(all))
  const sink = { isBusy: () => false, write, end: () => ended++, caller: () => caller }
  const first = await subscriptions.open(named, sink)
  first.more()
  await expect.poll(() => ended).toBe(1)
  expect(told).toEqual([1, 2, 3])
  first.close()
  log.isFull = false
  const next = await subscriptions.open(named, sink)
  next.more()
  await expect.poll(() => told).toEqual([1, 2, 3, 4, 5])
  next.close()
})

test('a busy stream receives updates in larger batches', async () => {
  vi.useFakeTimers()
  try {
    const { log, subscriptions, named } = await subscribed({ waitingRows: 100 })
    const events: unknown[] = []
    const write = (all: readonly SyncUpdate[]) => events.push(valuesOf(all))
    const sink = { isBusy: () => false, write, end: () => undefined, caller: () => caller }
    const stream = await subscriptions.open(named, sink)
    for (const value of [1, 2, 3]) {
      log.add(value)
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(events).toEqual([[1]])
    await vi.advanceTimersByTimeAsync(1000)
    expect(events).toEqual([[1], [2, 3]])
    stream.close()
  } finally {
    vi.useRealTimers()
  }
})
