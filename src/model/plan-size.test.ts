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
  ['latest of fifteen tags', { kind: 'latest', selection: of(15), fromMs: -Infinity }, true],
  ['latest of sixteen', { kind: 'latest', selection: of(16), fromMs: -Infinity }, false],
  ['latest of all', { kind: 'latest', selection: of(null), fromMs: -Infinity }, false],
  ['latest by two tags', { kind: 'latest', selection: of(1, { tags: [tag, place] }), fromMs: -Infinity }, false],
  ['the row before a date', before(0), true],
  ['the thousandth before it', before(1000), true],
  ['the one before that', before(1001), false],
  ['a state at many ticks', snap(1024), true],
  ['at one more', snap(1025), false],
  ['rows', { kind: 'select', selection: of(1), range: hours(1) }, false],
  ['the hours of a day', means(of(1), hours(24)), true],
  ['the hours of half a year', means(of(1), hours(4094)), true],
  ['the hours of a little more', means(of(1), hours(4095)), false],
  ['those of two tags, which are twice as many', means(of(2), hours(4094)), false],
  ['the hours of all time', means(of(1), { fromMs: 0, toMs: Infinity }), false],
  ['one mean of all time', means(of(1), { fromMs: -Infinity, toMs: Infinity }, 'all'), true],
  ['the milliseconds of an hour', means(of(1), hours(1), 'none'), false],
  ['the months of three hundred years', means(of(1), hours(300 * 365 * 24), 'month'), true],
  ['those of four hundred', means(of(1), hours(400 * 365 * 24), 'P1M'), false],
  ['a month and a day at a time, of a century', means(of(1), hours(100 * 365 * 24), 'P1M1D'), true],
  [
    'a state on the line at few ticks, of which all rows between are read',
    { ...snap(2), values: ofTime.values } as Plan,
    false,
  ],
  ['aggregates by the hours of half a year', overTime('aggregate', of(1), hours(4094)), true],
  ['those of a little more', overTime('aggregate', of(1), hours(4095)), false],
  ['those with a dimension, which read all rows', overTime('aggregate', of(1, { fields: [unit] }), hours(24)), false],
  ['states by the hours of a little more', overTime('states', of(1), hours(4095)), false],
  ['a plot', { kind: 'plot', selection: of(1), range: hours(1), points: 10 }, false],
  ['by a dimension', means(of(1, { fields: [unit] }), hours(24)), false],
])('%s', (_, plan, isSmall) => {
  expect(isSmallPlan(plan)).toBe(isSmall)
})

test.each(Object.entries(granularityNames))('%s of a minute', (_, granularity) => {
  const plan = { ...means(of(1), { fromMs: 0, toMs: 60_000 }), granularity } as Plan
  expect(isSmallPlan(plan)).toBe(granularity.kind !== 'uniform' || granularity.widthMs > 1)
})
