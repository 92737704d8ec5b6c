import { setImmediate as settled } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type AbandonedQuery, QueryCancels } from './query-cancels.ts'

/** A timer that the test advances, and the paths sent with their times. */
function world() {
  let nowMs = 0
  let due: { readonly atMs: number; readonly callback: () => void }[] = []
  const sent: [path: string, atMs: number][] = []
  const cancels = new QueryCancels({
    send: async (path) => {
      sent.push([path, nowMs])
      throw new Error('Druid is away')
    },
    timer: (callback, delayMs) => {
      const one = { atMs: nowMs + delayMs, callback }
      due = [...due, one]
      return () => {
        due = due.filter((other) => other !== one)
      }
    },
  })
  const pass = (ms: number): void => {
    const untilMs = nowMs + ms
    for (;;) {
      const next = due.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) break
      due = due.filter((one) => one !== next)
      nowMs = next.atMs
      next.callback()
    }
    nowMs = untilMs
  }
  return { cancels, sent, pass, waiting: () => due.length }
}

const abandoned: AbandonedQuery = {
  paths: ['/a'],
  ageMs: 0,
  isAnswered: false,
  timeoutMs: 10_000,
  onCancelled: () => undefined,
}

describe('an abandoned query is cancelled', () => {
  test.each<[string, Partial<AbandonedQuery>, number[]]>([
    ['only when its servers have received it, then repeatedly until its timeout', {}, [1000, 2000, 4000, 8000]],
    ['sooner if it is older', { ageMs: 200 }, [800, 1800, 3800, 7800]],
    ['immediately if it is old', { ageMs: 4000 }, [0, 1000, 3000]],
    ['once if Druid has answered', { isAnswered: true }, [0]],
    ['once if Druid answered within 5 ms', { isAnswered: true, ageMs: 5 }, [0]],
    ['never if it times out before the first cancel', { timeoutMs: 200 }, []],
    ['never after its timeout', { ageMs: 10_000 }, []],
  ])('%s', (_, query, expected) => {
    const { cancels, sent, pass, waiting } = world()
    cancels.cancel({ ...abandoned, ...query })
    pass(100_000)
    expect(sent.map(([, atMs]) => atMs)).toEqual(expected)
    expect(waiting()).toBe(0)
  })
})

test('a cancel is sent to each path of a query', () => {
  const { cancels, sent, pass } = world()
  cancels.cancel({ ...abandoned, paths: ['/a', '/b'], timeoutMs: 2500 })
  pass(10_000)
  expect(sent).toEqual([
    ['/a', 1000],
    ['/b', 1000],
    ['/a', 2000],
    ['/b', 2000],
  ])
})

test('beyond 1000 abandoned queries, the oldest are not cancelled', () => {
  const { cancels, sent, pass, waiting } = world()
  for (let index = 0; index < 1200; index++) cancels.cancel({ ...abandoned, paths: [`/${index}`] })
  expect(waiting()).toBe(1000)
  pass(1000)
  expect(sent.length).toBe(1000)
  expect(sent[0]?.[0]).toBe('/200')
})

test('no cancel is sent after close()', () => {
  const { cancels, sent, pass, waiting } = world()
  cancels.cancel(abandoned)
  pass(1000)
  cancels.close()
  pass(10_000)
  expect(sent).toEqual([['/a', 1000]])
  expect(waiting()).toBe(0)
})

test.each<[string, Partial<AbandonedQuery>, number]>([
  ['after the first cancel', {}, 1000],
  ['immediately if Druid has answered', { isAnswered: true }, 0],
  ['immediately if no cancel is sent', { timeoutMs: 200 }, 0],
])('onCancelled is called once, %s', async (_, query, atMs) => {
  const { cancels, pass } = world()
  let told = 0
  cancels.cancel({ ...abandoned, ...query, onCancelled: () => told++ })
  for (const [ms, expected] of [
    [Math.max(0, atMs - 1), atMs === 0 ? 1 : 0],
    [1, 1],
    [10_000, 1],
  ] as const) {
    pass(ms)
    await settled()
    expect(told).toBe(expected)
  }
})

test.each(['when they are due', 'by close()'])(
  'beyond 1000 queries, onCancelled is called immediately for the oldest, for the others %s',
  async (which) => {
    const { cancels, pass } = world()
    let told = 0
    const onCancelled = (): number => told++
    for (let index = 0; index < 1200; index++) cancels.cancel({ ...abandoned, onCancelled })
    expect(told).toBe(200)
    if (which === 'by close()') cancels.close()
    else pass(1000)
    await settled()
    expect(told).toBe(1200)
  },
)
