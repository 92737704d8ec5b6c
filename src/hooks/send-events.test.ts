import { expect, test } from 'vitest'
import type { Attempt, Delivery, Hook } from '../catalog/hooks.ts'
import { attemptOf, EventSender } from './send-events.ts'

const failed = { status: 500, error: 'the answer was 500' }

test('pauses between attempts grow to an hour, and delivery is abandoned after a day', () => {
  const dayMs = 86_400_000
  let [nowMs, attempts] = [0, 0]
  const pauses: number[] = []
  for (;;) {
    const attempt = attemptOf({ id: 1, attempts, timeMs: 0 }, failed, nowMs)
    attempts = attempt.attempts
    if (attempt.nextMs === null) {
      expect(attempt).toMatchObject({ state: 'given_up', endedMs: nowMs, ...failed })
      break
    }
    pauses.push(attempt.nextMs - nowMs)
    nowMs = attempt.nextMs
  }
  expect(pauses[0]).toBeLessThanOrEqual(15_000)
  expect(pauses).toEqual([...pauses].sort((left, right) => left - right))
  expect([pauses[1]! > pauses[0]!, Math.max(...pauses)]).toEqual([true, 3_600_000])
  expect(nowMs).toBeGreaterThan(dayMs - 3_600_000)
  expect(nowMs).toBeLessThanOrEqual(dayMs)
})

const hook = (name: string): Hook => ({
  name,
  url: `http://${name}`,
  kinds: [],
  secret: null,
  secretSetMs: null,
  createdMs: 0,
})
const delivery = (id: number, hook: string): Delivery => ({
  ...{ id, hook, kind: 'disk_low', timeMs: 0, details: { disk: 'd' }, state: 'waiting', attempts: 0, nextMs: 0 },
  ...{ status: null, error: null, endedMs: null },
})

test('a hook that hangs does not delay others, and a stopped delivery stays pending', async () => {
  const notes: Attempt[] = []
  const called: string[] = []
  const sender = new EventSender({
    hooks: {
      find: async (name) => hook(name),
      due: async (name) => [delivery(1, name), delivery(2, name)],
      note: async (attempt) => {
        notes.push(attempt)
      },
    },
    call: async ({ url, body }, stop) => {
      called.push(`${url} ${body}`)
      if (url === 'http://hangs') await new Promise((resolve) => stop.addEventListener('abort', resolve))
      return { status: 204, error: null }
    },
    failed: (error) => {
      throw error
    },
    nowMs: () => 5,
  })
  sender.begin([hook('hangs'), hook('well')])
  await expect.poll(() => notes.length).toBe(2)
  sender.begin([hook('hangs')])
  await sender.close()
  expect(notes.map(({ id, state }) => [id, state])).toEqual([
    [1, 'delivered'],
    [2, 'delivered'],
  ])
  expect(called.filter((one) => one.startsWith('http://hangs'))).toHaveLength(1)
  expect(called).toContain('http://well {"id":"2","kind":"disk_low","time":"1970-01-01T00:00:00.000Z","disk":"d"}')
  sender.begin([hook('well')])
  expect(notes).toHaveLength(2)
})

test('each event is sent to the current address of its hook, and is not sent after the hook is deleted', async () => {
  const called: (string | null)[] = []
  let current: Hook | null = { ...hook('old'), secret: 'first' }
  const next = [{ ...hook('old'), url: 'http://new', secret: 'second' }, null]
  const sender = new EventSender({
    hooks: {
      find: async () => current,
      due: async (name) => [1, 2, 3].map((id) => delivery(id, name)),
      note: async () => undefined,
    },
    call: async ({ url, secret }) => {
      called.push(`${url} ${secret}`)
      current = next.shift() ?? null
      return { status: 204, error: null }
    },
    failed: (error) => {
      throw error
    },
    nowMs: () => 5,
  })
  sender.begin([hook('old')])
  await expect.poll(() => called.length).toBe(2)
  await new Promise((resolve) => setImmediate(resolve))
  await sender.close()
  expect(called).toEqual(['http://old first', 'http://new second'])
})
