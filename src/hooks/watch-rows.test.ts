import { expect, test } from 'vitest'
import { plant } from '../../test/support/http-server.ts'
import type { Hook, HookKind, LastReceived } from '../catalog/hooks.ts'
import { RowsWatch } from './watch-rows.ts'

const minuteMs = 60_000

function world() {
  const state = {
    nowMs: 100 * minuteMs,
    received: 0,
    newestMs: null as number | null,
    slow: async (): Promise<number | null> => null,
    rejected: [] as { readonly ms: number; readonly rows: number }[],
    heard: [] as readonly LastReceived[],
    looked: 0,
    isPatient: true,
    failures: 0,
    ingests: [plant],
    fails: false,
  }
  const watch = new RowsWatch({
    hooks: {
      lastReceived: async () => state.heard,
      putLastReceived: async (heard) => {
        state.heard = heard
      },
    },
    rejected: {
      counts: async () => new Map([[plant.id, state.rejected.reduce((sum, { rows }) => sum + rows, 0)]]),
      since: async (_, fromMs) => {
        state.looked += 1
        if (state.fails) throw new Error('the database is away')
        return state.rejected.filter(({ ms }) => ms >= fromMs).reduce((sum, { rows }) => sum + rows, 0)
      },
    },
    definitions: {
      ingests: () => state.ingests,
      ingest: (alias) => (alias === plant.alias ? plant : undefined),
      entities: () => [{ name: 'plant' }, { name: 'other' }],
    },
    received: () => state.received,
    newestMs: (entity, tag) =>
      tag === 'slow' ? state.slow() : Promise.resolve(entity === 'plant' ? state.newestMs : null),
    nowMs: () => state.nowMs,
    delayOver: () => (state.isPatient ? new Promise(() => undefined) : Promise.resolve()),
    failed: () => {
      state.failures++
    },
  })
  const ask = (...kinds: HookKind[]) => {
    const hook: Hook = { name: 'h', url: 'http://h', kinds, secret: null, secretSetMs: null, createdMs: 0 }
    return watch.conditions([hook])
  }
  return { state, ask, watch }
}

test('too many rejected rows are reported while more than "over" arrived within the period', async () => {
  const { state, ask } = world()
  const kind = { kind: 'rejected_rows', over: 10, within: 'PT5M' } as const
  state.rejected.push({ ms: state.nowMs, rows: 10 })
  expect(await ask(kind)).toEqual([])
  state.rejected.push({ ms: state.nowMs, rows: 1 })
  const [condition] = await ask(kind)
  expect(condition).toMatchObject({
    hook: 'h',
    kind: 'rejected_rows',
    details: { ingest: 'plant', rows: 11, over: 10 },
  })
  state.nowMs += 4 * minuteMs
  expect((await ask(kind))[0]!.key).toBe(condition!.key)
  state.nowMs += 2 * minuteMs
  expect(await ask(kind)).toEqual([])
  const { looked } = state
  expect(await ask(kind)).toEqual([])
  expect(state.looked).toBe(looked)
})

test('rejected rows are checked again after a failure, for a new hook, and when their ingest becomes known', async () => {
  const { state, ask } = world()
  const kind = { kind: 'rejected_rows', over: 0, within: 'PT5M' } as const
  expect(await ask({ ...kind, over: 1 })).toEqual([])
  state.rejected.push({ ms: state.nowMs, rows: 1 })
  state.ingests = []
  expect(await ask({ ...kind, over: 1 })).toEqual([])
  state.ingests = [plant]
  state.fails = true
  expect(await ask({ ...kind, over: 1 })).toEqual([])
  state.fails = false
  expect(await ask({ ...kind, over: 1 })).toEqual([])
  expect(await ask(kind)).toMatchObject([{ details: { rows: 1 } }])
  state.rejected.push({ ms: state.nowMs, rows: 1 })
  state.ingests = []
  expect(await ask(kind)).toEqual([])
  state.ingests = [plant]
  expect(await ask(kind)).toMatchObject([{ details: { rows: 2 } }])
  state.rejected.push({ ms: state.nowMs, rows: 1 })
  state.fails = true
  expect(await ask(kind)).toMatchObject([{ details: { rows: 2 } }])
  expect(state.failures).toBe(2)
  state.fails = false
  expect(await ask(kind)).toMatchObject([{ details: { rows: 3 } }])
})

test('an ingest that has received rows before is reported as silent, also after a restart', async () => {
  const first = world()
  const kind = { kind: 'nothing_received', ingest: 'plant', for: 'PT10M' } as const
  expect(await first.ask(kind)).toEqual([])
  first.state.nowMs += 20 * minuteMs
  // No row was ever received.
  expect(await first.ask(kind)).toEqual([])
  first.state.received = 5
  expect(await first.ask(kind)).toEqual([])
  const heardMs = first.state.nowMs
  const second = world()
  Object.assign(second.state, first.state, { nowMs: heardMs + 9 * minuteMs })
  expect(await second.ask(kind)).toEqual([])
  second.state.nowMs += minuteMs
  expect(await second.ask(kind)).toMatchObject([
    { kind: 'nothing_received', details: { ingest: 'plant', for: 'PT10M', since: new Date(heardMs).toISOString() } },
  ])
  second.state.received = 6
  expect(await second.ask(kind)).toEqual([])
  expect(await second.ask({ ...kind, ingest: 'nowhere' })).toEqual([])
  expect(second.state.heard).toEqual([])
})

test('a tag is reported as silent when its newest item is older than the period', async () => {
  const { state, ask } = world()
  const kind = { kind: 'nothing_received', tag: 'a', for: 'PT10M' } as const
  expect(await ask(kind)).toEqual([])
  state.newestMs = state.nowMs - 11 * minuteMs
  expect(await ask(kind)).toMatchObject([{ details: { tag: 'a', for: 'PT10M' } }])
  expect(await ask({ ...kind, entity: 'other' })).toEqual([])
  state.newestMs = state.nowMs
  expect(await ask(kind)).toEqual([])
})

test('a hook whose check is slow or fails keeps its conditions, and does not delay others', async () => {
  const { state, watch } = world()
  const hook = (name: string, tag: string): Hook => {
    const kinds = [{ kind: 'nothing_received', tag, for: 'PT10M' }] as const
    return { name, url: 'http://h', kinds, secret: null, secretSetMs: null, createdMs: 0 }
  }
  const hooks = [hook('first', 'slow'), hook('second', 'a')]
  const told = async (): Promise<string[]> => (await watch.conditions(hooks)).map((one) => one.hook)
  state.slow = async () => state.nowMs - 11 * minuteMs
  expect(await told()).toEqual(['first'])
  state.isPatient = false
  state.newestMs = state.nowMs - 11 * minuteMs
  let fail: (error: Error) => void = () => undefined
  state.slow = () => new Promise((_, reject) => (fail = reject))
  await expect.poll(told).toEqual(['first', 'second'])
  state.slow = () => Promise.reject(new Error('away'))
  fail(new Error('away'))
  await expect.poll(told).toEqual(['first', 'second'])
  await expect.poll(() => state.failures).toBeGreaterThan(0)
  state.slow = async () => state.nowMs
  await expect.poll(told).toEqual(['second'])
})
