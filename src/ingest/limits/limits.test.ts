import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../model/problem.ts'
import type { ServiceEvent } from '../../observe/event.ts'
import { Backlog } from './backlog.ts'
import { DiskFloor } from './disk-floor.ts'
import { KeyRates } from './key-rates.ts'
import { RejectedSpace } from './rejected-space.ts'

/** `taken`, or the problem's code and the seconds after which to retry. */
function outcome(attempt: () => void): string {
  try {
    attempt()
    return 'taken'
  } catch (error) {
    if (error instanceof Problem) return `${error.code} ${error.retryAfterS}`
    throw error
  }
}

describe('the backlog', () => {
  test('is the number of bytes pushed and not yet validated, to within a slice', () => {
    const step = fc.oneof(
      fc.record({ bytes: fc.integer({ min: 1, max: 3_000_000 }) }),
      fc.record({ validated: fc.double({ min: 0, max: 1, noNaN: true }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const progress = { processedPosition: 0, processedThrough: () => progress.processedPosition }
        const backlog = new Backlog(progress, 1)
        const pushes: { end: number; bytes: number }[] = []
        for (const one of steps) {
          const end = pushes.at(-1)?.end ?? 0
          if ('bytes' in one) {
            pushes.push({ end: end + 2, bytes: one.bytes })
            backlog.add(end + 2, one.bytes)
          } else progress.processedPosition += Math.floor(one.validated * (end - progress.processedPosition))
          const waiting = pushes.filter((push) => push.end > progress.processedPosition)
          const exact = waiting.reduce((sum, push) => sum + push.bytes, 0)
          expect(backlog.bytes).toBeGreaterThanOrEqual(exact)
          expect(backlog.bytes).toBeLessThan(exact + (waiting.length > 0 ? 1_048_576 : 1))
        }
      }),
    )
  })

  test('refuses pushes while it is full, and accepts them again after rows are validated', () => {
    const progress = { processedPosition: 0, processedThrough: () => progress.processedPosition }
    const backlog = new Backlog(progress, 1000)
    const push = (): string => outcome(() => backlog.requireSpace())
    backlog.add(10, 999)
    expect(push()).toBe('taken')
    backlog.add(20, 1)
    expect(push()).toBe('overloaded 1')
    progress.processedPosition = 20
    expect(push()).toBe('taken')
  })
})

function diskFloor(freeBytes: () => Promise<number>, floorBytes: number, reported: string[] = []): DiskFloor {
  const observe = (event: ServiceEvent) => reported.push(JSON.stringify(event))
  return new DiskFloor({ freeBytes, floorBytes, warnBytes: 300, disk: 'the disk', observe })
}

test.each([
  ['far more than the floor is free', 1000, 0, 'taken'],
  ['exactly the floor is free', 100, 0, 'taken'],
  ['less than the floor is free', 99, 0, 'overloaded 5'],
  ['pushes since the last check used up the free space', 1000, 901, 'overloaded 5'],
])('the disk floor: %s', async (_, free, pushed, expected) => {
  const floor = diskFloor(async () => free, 100)
  expect(outcome(() => floor.requireSpace())).toBe('taken')
  await floor.refresh()
  floor.add(pushed)
  expect(outcome(() => floor.requireSpace())).toBe(expected)
  await floor.refresh()
  expect(outcome(() => floor.requireSpace())).toBe(free < 100 ? expected : 'taken')
})

test('a disk that fills up is reported once, and once again when it has space', async () => {
  const reported: string[] = []
  let free = 1000
  const floor = diskFloor(async () => free, 100, reported)
  expect(floor.state).toEqual({ freeBytes: null, floorBytes: 100, filling: false })
  for (const left of [1000, 300, 299.5, 50, 299, 300]) {
    free = left
    await floor.refresh()
    expect(floor.state).toEqual({ freeBytes: Math.floor(left), floorBytes: 100, filling: left < 300 })
  }
  expect(reported).toEqual([
    '{"kind":"diskFilling","disk":"the disk","freeBytes":299.5,"floorBytes":100}',
    '{"kind":"diskRecovered","disk":"the disk","freeBytes":300,"floorBytes":100}',
  ])
})

test('without a disk floor every push is accepted', async () => {
  const floor = diskFloor(async () => 10, 0)
  await floor.refresh()
  floor.add(11)
  expect(outcome(() => floor.requireSpace())).toBe('taken')
})

test.each([
  [1, 'taken'],
  [2, 'overloaded 60'],
  [3, 'taken'],
])('rejected rows: a push to ingest %i is %s', async (id, expected) => {
  const kept = new Map([
    [1, 100],
    [2, 101],
  ])
  const rejected = { keptBytes: async () => kept }
  const progress = { processedThrough: () => 0 }
  const space = new RejectedSpace({ rejected, progress, rejectedRows: null, bytesMax: 100 })
  await space.refresh()
  expect(outcome(() => space.requireSpace({ id, alias: 'plant' }))).toBe(expected)
})

describe('rejected rows between two reads of the catalog', () => {
  const bytesMax = 10_000
  const plant = { id: 1, alias: 'plant' }

  function world(knowsRows: boolean) {
    const kept = new Map<number, number>()
    let [processed, rejectedRows, end] = [0, 0, 0]
    const space = new RejectedSpace({
      rejected: { keptBytes: async () => new Map(kept) },
      progress: { processedThrough: () => processed },
      rejectedRows: knowsRows ? () => rejectedRows : null,
      bytesMax,
    })
    return {
      space,
      push: (rows: number, bytes: number): string => {
        const found = outcome(() => space.requireSpace(plant))
        if (found !== 'taken') return found
        space.sent(plant.id, rows, bytes)
        end += rows
        space.arrived(plant.id, rows, bytes, end)
        return found
      },
      validate: (isRejected: boolean, bytes = 0): void => {
        if (isRejected) rejectedRows += end - processed
        if (isRejected) kept.set(plant.id, (kept.get(plant.id) ?? 0) + bytes)
        processed = end
      },
    }
  }

  test.each([true, false])(
    'queued rows count as if rejected, with the overhead of each row (rejected rows counted: %s)',
    (knowsRows) => {
      const { push } = world(knowsRows)
      // 10 rows of 100 bytes, with 128 bytes of overhead each.
      const found = Array.from({ length: 7 }, () => push(10, 1000))
      expect(found).toEqual(['taken', 'taken', 'taken', 'taken', 'taken', 'overloaded 1', 'overloaded 1'])
      expect(world(knowsRows).push(1000, 1_000_000)).toBe('taken')
    },
  )

  test('stored rows free their capacity at once if rejected rows are counted, else at the next catalog read', async () => {
    const counted = world(true)
    for (let round = 0; round < 50; round++) {
      expect(counted.push(10, 8000)).toBe('taken')
      counted.validate(false)
    }
    const shared = world(false)
    expect(shared.push(10, 9000)).toBe('taken')
    shared.validate(false)
    expect(shared.push(10, 8000)).toBe('overloaded 1')
    // The refused push has just triggered a new count.
    await new Promise((resolve) => setImmediate(resolve))
    expect(shared.push(10, 8000)).toBe('taken')
  })

  test('invalid pushes exceed the limit by at most one push, however fast they come', async () => {
    const { push, validate, space } = world(true)
    let [taken, kept] = [0, 0]
    for (let round = 0; round < 200; round++) {
      if (push(1, 1000) === 'taken') {
        taken++
        kept += 1128
        validate(true, 1128)
      }
      if (round % 7 === 0) await space.refresh()
    }
    expect(taken).toBe(9)
    expect(kept).toBeLessThanOrEqual(bytesMax + 1128)
    expect(push(1, 1)).toBe('overloaded 60')
  })

  test('a push that the journal refused frees its capacity, and other ingests have their own', () => {
    const { space, push } = world(true)
    space.sent(plant.id, 1, 20_000)
    expect(push(1, 1)).toBe('overloaded 1')
    expect(outcome(() => space.requireSpace({ id: 2, alias: 'other' }))).toBe('taken')
    space.arrived(plant.id, 1, 20_000, null)
    expect(push(1, 1)).toBe('taken')
  })
})

describe('limits per key', () => {
  const second = { rowsPerSecond: 100, bytesPerSecond: 1000 }
  test.each<[string, typeof second, (readonly [atMs: number, rows: number, bytes: number, expected: string])[]]>([
    [
      'no limit',
      { rowsPerSecond: 0, bytesPerSecond: 0 },
      [
        [0, 1e9, 1e9, 'taken'],
        [0, 1e9, 1e9, 'taken'],
      ],
    ],
    [
      'one second of rows at once',
      second,
      [
        [0, 99, 1, 'taken'],
        [0, 1, 1, 'taken'],
        [0, 1, 1, 'too_many_requests 1'],
        [10, 1, 1, 'taken'],
      ],
    ],
    [
      'a large push is accepted, and later ones wait for it',
      second,
      [
        [0, 1000, 1, 'taken'],
        [1, 1, 1, 'too_many_requests 10'],
        [8900, 1, 1, 'too_many_requests 1'],
        [9020, 1, 1, 'taken'],
      ],
    ],
    [
      'a limit of bytes',
      second,
      [
        [0, 1, 5000, 'taken'],
        [0, 1, 1, 'too_many_requests 5'],
        [4002, 1, 1, 'taken'],
      ],
    ],
    [
      'only a limit of bytes',
      { rowsPerSecond: 0, bytesPerSecond: 10 },
      [
        [0, 1e6, 9, 'taken'],
        [0, 1e6, 1, 'taken'],
        [0, 1, 1, 'too_many_requests 1'],
      ],
    ],
    [
      'at most one second is saved up',
      second,
      [
        [0, 1, 1, 'taken'],
        [1e9, 100, 1, 'taken'],
        [1e9, 1, 1, 'too_many_requests 1'],
      ],
    ],
    [
      'a clock that is set back',
      second,
      [
        [5000, 100, 1, 'taken'],
        [0, 1, 1, 'too_many_requests 1'],
        [11, 1, 1, 'taken'],
      ],
    ],
  ])('%s', (_, settings, pushes) => {
    let nowMs = 0
    const rates = new KeyRates(settings, () => nowMs)
    const outcomes = pushes.map(([atMs, rows, bytes]) => {
      nowMs = atMs
      return outcome(() => {
        rates.requireSpace('key')
        rates.add('key', rows, bytes)
      })
    })
    expect(outcomes).toEqual(pushes.map(([, , , expected]) => expected))
    expect(outcome(() => rates.requireSpace('other'))).toBe('taken')
  })

  test('no key exceeds its rate over time, and no key is forgotten too early', () => {
    const push = fc.record({ key: fc.nat(2000), rows: fc.integer({ min: 1, max: 50 }), afterMs: fc.nat(30) })
    fc.assert(
      fc.property(fc.array(push, { minLength: 3000, maxLength: 3000 }), (pushes) => {
        let nowMs = 0
        const rates = new KeyRates({ rowsPerSecond: 10, bytesPerSecond: 0 }, () => nowMs)
        const taken = new Map<number, number>()
        for (const { key, rows, afterMs } of pushes) {
          nowMs += afterMs
          if (outcome(() => rates.requireSpace(`${key}`)) !== 'taken') continue
          rates.add(`${key}`, rows, 1)
          taken.set(key, (taken.get(key) ?? 0) + rows)
        }
        const bound = 10 + (nowMs / 1000) * 10 + 50
        expect([...taken.values()].every((rows) => rows <= bound)).toBe(true)
      }),
      { numRuns: 10 },
    )
  })
})
