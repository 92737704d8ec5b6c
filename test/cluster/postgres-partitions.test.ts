import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import type { KeyedEntry, PartitionStep } from '../../src/catalog/partitions.ts'
import { positionAt } from '../../src/journal/partition-position.ts'
import { testSchema } from './postgres-schemas.ts'

const schema = testSchema()
let catalog: ClusterCatalog
let other: ClusterCatalog

beforeEach(async () => {
  catalog = await schema.open()
  other = await schema.open()
})
afterEach(async () => {
  await catalog.close()
  await other.close()
  await schema.remove()
})

const dayMs = 24 * 3600 * 1000
const hash = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest())

function step(partition: number, from: number, through: number, change: Partial<PartitionStep> = {}): PartitionStep {
  const fromPosition = positionAt(partition, 0) + from
  const throughPosition = positionAt(partition, 0) + through
  return {
    partition,
    fromPosition,
    throughPosition,
    validated: [],
    rejected: [],
    items: [],
    stored: [],
    takenBack: [],
    ...change,
  }
}

describe('partitions', () => {
  test('a partition begins at its first position and advances step by step', async () => {
    const first = positionAt(3, 0)
    expect(await catalog.partitions.partition(3)).toEqual({
      partition: 3,
      keptPosition: first,
      processedPosition: first,
    })
    expect(await catalog.partitions.partitions()).toEqual([])
    const validated = [
      { ingestId: 1, rows: 4 },
      { ingestId: 2, rows: 1 },
      { ingestId: 1, rows: 2 },
    ]
    expect(await catalog.partitions.keep(step(3, 0, 256, { validated }))).toBe(true)
    expect(await catalog.partitions.keep(step(3, 256, 512, { validated: [{ ingestId: 2, rows: 5 }] }))).toBe(true)
    // For a push validated in two steps, the second step reports the totals of both.
    for (const [from, rows] of [
      [512, 3],
      [768, 4],
    ] as const) {
      const replaced = [{ ingestId: 2, batchPosition: first + 512, rows }]
      expect(await catalog.partitions.keep(step(3, from, from + 256, { replaced }))).toBe(true)
    }
    expect(await other.rejected.ofBatch(2, first + 512, 1)).toEqual({ count: 0, first: [], replaced: 4 })
    await catalog.partitions.processed(3, first + 256)
    await catalog.partitions.processed(3, first + 7)
    expect(await other.partitions.partition(3)).toEqual({
      partition: 3,
      keptPosition: first + 1024,
      processedPosition: first + 256,
    })
    await catalog.partitions.processed(0, 9)
    expect((await other.partitions.partitions()).map(({ partition }) => partition)).toEqual([0, 3])
    expect(await other.partitions.validatedRows()).toEqual(
      new Map([
        [1, 6],
        [2, 6],
      ]),
    )
  })

  test('when several pipelines claim a partition, only one commits each step', async () => {
    for (let n = 0; n < 10; n += 1) {
      const same = step(1, n * 256, n * 256 + 256, { validated: [{ ingestId: 1, rows: 3 }] })
      const kept = await Promise.all([catalog, other, catalog, other].map(({ partitions }) => partitions.keep(same)))
      expect(kept.toSorted()).toEqual([false, false, false, true])
    }
    expect(await catalog.partitions.keep(step(1, 256, 512))).toBe(false)
    expect(await catalog.partitions.validatedRows()).toEqual(new Map([[1, 30]]))
  })

  test('concurrent steps of several partitions on the same ingests all commit without a deadlock', async () => {
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (partition) => {
        const ingests = partition % 2 === 0 ? [1, 2] : [2, 1]
        for (let n = 0; n < 10; n += 1) {
          const validated = ingests.map((ingestId) => ({ ingestId, rows: 1 }))
          const items = ingests.map((entityId) => ({
            entityId,
            key: new Uint8Array([1]),
            position: positionAt(partition, n),
            attributes: '',
          }))
          const owner = partition % 2 === 0 ? catalog : other
          expect(await owner.partitions.keep(step(partition, n * 256, n * 256 + 256, { validated, items }))).toBe(true)
        }
      }),
    )
    expect(await catalog.partitions.validatedRows()).toEqual(
      new Map([
        [1, 60],
        [2, 60],
      ]),
    )
    expect(await catalog.items.find(2, [new Uint8Array([1])], 99)).toMatchObject({ items: [{ attributes: '' }] })
  })
})

describe('counts of stored rows', () => {
  const first = positionAt(3, 0)
  const handed = (rows: number, position: number, ingestId = 1) => {
    return { ingestId, entityId: 10 + ingestId, rows, last: { position: first + position, ms: position } }
  }
  const all = async () =>
    (await other.partitions.storedRows()).map(({ ingestId, rows, seenRows }) => [ingestId, rows, seenRows])

  test('rows are unseen until the reported count is noted as seen', async () => {
    expect(await catalog.partitions.storedRows()).toEqual([])
    const stored = [handed(3, 2), handed(1, 4, 2), handed(2, 200)]
    expect(await catalog.partitions.keep(step(3, 0, 256, { stored }))).toBe(true)
    const [reported, ...rest] = await other.partitions.storedRows(1)
    expect(rest).toEqual([])
    expect(reported).toEqual({
      ...{ partition: 3, ingestId: 1, entityId: 11, rows: 5, last: { position: first + 200, ms: 200 } },
      ...{ throughPosition: first + 256, replayedPosition: 0, seenPosition: first, seenRows: 0 },
    })
    // Rows stored meanwhile do not count as seen.
    expect(await catalog.partitions.keep(step(3, 256, 512, { stored: [handed(4, 300)] }))).toBe(true)
    await other.partitions.seen([reported!])
    expect(await all()).toEqual([
      [1, 9, 5],
      [2, 1, 0],
    ])
    await catalog.partitions.seen(await catalog.partitions.storedRows())
    // A slow process does not undo later progress.
    await other.partitions.seen([reported!])
    expect(await all()).toEqual([
      [1, 9, 9],
      [2, 1, 1],
    ])
    expect((await catalog.partitions.storedRows(1))[0]).toMatchObject({ seenPosition: first + 512 })
  })

  test('a step that was not committed adds no rows, and neither does one with zero rows', async () => {
    expect(await catalog.partitions.keep(step(3, 256, 512, { stored: [handed(4, 300)] }))).toBe(false)
    expect(await catalog.partitions.keep(step(3, 0, 256, { stored: [handed(0, 300)] }))).toBe(true)
    expect(await all()).toEqual([])
  })

  const rejectedAt = (rows: readonly number[]) =>
    rows.map((row) => ({
      ...{ ingestId: 1, position: first + row, batchPosition: first, batchRows: 10, subscriberId: 1, index: row },
      ...{ row: '{}', field: null, code: 'missing_time' as const, message: '', receivedMs: 0 },
    }))
  const positions = (rows: readonly number[]) => new Set(rows.map((row) => first + row))
  const place = (row: number) => ({ position: first + row, ms: row })

  test.each([
    ['not the last row: the last row is still awaited', [3, 4], place(2), 7, [1, 7, 0]],
    ['the last row: the row before it is awaited', [7, 9], place(6), 6, [1, 7, 0]],
    ['the last row, with no stored row before it: no row is awaited', [9], null, 9, [1, 8, 8]],
  ])('rows that are rejected when validated again are not counted: %s', async (_, rows, last, looked, counted) => {
    expect(await catalog.partitions.keep(step(3, 0, 256, { stored: [handed(9, 9)] }))).toBe(true)
    await other.partitions.keepAgain(3, rejectedAt(rows), [{ ingestId: 1, positions: positions(rows), last }])
    expect(await all()).toEqual([counted])
    const [reported] = await catalog.partitions.storedRows(1)
    expect(reported?.last).toEqual(place(rows.includes(9) ? looked : 9))
    expect(await catalog.outcomes.rejectedIn(1, first, first + 256)).toEqual([...positions(rows)])
    // A new step may start with rows that were validated before.
    const takenBack = [{ ingestId: 1, positions: positions([0, 1]), last: place(6) }]
    expect(await catalog.partitions.keep(step(3, 256, 512, { stored: [handed(3, 300)], takenBack }))).toBe(true)
    expect((await all())[0]?.[1]).toBe(counted[1]! - 2 + 3)
  })

  test('rows of a replay are counted, once however often it is repeated', async () => {
    const rejected = rejectedAt([5, 6, 7])
    expect(await catalog.partitions.keep(step(3, 0, 256, { rejected }))).toBe(true)
    const replay = {
      ...{ partition: 3, ingestId: 1, kind: 'series' as const, position: first + 256, throughPosition: first + 257 },
      ...{ items: [], rejected: [] },
      ...{
        passed: [first + 5, first + 7],
        rows: { entityId: 11, times: new Map([5, 7].map((row) => [first + row, row])) },
      },
    }
    expect(await catalog.partitions.replay(replay)).toEqual({ stored: replay.passed, taken: 2 })
    expect(await catalog.partitions.storedRows(1)).toEqual([
      {
        ...{ partition: 3, ingestId: 1, entityId: 11, rows: 2, last: { position: first + 7, ms: 7 }, seenRows: 0 },
        ...{ throughPosition: first + 257, replayedPosition: first + 257, seenPosition: first + 256 },
      },
    ])
    // Repeated, because a pipeline was killed before it committed.
    expect(await other.partitions.replay(replay)).toEqual({ stored: replay.passed, taken: 0 })
    // A pipeline with another limit: a row that the replay had stored no longer passes.
    const narrower = { ...replay, passed: [first + 5], rejected: rejectedAt([7]) }
    expect(await other.partitions.replay(narrower)).toEqual({ stored: [first + 5], taken: 0 })
    expect((await catalog.partitions.storedRows(1))[0]).toMatchObject({ rows: 1, last: place(5) })
    expect(await other.partitions.replay(replay)).toEqual({ stored: replay.passed, taken: 1 })
    expect((await catalog.partitions.storedRows(1))[0]).toMatchObject({ rows: 2, last: place(7) })
    expect(await catalog.partitions.replay({ ...replay, rows: null, passed: [first + 6] })).toMatchObject({ taken: 1 })
    expect(await all()).toEqual([[1, 2, 0]])
  })
})

describe('idempotency keys settled by pipelines', () => {
  const entry = (position: number, key: string, change: Partial<KeyedEntry> = {}): KeyedEntry => ({
    subscriberId: 1,
    ingestId: 1,
    key,
    bodyHash: hash('body'),
    position,
    rows: 1,
    receivedMs: 1000,
    ...change,
  })

  test.each<[string, readonly (readonly KeyedEntry[])[], readonly number[]]>([
    [
      'the first push of a key counts, later ones are repetitions',
      [[entry(1, 'a'), entry(2, 'a'), entry(3, 'b')], [entry(4, 'b')]],
      [2, 4],
    ],
    ['an entry reported again is not a repetition of itself', [[entry(1, 'a')], [entry(1, 'a'), entry(2, 'a')]], [2]],
    ['a different body is another push', [[entry(1, 'a')], [entry(2, 'a', { bodyHash: hash('other') })]], []],
    [
      'keys of other subscribers and ingests are independent',
      [[entry(1, 'a'), entry(2, 'a', { subscriberId: 2 }), entry(3, 'a', { ingestId: 2 })]],
      [],
    ],
    ['a key is free after a day', [[entry(1, 'a')], [entry(2, 'a', { receivedMs: 999 + dayMs })]], [2]],
    [
      'the first push of a freed key may be reported again',
      [[entry(1, 'a'), entry(2, 'a', { receivedMs: 1000 + dayMs })], [entry(1, 'a')]],
      [],
    ],
    ['keys of any characters', [[entry(1, '\0é'), entry(2, '\0e'), entry(3, '\0é')]], [3]],
  ])('%s', async (_, reported, repeated) => {
    const found: number[] = []
    for (const entries of reported) found.push(...(await catalog.partitions.settleKeys(entries)))
    expect(found).toEqual(repeated)
  })

  test('one push per key counts, however entries are split into steps and steps are repeated', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 })
    const steps = fc.array(fc.record({ keys, times: fc.integer({ min: 1, max: 2 }) }), { minLength: 1, maxLength: 5 })
    let subscriberId = 10
    await fc.assert(
      fc.asyncProperty(steps, async (run) => {
        subscriberId += 1
        let position = 0
        const first = new Map<string, number>()
        for (const { keys: names, times } of run) {
          const entries = names.map((name) => entry(position++, name, { subscriberId }))
          for (const { key, position: at } of entries) if (!first.has(key)) first.set(key, at)
          const expected = entries.filter((each) => first.get(each.key) !== each.position).map((each) => each.position)
          for (let time = 0; time < times; time += 1) {
            const repeated = await (time % 2 === 0 ? catalog : other).partitions.settleKeys(entries)
            expect([...repeated].toSorted((a, b) => a - b)).toEqual(expected)
          }
        }
      }),
      { numRuns: 25 },
    )
  })

  test('when several partitions settle the same key at the same time, one push counts', async () => {
    for (let n = 0; n < 10; n += 1) {
      const claims = await Promise.all(
        [0, 1, 2, 3].map((partition) =>
          (partition % 2 === 0 ? catalog : other).partitions.settleKeys([
            entry(positionAt(partition, n), `x${n}`),
            entry(positionAt(partition, n) + 1, `y${n}`),
          ]),
        ),
      )
      expect(claims.reduce((sum, { size }) => sum + size, 0)).toBe(6)
    }
  })
})

describe('idempotency keys reserved by requests', () => {
  const name = { subscriberId: 1, ingestId: 1, key: 'k' }
  const reserve = (nowMs: number, body = 'body', under = catalog) =>
    under.pushKeys.reserve(name, hash(body), { nowMs, abandonedAfterMs: 1000 })
  const push = (position: number, receivedMs: number, body = 'body') => ({
    bodyHash: hash(body),
    position,
    rows: 3,
    receivedMs,
  })
  const held = (position: number, isValidated = false) => ({ bodyHash: hash('body'), position, rows: 3, isValidated })
  const claim = (position: number, receivedMs: number) =>
    catalog.partitions.settleKeys([{ ...name, ...push(position, receivedMs) }])

  test('one request reserves a key, the others wait and get the same push', async () => {
    const asked = await Promise.all([0, 1, 2, 3].map((n) => reserve(10 + n, 'body', n % 2 === 0 ? catalog : other)))
    expect(asked.map(({ state }) => state).toSorted()).toEqual(['pending', 'pending', 'pending', 'reserved'])
    expect(await catalog.pushKeys.find(name, 20)).toBeNull()
    expect(await catalog.pushKeys.settle(name, push(5, 15))).toEqual(held(5))
    expect(await reserve(20, 'another body', other)).toEqual({ state: 'held', holder: held(5) })
    expect(await other.pushKeys.find(name, 20)).toEqual(held(5))
    await claim(5, 15)
    expect(await other.pushKeys.find(name, 20)).toEqual(held(5, true))
    expect(await other.pushKeys.find(name, 15 + dayMs)).toBeNull()
    expect((await reserve(15 + dayMs)).state).toBe('reserved')
  })

  test('a failed push releases the key, and only the owner of a reservation releases it', async () => {
    const first = await reserve(10)
    if (first.state !== 'reserved') throw new Error(first.state)
    await other.pushKeys.release(name, 'of somebody else', false)
    expect((await reserve(11)).state).toBe('pending')
    await catalog.pushKeys.release(name, first.id, false)
    expect((await reserve(12)).state).toBe('reserved')
  })

  test.each([
    ['an unknown outcome', 20, true],
    ['the death of a process', 1010, false],
    ['the death of a process whose clock was ahead', -991, false],
  ])('after %s the pipeline decides which push counts', async (_, nowMs, isReleased) => {
    const first = await reserve(10)
    if (first.state !== 'reserved') throw new Error(first.state)
    if (isReleased) await catalog.pushKeys.release(name, first.id, true)
    expect((await reserve(nowMs, 'body', other)).state).toBe('uncertain')
    expect((await reserve(nowMs, 'body', catalog)).state).toBe('pending')
    // The first push had reached the journal, and is validated first.
    await claim(5, 10)
    expect(await other.pushKeys.settle(name, push(9, nowMs))).toEqual(held(5, true))
    expect(await claim(9, nowMs)).toEqual(new Set([9]))
    expect(await other.pushKeys.find(name, nowMs)).toEqual(held(5, true))
  })

  test('the push settled by a pipeline overrides the one noted by a request', async () => {
    await reserve(10)
    await catalog.pushKeys.settle(name, push(9, 10))
    expect(await claim(5, 8)).toEqual(new Set())
    expect(await catalog.pushKeys.find(name, 20)).toEqual(held(5, true))
  })

  test('old keys are deleted', async () => {
    await claim(1, 10)
    await catalog.partitions.settleKeys([{ ...name, key: 'newer', ...push(2, 500) }])
    expect(await catalog.pushKeys.forget(500, new AbortController().signal)).toBe(1)
    expect(await catalog.pushKeys.find(name, 20)).toBeNull()
    expect(await catalog.pushKeys.find({ ...name, key: 'newer' }, 20)).not.toBeNull()
  })

  test('keys are counted as they arrive', async () => {
    const keys = Array.from({ length: 500 }, (_, index) => ({ ...name, key: `key ${index}` }))
    for (const one of keys) await catalog.pushKeys.reserve(one, hash('body'), { nowMs: 10, abandonedAfterMs: 1000 })
    await catalog.partitions.settleKeys([{ ...name, key: 'of the pipeline', ...push(2, 500) }])
    await expect.poll(() => other.pushKeys.count(), { timeout: 60_000 }).toBe(501)
  })
})
