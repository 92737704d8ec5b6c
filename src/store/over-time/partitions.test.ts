// Properties of all values over time: parts add up to the whole, and a chart has the bounds of each of its pixels.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsOf } from '../../../test/support/expect-rows.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../../../test/support/random-rows.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { cutsOf } from '../../druid-time/cuts.ts'
import { parsePeriod } from '../../druid-time/iso.ts'
import { periodGranularity } from '../../druid-time/native-granularity.ts'
import { plainGranularity, timeBuckets } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { addTo } from '../../lib/add-to.ts'
import type { EntityField } from '../../model/entity.ts'
import type { AggregateName, AggregatePlan, OverTimePlan, StatesPlan } from '../../model/plan.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'

const hourMs = 3_600_000
const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const value: EntityField = { name: 'V', type: 'double', role: 'metric' }
const fields = [time, tag, value]
/** The clocks of Madrid and Lord Howe Island change in the weeks after this. */
const startMs = Date.UTC(2026, 9, 3)

interface Item {
  readonly ms: number
  readonly value: number
}

interface PushedItem {
  readonly ms: number
  readonly value: number | null
}

/** Bursts, gaps, items of one date, late items and a counter that is reset, pushed in a few batches. */
function randomItems(draw: Draw): readonly PushedItem[] {
  const [count, spanMs] = [1 + draw(60), oneOf(draw, [hourMs, 24 * hourMs, 40 * 24 * hourMs])]
  let at = 0
  return Array.from({ length: count }, (_, place) => {
    at = draw(8) === 0 ? draw(spanMs) : Math.min(spanMs, at + draw(Math.ceil((4 * spanMs) / count)) * draw(2))
    return { ms: startMs + at, value: draw(9) === 0 ? null : ((place * 7) % 40) + draw(20) / 4 }
  })
}

function storeOf(draw: Draw, items: readonly PushedItem[]): EmbeddedStore {
  const store = new EmbeddedStore({ chunkRows: 1 + draw(20) })
  for (let start = 0; start < items.length; ) {
    const some = items.slice(start, start + 1 + draw(30))
    const columns = [
      columnOf(
        'timestamp',
        some.map(({ ms }) => ms),
      ),
      columnOf(
        'string',
        some.map(() => 'a'),
      ),
      columnOf(
        'double',
        some.map((item) => item.value),
      ),
    ]
    const positions = Float64Array.from(some, (_, place) => start + place)
    store.write({ entityId: 1, rows: some.length, positions, fields, columns })
    start += some.length
  }
  return store
}

/** The items that count: the newest of each date, sorted by date. */
function newestItems(items: readonly PushedItem[]): Item[] {
  const byDate = new Map(items.flatMap(({ ms, value }) => (value === null ? [] : [[ms, value] as const])))
  return [...byDate].map(([ms, value]) => ({ ms, value })).sort((left, right) => left.ms - right.ms)
}

const selection = {
  entityId: 1,
  sinceMs: null,
  time,
  tags: [tag],
  ids: null,
  prefixes: null,
  metrics: [value],
  fields: [],
} as const

const aggregates: readonly AggregateName[] = ['total', 'covered', 'rise', 'resets', 'count']

interface Asked {
  readonly aggregate: AggregatePlan
  readonly states: StatesPlan
}

function randomPlans(draw: Draw): Asked {
  const fromMs = startMs - hourMs + draw(30 * hourMs)
  // No bucket starts at this end, where a bucket of zero length would have no row.
  const toMs = Math.ceil((fromMs + draw(60 * 24 * 30) * 60_000) / 60_000) * 60_000 + 7
  const range = { fromMs, toMs }
  const zone = Zone.find(oneOf(draw, ['UTC', 'Europe/Madrid', 'Australia/Lord_Howe', 'Asia/Kathmandu']))!
  const period = parsePeriod(oneOf(draw, ['PT15M', 'PT1H', 'PT6H', 'P1D', 'P1W', 'P1M']))!
  const ms = draw(4 * hourMs)
  const maxGap = draw(2) === 0 ? null : { years: 0, months: 0, weeks: 0, days: 0, ms }
  const shape = oneOf(draw, ['line', 'step'] as const)
  const values = { metrics: [{ shape, maxGap }], shapeOfTag: [], nowMs: startMs + draw(50 * 24 * hourMs) }
  const granularity = plainGranularity(periodGranularity(period, zone, null)!)!
  return {
    aggregate: {
      kind: 'aggregate',
      selection,
      range,
      granularity,
      values,
      columns: aggregates.map((aggregate) => ({ name: `V.${aggregate}`, metric: 0, aggregate })),
      onlyKnown: false,
      totalUnitMs: hourMs,
      counter: { reset: oneOf(draw, ['zero', 'skip'] as const), wrap: draw(3) === 0 ? 64 : null },
    },
    states: { kind: 'states', selection, range, granularity, values },
  }
}

/** Sums the value columns, times their factors, by the key columns other than the date. The first `keys` columns are keys. */
function summed(rows: readonly (readonly unknown[])[], keys: number, factorOf: (row: readonly unknown[]) => number[]) {
  const sums = new Map<string, number[]>()
  for (const row of rows) {
    const key = JSON.stringify(row.slice(1, keys))
    const factors = factorOf(row)
    const sum = sums.get(key) ?? factors.map(() => 0)
    sums.set(
      key,
      sum.map((one, place) => one + Number(row[keys + place] ?? 0) * factors[place]!),
    )
  }
  return sums
}

async function expectAddsUp<Plan extends AggregatePlan | StatesPlan>(
  store: EmbeddedStore,
  plan: Plan,
  keys: number,
  factorsOf: (lengthMs: number) => number[],
): Promise<void> {
  const whole: OverTimePlan = { ...plan, granularity: { kind: 'all' } }
  const endMs = Math.min(plan.range.toMs, plan.values.nowMs)
  const lengthOf = ({ granularity, range }: AggregatePlan | StatesPlan, ms: number): number => {
    const cuts = cutsOf(granularity, timeBuckets(granularity), range.fromMs)
    return Math.min(cuts.nextOf(ms), endMs) - Math.max(ms, range.fromMs)
  }
  const sumsOf = async (one: AggregatePlan | StatesPlan) =>
    summed(await rowsOf(store, one), keys, (row) => factorsOf(lengthOf(one, Number(row[0]))))
  const [parts, all] = [await sumsOf(plan), await sumsOf(whole as AggregatePlan | StatesPlan)]
  expect([...parts.keys()].sort()).toEqual([...all.keys()].sort())
  for (const [key, sums] of all)
    for (const [place, sum] of sums.entries())
      expect(Math.abs(parts.get(key)![place]! - sum)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(sum)))
}

test('buckets of any partition add up to the whole', async () => {
  const found = { many: 0 }
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const store = storeOf(draw, randomItems(draw))
      const { aggregate, states } = randomPlans(draw)
      // A rise across a gap has parts in buckets where no value is known, which have no row.
      const rise = aggregate.values.metrics[0]!.maxGap === null ? 1 : 0
      await expectAddsUp(store, aggregate, 2, (lengthMs) => [1, lengthMs, rise, 1, 1])
      // A value that continues across a border is entered once, in the bucket where it begins.
      await expectAddsUp(store, states, 4, () => [1, 1])
      if ((await rowsOf(store, aggregate)).length > 1) found.many++
    }),
    { numRuns: rounds(1000) },
  )
  expect(found.many).toBeGreaterThan(rounds(1000) / 10)
})

test('a plot of any number of points returns the first, last, least and greatest item of each part', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const items = randomItems(draw)
      const store = storeOf(draw, items)
      const [oneMs, otherMs] = [startMs + draw(40 * 24 * hourMs), startMs + draw(40 * hourMs)]
      const range = { fromMs: Math.min(oneMs, otherMs), toMs: Math.max(oneMs, otherMs) }
      const points = oneOf(draw, [1, 2, 7, 800, 100_000])
      const rows = await rowsOf(store, { kind: 'plot', selection, range, points })
      const plotted = rows.map(([ms, , value]) => ({ ms: Number(ms), value: Number(value) }))
      const within = newestItems(items).filter(({ ms }) => ms >= range.fromMs && ms <= range.toMs)
      expect(boundsByPart(plotted, range, points)).toEqual(boundsByPart(within, range, points))
      expect(plotted.length).toBeLessThanOrEqual(4 * boundsByPart(within, range, points).size)
    }),
    { numRuns: rounds(1000) },
  )
})

function boundsByPart(
  items: readonly Item[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  points: number,
) {
  const parts = new Map<number, Item[]>()
  for (const item of items) {
    const part = toMs === fromMs ? 0 : Math.min(points - 1, Math.floor(((item.ms - fromMs) * points) / (toMs - fromMs)))
    addTo(parts, part, item)
  }
  return new Map(
    [...parts].map(([part, some]) => {
      const values = some.map(({ value }) => value)
      const [least, greatest] = [Math.min(...values), Math.max(...values)]
      const at = (bound: number) => some.find(({ value }) => value === bound)
      return [part, [some[0], some.at(-1), at(least), at(greatest)]] as const
    }),
  )
}
