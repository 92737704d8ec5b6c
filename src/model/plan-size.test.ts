import { expect, test } from 'vitest'
import type { EntityField } from './entity.ts'
import { granularityNames, parseGranularity } from './granularity.ts'
import type { Plan, Range, Selection } from './plan.ts'
import { isSmallPlan } from './plan-size.ts'

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const place: EntityField = { name: 'place', type: 'string', role: 'tag' }
const unit: EntityField = { name: 'unit', type: 'string', role: 'dimension' }
const metric: EntityField = { name: 'V', type: 'double', role: 'metric' }

function of(ids: number | null, own: Partial<Selection> = {}): Selection {
  const named = ids === null ? null : Array.from({ length: ids }, (_, number) => `tag ${number}`)
  const all = { sinceMs: null, time, tags: [tag], prefixes: null, metrics: [metric], fields: [] } as const
  return { entityId: 7, ids: named, ...all, ...own }
}

const hourMs = 3_600_000
const hours = (count: number): Range => ({ fromMs: 0, toMs: count * hourMs })
const means = (selection: Selection, range: Range, granularity = 'hour'): Plan => ({
  kind: 'average',
  ...{ selection, range, granularity: parseGranularity(granularity)!, byTag: true },
})
const snap = (ticks: number): Plan => ({
  kind: 'snap',
  selection: of(1),
  ticksMs: Float64Array.from({ length: ticks }, (_, tick) => tick),
})
const ofTime = {
  values: { metrics: [{ shape: 'line', maxGap: null }], shapeOfTag: [], nowMs: 0 },
  columns: [],
  onlyKnown: false,
  totalUnitMs: hourMs,
  counter: { reset: 'zero', wrap: null },
} as const
const overTime = (kind: 'aggregate' | 'states', selection: Selection, range: Range): Plan => ({
  kind,
  ...{ selection, range, granularity: parseGranularity('hour')! },
  ...ofTime,
})
const before = (offset: number): Plan => ({ kind: 'last', selection: of(1), dateMs: 0, offset })

test.each<[string, Plan, boolean]>([
  ['the latest rows of 15 tags', { kind: 'latest', selection: of(15), fromMs: -Infinity }, true],
  ['the latest rows of 16 tags', { kind: 'latest', selection: of(16), fromMs: -Infinity }, false],
  ['the latest rows of all tags', { kind: 'latest', selection: of(null), fromMs: -Infinity }, false],
  [
    'the latest rows by two tag fields',
    { kind: 'latest', selection: of(1, { tags: [tag, place] }), fromMs: -Infinity },
    false,
  ],
  ['the row before a date', before(0), true],
  ['the row at offset 1000 before a date', before(1000), true],
  ['the row at offset 1001 before a date', before(1001), false],
  ['a state at 1024 ticks', snap(1024), true],
  ['a state at 1025 ticks', snap(1025), false],
  ['selected rows', { kind: 'select', selection: of(1), range: hours(1) }, false],
  ['hourly means of a day', means(of(1), hours(24)), true],
  ['hourly means of half a year', means(of(1), hours(4094)), true],
  ['hourly means of a little more than half a year', means(of(1), hours(4095)), false],
  ['hourly means of two tags, twice as many', means(of(2), hours(4094)), false],
  ['hourly means of all time', means(of(1), { fromMs: 0, toMs: Infinity }), false],
  ['one mean of all time', means(of(1), { fromMs: -Infinity, toMs: Infinity }, 'all'), true],
  ['the means of each millisecond of an hour', means(of(1), hours(1), 'none'), false],
  ['monthly means of 300 years', means(of(1), hours(300 * 365 * 24), 'month'), true],
  ['monthly means of 400 years', means(of(1), hours(400 * 365 * 24), 'P1M'), false],
  ['means by a month and a day, of a century', means(of(1), hours(100 * 365 * 24), 'P1M1D'), true],
  ['line values at few ticks, which read all rows between them', { ...snap(2), values: ofTime.values } as Plan, false],
  ['hourly aggregates of half a year', overTime('aggregate', of(1), hours(4094)), true],
  ['hourly aggregates of a little more than half a year', overTime('aggregate', of(1), hours(4095)), false],
  [
    'hourly aggregates with a dimension, which read all rows',
    overTime('aggregate', of(1, { fields: [unit] }), hours(24)),
    false,
  ],
  ['hourly states of a little more than half a year', overTime('states', of(1), hours(4095)), false],
  ['a plot', { kind: 'plot', selection: of(1), range: hours(1), points: 10 }, false],
  ['means by a dimension', means(of(1, { fields: [unit] }), hours(24)), false],
])('whether a plan is small: %s', (_, plan, isSmall) => {
  expect(isSmallPlan(plan)).toBe(isSmall)
})

test.each(Object.entries(granularityNames))('whether a plan is small: %s buckets of a minute', (_, granularity) => {
  const plan = { ...means(of(1), { fromMs: 0, toMs: 60_000 }), granularity } as Plan
  expect(isSmallPlan(plan)).toBe(granularity.kind !== 'uniform' || granularity.widthMs > 1)
})
