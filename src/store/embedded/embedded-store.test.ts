import { describe, expect, test } from 'vitest'
import { type ResultRow, resultRows } from '../../../test/support/model-store.ts'
import { columnOf } from '../../../test/support/random-rows.ts'
import { always, selection, tag, time, value } from '../../../test/support/selection.ts'
import type { Value } from '../../model/column.ts'
import type { EntityField } from '../../model/entity.ts'
import { granularityNames } from '../../model/granularity.ts'
import type { Plan, PlanLimits, Selection } from '../../model/plan.ts'
import type { RowBatch } from '../../model/row-batch.ts'
import { EmbeddedStore } from './embedded-store.ts'

const note: EntityField = { name: 'N', type: 'string', role: 'dimension' }
const count: EntityField = { name: 'C', type: 'long', role: 'metric' }
const limits: PlanLimits = { resultRows: 1_000_000, buckets: 1_000_000, resultBytes: 2 ** 30 }
const never = new AbortController().signal

let position = 0
function batchOf(fields: readonly EntityField[], rows: readonly (readonly Value[])[]): RowBatch {
  const positions = Float64Array.from(rows, () => position++)
  const columns = fields.map(({ type }, index) =>
    columnOf(
      type,
      rows.map((row) => row[index]),
    ),
  )
  return { entityId: 1, rows: rows.length, positions, fields, columns }
}

function storeOf(...rows: readonly (readonly Value[])[]): EmbeddedStore {
  const store = new EmbeddedStore({ chunkRows: 16, sliceMs: 0 })
  store.write(batchOf([time, tag, value], rows))
  return store
}

async function rowsOf(store: EmbeddedStore, plan: Plan, within: PlanLimits = limits): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  for await (const batch of store.run(plan, within, never)) rows.push(...resultRows([batch]))
  return rows
}

const select: Plan = { kind: 'select', selection: selection(), range: always }

test('an unknown entity has no rows', async () => {
  const store = new EmbeddedStore()
  expect(await rowsOf(store, select)).toEqual([])
  expect(await store.statistics(1, null, new AbortController().signal)).toEqual({
    rows: 0,
    firstMs: null,
    lastMs: null,
  })
  expect(store.bytes).toBe(0)
})

test('statistics count every row, and memory use is reported', async () => {
  const store = storeOf([5, 'a', 1], [3, 'b', null])
  expect(await store.statistics(1, null, new AbortController().signal)).toEqual({ rows: 2, firstMs: 3, lastMs: 5 })
  expect(store.bytes).toBeGreaterThan(100)
})

test('tags are ordered by code point, also beyond U+FFFF', async () => {
  const store = storeOf([1, '\u{1f600}', 1], [1, '\uffff', 2], [1, '', 3])
  expect((await rowsOf(store, select)).map((row) => row[1])).toEqual(['', '\uffff', '\u{1f600}'])
})

test.each<[string, Partial<Selection>, string[]]>([
  ['ids, some unknown, some repeated', { ids: ['b%', 'x', 'b%'] }, ['b%']],
  ['unknown ids only', { ids: ['x'] }, []],
  ['prefixes, in which % and _ are literal', { prefixes: ['b%', '_'] }, ['_a', 'b%']],
  ['ids and prefixes', { ids: ['b%', 'bb'], prefixes: ['bb', 'c'] }, ['bb']],
  ['an empty prefix', { prefixes: [''] }, ['_a', 'b%', 'bb']],
])('filters by %s', async (_, filter, tags) => {
  const store = storeOf([1, 'b%', 1], [1, 'bb', 1], [1, '_a', 1])
  const rows = await rowsOf(store, { kind: 'select', selection: selection(filter), range: always })
  expect(rows.map((row) => row[1])).toEqual(tags)
})

test('late rows and equal dates are ordered by date, then as pushed', async () => {
  const store = storeOf([10, 'a', 1], [30, 'a', 2], [20, 'a', 3], [20, 'a', 4])
  const values = async (): Promise<Value[]> => (await rowsOf(store, select)).map((row) => row[2])
  expect(await values()).toEqual([1, 3, 4, 2])
  store.write(batchOf([time, tag, value], [[40, 'a', 5]]))
  store.write(batchOf([time, tag, value], [[20, 'a', 6]]))
  expect(await values()).toEqual([1, 3, 4, 6, 2, 5])
})

test('a row replayed at an older position does not count as newer', async () => {
  const store = storeOf([10, 'a', 1])
  const replayed = batchOf([time, tag, value], [[10, 'a', 2]])
  store.write({ ...replayed, positions: Float64Array.of(-1) })
  const newest = await rowsOf(store, { kind: 'latest', selection: selection(), fromMs: 0 })
  expect(newest).toEqual([[10, 'a', 1]])
})

test('a field added later is null in older rows, also within one chunk', async () => {
  const store = storeOf([10, 'a', 1], [20, 'a', 2])
  store.write(batchOf([time, tag, note, count], [[30, 'a', 'x', 9007199254740993n]]))
  const plan: Plan = {
    kind: 'select',
    selection: selection({ metrics: [value, count], fields: [note] }),
    range: always,
  }
  expect(await rowsOf(store, plan)).toEqual([
    [10, 'a', null, 1, null],
    [20, 'a', null, 2, null],
    [30, 'a', 'x', null, 9007199254740993n],
  ])
})

test('a field or tag that no row has is null', async () => {
  const store = storeOf([10, 'a', 1])
  const other: EntityField = { name: 'U', type: 'string', role: 'tag' }
  const plan: Plan = { kind: 'select', selection: selection({ tags: [other], fields: [note] }), range: always }
  expect(await rowsOf(store, plan)).toEqual([[10, null, null, 1]])
})

test('rows older than an added tag are a separate combination, which sorts first', async () => {
  const other: EntityField = { name: 'U', type: 'string', role: 'tag' }
  const store = storeOf([10, 'a', 1], [20, 'b', 2])
  const tags = [tag, other] as const
  const latest: Plan = { kind: 'latest', selection: selection({ tags }), fromMs: Number.NEGATIVE_INFINITY }
  const before = [
    [10, 'a', null, 1],
    [20, 'b', null, 2],
  ]
  expect(await rowsOf(store, latest)).toEqual(before)
  const batch = batchOf(
    [time, tag, other, value],
    [
      [20, 'b', 'y', 4],
      [20, 'b', 'x', 3],
      [20, 'a', 'y', 5],
    ],
  )
  store.write({ ...batch, positions: batch.positions.map((position) => position + 2) })
  expect(await rowsOf(store, latest)).toEqual([
    [10, 'a', null, 1],
    [20, 'a', 'y', 5],
    [20, 'b', null, 2],
    [20, 'b', 'x', 3],
    [20, 'b', 'y', 4],
  ])
  const ofOne: Plan = { kind: 'latest', selection: selection(), fromMs: Number.NEGATIVE_INFINITY }
  expect(await rowsOf(store, ofOne)).toEqual([
    [20, 'a', 5],
    [20, 'b', 3],
  ])
})

test.each<[string, number[], number]>([
  ['of values whose sum overflows', [1.7e308, 1.7e308, 1.7e308], 1.7e308],
  ['of the largest double', Array<number>(3).fill(Number.MAX_VALUE), Number.MAX_VALUE],
  ['of values whose sum overflows only temporarily', [1.7e308, 1.7e308, -1.7e308, -1.7e308, 5], 1],
  ['of values that plain summation loses', [1e16, 1, -1e16, 1], 0.5],
])('computes a mean %s', async (_, values, mean) => {
  const store = storeOf(...values.map((one, index): Value[] => [index, 'a', one]))
  const plan: Plan = {
    kind: 'average',
    selection: selection(),
    range: always,
    granularity: granularityNames.all,
    byTag: true,
  }
  const [row] = await rowsOf(store, plan)
  expect(row[0]).toBe(0)
  expect(Number(row[2]) / mean).toBeCloseTo(1, 12)
})

test('the bucket of granularity "all" without a start has the date of the first item of all tags', async () => {
  const store = storeOf([7, 'b', null], [20, 'a', 1], [10, 'b', 2])
  const plan: Plan = {
    kind: 'average',
    selection: selection(),
    range: always,
    granularity: granularityNames.all,
    byTag: true,
  }
  expect(await rowsOf(store, plan)).toEqual([
    [10, 'a', 1],
    [10, 'b', 2],
  ])
})

describe('limits', () => {
  const three = storeOf([1000, 'a', 1], [2000, 'b', 2], [3000, 'c', 3], [4000, 'c', null])
  const average = { kind: 'average', selection: selection(), range: always, byTag: true } as const
  const ticks = Float64Array.of(1000, 2000)
  test.each<[string, Plan, Partial<PlanLimits>, RegExp]>([
    ['select', select, { resultRows: 2 }, /3 rows, and limits.resultRows is 2/],
    [
      'latest',
      { kind: 'latest', selection: selection(), fromMs: 0 },
      { resultRows: 2 },
      /3 rows, and limits.resultRows is 2/,
    ],
    ['next', { kind: 'next', selection: selection(), dateMs: 0, offset: 0 }, { resultRows: 2 }, /3 rows/],
    ['snap', { kind: 'snap', selection: selection(), ticksMs: ticks }, { resultRows: 2 }, /3 rows/],
    ['ticks', { kind: 'snap', selection: selection(), ticksMs: ticks }, { buckets: 1 }, /more than 1 buckets/],
    ['average', { ...average, granularity: granularityNames.second }, { resultRows: 2 }, /more than 2 rows/],
    ['buckets', { ...average, granularity: granularityNames.second }, { buckets: 2 }, /more than 2 buckets/],
  ])('%s: refused above the limit, answered at it', async (_, plan, over, detail) => {
    await expect(rowsOf(three, plan, { ...limits, ...over })).rejects.toThrow(detail)
    expect(await rowsOf(three, plan, { ...limits, resultRows: 3, buckets: 3 })).toHaveLength(3)
  })
})

describe('limits on 4 time buckets in 6 groups of several tags', () => {
  const times: readonly (readonly [ms: number, tag: string])[] = [
    [1000, 'a'],
    [2000, 'a'],
    [2000, 'b'],
    [3000, 'b'],
    [4000, 'c'],
    [1000, 'c'],
  ]
  const store = storeOf(...times.map(([ms, name]): Value[] => [ms, name, 1]))
  test.each<[Partial<PlanLimits>, string | number]>([
    [{ buckets: 3, resultRows: 100 }, 'more than 3 buckets'],
    [{ buckets: 4, resultRows: 100 }, 6],
    [{ buckets: 3, resultRows: 6 }, 'more than 3 buckets'],
    [{ buckets: 4, resultRows: 6 }, 6],
    [{ buckets: 4, resultRows: 5 }, 'more than 5 rows'],
    [{ buckets: 4, resultRows: 4 }, 'more than 4 rows'],
    [{ buckets: 1, resultRows: 1 }, 'more than 1 buckets'],
  ])('with %j: %s', async (over, expected) => {
    for (const fields of [[], [tag]]) {
      const plan: Plan = {
        kind: 'average',
        selection: selection({ fields }),
        range: always,
        granularity: granularityNames.second,
        byTag: fields.length === 0,
      }
      const answer = rowsOf(store, plan, { ...limits, ...over })
      if (typeof expected === 'number') expect(await answer).toHaveLength(expected)
      else await expect(answer).rejects.toThrow(expected)
    }
  })
})

describe('a paused run', () => {
  const rows = Array.from({ length: 40_000 }, (_, index): Value[] => [index, index % 2 === 0 ? 'a' : 'b', index])

  test('does not see rows, late or not, that are written meanwhile', async () => {
    const store = storeOf(...rows)
    const before = await rowsOf(store, select)
    const seen: ResultRow[] = []
    let batches = 0
    for await (const batch of store.run(select, limits, never)) {
      seen.push(...resultRows([batch]))
      batches += 1
      store.write(
        batchOf(
          [time, tag, value],
          [
            [1, 'a', -1],
            [50_000, 'b', -2],
            [2, 'new', -3],
          ],
        ),
      )
      expect((await rowsOf(store, select)).length).toBe(rows.length + 3 * batches)
    }
    expect(batches).toBeGreaterThan(1)
    expect(seen).toEqual(before)
  })

  test('does not see rows that are written while it collects', async () => {
    const store = storeOf(...rows, [5, 'a', 5])
    const before = await rowsOf(store, select)
    const running = rowsOf(store, select)
    const other = rowsOf(store, { kind: 'latest', selection: selection(), fromMs: 0 })
    store.write(
      batchOf(
        [time, tag, value],
        [
          [1, 'a', -1],
          [2, '\u{1f600}', -1],
        ],
      ),
    )
    expect(await running).toEqual(before)
    expect((await other).map((row) => row[0])).toEqual([39_998, 39_999])
  })

  test('rejects with the reason of its abort', async () => {
    const store = storeOf(...rows)
    const controller = new AbortController()
    const batches = store.run(select, limits, controller.signal)
    await batches.next()
    controller.abort(new Error('the caller left'))
    await expect(batches.next()).rejects.toThrow('the caller left')
    await expect(store.run(select, limits, controller.signal).next()).rejects.toThrow('the caller left')
  })
})

test('a short run never waits for the event loop', async () => {
  const store = new EmbeddedStore()
  store.write(batchOf([time, tag, value], [[1, 'a', 1]]))
  let turned = false
  setImmediate(() => {
    turned = true
  })
  expect(await rowsOf(store, select)).toHaveLength(1)
  expect(turned).toBe(false)
})

test('returns the latest row of each of many series of one row', async () => {
  const store = new EmbeddedStore()
  const many = Array.from({ length: 30_000 }, (_, index): Value[] => [index, `tag${index % 10_000}.${index}`, index])
  const dictionary = many.map((row) => String(row[1]))
  store.write({
    ...batchOf([time, tag, value], []),
    rows: many.length,
    positions: Float64Array.from(many.keys()),
    columns: [
      columnOf(
        'timestamp',
        many.map((row) => row[0]),
      ),
      { type: 'string', codes: Int32Array.from(many.keys()), dictionary },
      columnOf(
        'double',
        many.map((row) => row[2]),
      ),
    ],
  })
  const newest = await rowsOf(store, { kind: 'latest', selection: selection(), fromMs: 0 })
  expect(newest).toEqual(many)
})
