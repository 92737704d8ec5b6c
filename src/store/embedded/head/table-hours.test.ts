import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectSame, rowsOf } from '../../../../test/support/expect-rows.ts'
import { MemoryFolder } from '../../../../test/support/memory-files.ts'
import { ModelStore } from '../../../../test/support/model-store.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../../../../test/support/random-rows.ts'
import { always, selection, tag, time, value } from '../../../../test/support/selection.ts'
import { WatchedPacer } from '../../../../test/support/watched-pacer.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import { parseGranularity } from '../../../model/granularity.ts'
import type { AveragePlan } from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import { sealRows } from '../sealing/sealer.ts'
import { TableHours } from './table-hours.ts'

const hourMs = 3_600_000
const count: EntityField = { name: 'N', type: 'long', role: 'metric' }
const hourly = parseGranularity('hour')!
const column = { index: 0, name: 'V', type: 'double' } as const

interface Row {
  readonly ms: number
  readonly tag: string
  readonly value: number | null
  readonly count?: number | bigint | null
}

function batchOf(rows: readonly Row[], firstPosition: number): RowBatch {
  return {
    entityId: 1,
    rows: rows.length,
    positions: Float64Array.from(rows, (_, row) => firstPosition + row),
    fields: [time, tag, value, count],
    columns: [
      columnOf(
        'timestamp',
        rows.map(({ ms }) => ms),
      ),
      columnOf(
        'string',
        rows.map((row) => row.tag),
      ),
      columnOf(
        'double',
        rows.map((row) => row.value),
      ),
      columnOf(
        'long',
        rows.map((row) => row.count ?? null),
      ),
    ],
  }
}

async function seal(store: EmbeddedStore): Promise<void> {
  const shape = { pageRows: 1000, hasRollups: true, hasTails: true }
  const folder = new MemoryFolder((entityId) => store.registry(entityId), shape)
  const frozen = store.freeze(0)
  const pacer = new Pacer({ sliceMs: 1000, signal: new AbortController().signal })
  const options = { folder, dayRowsMin: 1_000_000, sinceMs: () => null, pacer, reach: () => undefined }
  store.switchFiles({ add: await sealRows(frozen, options), remove: [], frozen, gone: () => undefined })
}

const pooled = (over: Partial<AveragePlan> = {}): AveragePlan => {
  return { kind: 'average', selection: selection(), range: always, granularity: hourly, byTag: false, ...over }
}

describe('hourly sums of the rows in memory', () => {
  const added = (times: readonly number[], values: readonly number[] = times.map(() => 1)): TableHours => {
    const hours = new TableHours()
    hours.add(Float64Array.from(times), times.length, [column], [columnOf('double', values)])
    return hours
  }

  test('already taken are not changed by later rows', () => {
    const hours = added([0, 1, hourMs])
    const taken = hours.take(0, hourMs)!
    hours.add(Float64Array.of(2, 3 * hourMs), 2, [column], [columnOf('double', [8, 9])])
    expect(taken.length).toBe(2)
    expect([...taken.column(0)!.sums.subarray(0, 2)]).toEqual([2, 1])
    expect([...taken.bounds(0)!.greatest.subarray(0, 2)]).toEqual([1, 1])
    expect([...taken.rows.subarray(0, 2)]).toEqual([2, 1])
    const later = hours.take(0, 3 * hourMs)!
    expect([...later.column(0)!.sums.subarray(0, later.length)]).toEqual([10, 1, 9])
  })

  test('are kept for 64 hours with few rows; more hours need 128 rows each', () => {
    const spread = (hours: number): number[] => Array.from({ length: hours }, (_, hour) => hour * hourMs)
    expect(added(spread(64)).take(0, 0)).not.toBeNull()
    const sparse = added(spread(66))
    expect(sparse.take(0, 0)).toBeNull()
    expect(sparse.bytes).toBe(0)
    const dense = Array.from({ length: 200 * 128 }, (_, row) => Math.floor(row / 128) * hourMs)
    expect(added(dense).take(0, 0)?.length).toBe(200)
  })

  test('use a small part of the memory of the rows', () => {
    const rows = 200 * 128
    const hours = added(Array.from({ length: rows }, (_, row) => Math.floor(row / 128) * hourMs))
    // Time, position and value take 24 bytes per row.
    expect(hours.bytes).toBeLessThan(rows * 24 * 0.05)
  })

  test('are NaN for an hour whose sum overflows', () => {
    const hours = added([0, 1, 2, hourMs], [1.7e308, 1.7e308, -1.7e308, 1])
    const { sums, counts } = hours.take(0, hourMs)!.column(0)!
    expect([sums[0], sums[1]]).toEqual([Number.NaN, 1])
    expect([counts[0], counts[1]]).toEqual([3, 1])
  })
})

describe('means of all rows in memory', () => {
  const rows = 50_000
  const ask = async (plan: AveragePlan, more: readonly Row[] = [], isSealed = false): Promise<number> => {
    const pacers: WatchedPacer[] = []
    const newPacer = (options: ConstructorParameters<typeof WatchedPacer>[0]): WatchedPacer => {
      const pacer = new WatchedPacer(options)
      pacers.push(pacer)
      return pacer
    }
    const store = new EmbeddedStore({ newPacer })
    const model = new ModelStore()
    const made = Array.from({ length: rows }, (_, row) => ({ ms: row * 200, tag: `t${row % 7}`, value: row % 10 }))
    for (const batch of [batchOf(made, 0), batchOf(more, rows)]) {
      store.write(batch)
      model.write(batch)
    }
    if (isSealed) await seal(store)
    expectSame(plan, await rowsOf(store, plan), model.run(plan))
    return pacers.at(-1)!.spent
  }

  test('by hour and over all time read no rows', async () => {
    expect(await ask(pooled())).toBeLessThan(500)
    expect(await ask(pooled({ granularity: { kind: 'all' } }))).toBeLessThan(500)
  })

  test('over a range read only the rows of the hours cut by its ends', async () => {
    const spent = await ask(pooled({ range: { fromMs: 3_000_000, toMs: 8_000_000 } }))
    expect(spent).toBeGreaterThan(3000)
    expect(spent).toBeLessThan(10_000)
  })

  test('start at the first item, which is not always the first row', async () => {
    const forAll = pooled({ granularity: { kind: 'all' } })
    await ask(forAll, [{ ms: -hourMs, tag: 'early', value: 1 }])
    await ask(forAll, [
      { ms: -hourMs, tag: 'early', value: null },
      { ms: 1 - hourMs, tag: 'early', value: 1 },
    ])
  })

  test('with many overflowing hours read all rows once, not each series for each hour', async () => {
    const huge = Array.from({ length: 4000 }, (_, row) => ({
      ms: (5000 + (row % 40)) * hourMs + row,
      tag: `huge ${row % 2000}`,
      value: 1.7e308,
    }))
    expect(await ask(pooled(), huge)).toBeLessThan(200_000)
    expect(await ask(pooled(), huge, true)).toBeLessThan(500_000)
  })

  test('with one overflowing hour read only its rows', async () => {
    const huge = [0, 1].map((row) => ({ ms: 5000 * hourMs + row, tag: 'huge', value: 1.7e308 }))
    expect(await ask(pooled(), huge)).toBeLessThan(500)
  })
})

const values = [0, 1, 2.5, -7, 0.1, 1e300, 1.7e308, -1.7e308, null]
const longs = [0, 3, -5, 2 ** 53, 9007199254740993n, null]

function randomRows(draw: Draw, atMs: number, spanMs: number): Row[] {
  return Array.from({ length: 1 + draw(150) }, () => ({
    ms: atMs + draw(spanMs) - (draw(20) === 0 ? draw(atMs + spanMs) : 0),
    tag: `t${draw(5)}`,
    value: draw(10) === 0 ? oneOf(draw, values) : draw(1000) / 4,
    count: draw(10) === 0 ? oneOf(draw, longs) : draw(1000),
  }))
}

function randomAverage(draw: Draw, spanMs: number): AveragePlan {
  const [first, second] = [draw(spanMs * 8), draw(spanMs * 8)]
  return pooled({
    selection: selection({ metrics: oneOf(draw, [[value], [count], [value, count]]) }),
    range: {
      fromMs: draw(2) === 0 ? Number.NEGATIVE_INFINITY : Math.min(first, second),
      toMs: draw(2) === 0 ? Number.POSITIVE_INFINITY : Math.max(first, second),
    },
    granularity: parseGranularity(oneOf(draw, ['all', 'hour', 'PT2H', 'day', 'month', 'minute'])) ?? { kind: 'all' },
    byTag: draw(4) === 0,
  })
}

test('an answer covers the rows present at its request, whatever is written meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const spanMs = oneOf(draw, [60_000, hourMs, 5 * hourMs, 20 * hourMs])
      const replaces = draw(3) === 0
      const store = new EmbeddedStore({ chunkRows: oneOf(draw, [64, 4096]) })
      const model = new ModelStore()
      const asked: (() => Promise<void>)[] = []
      let position = 0
      for (let pushes = 0; pushes < 6; pushes++) {
        const rows = randomRows(draw, pushes * spanMs, spanMs)
        const batch = batchOf(rows, position)
        const pushedNulls = batch.fields.map(() => null)
        const written = replaces ? { ...batch, pushedNulls } : batch
        position += rows.length
        store.write(written)
        model.write(written)
        if (draw(6) === 0) store.freeze(position)
        for (let questions = draw(3); questions > 0; questions--) {
          const plan = randomAverage(draw, spanMs)
          const answer = rowsOf(store, plan)
          const expected = model.run(plan)
          asked.push(async () => expectSame(plan, await answer, expected))
        }
        if (draw(2) === 0) for (const check of asked.splice(0)) await check()
      }
      for (const check of asked) await check()
    }),
    { numRuns: 50 },
  )
})
