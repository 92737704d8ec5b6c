import { expect, test } from 'vitest'
import type { EntityField } from '../model/entity.ts'
import type { Plan, Selection } from '../model/plan.ts'
import { receivedPlan, sentLimits, sentPlan } from './plan-text.ts'

const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const selection: Selection = {
  entityId: 3,
  sinceMs: null,
  time: { name: 'D', type: 'timestamp', role: 'time' },
  tags: [tag],
  ids: ['a', 'half a pair: \ud83d', '"', '\u0000'],
  prefixes: null,
  metrics: [{ name: 'V', type: 'double', role: 'metric' }],
  fields: [],
}
const open = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const day = { fromMs: -62_135_596_800_000, toMs: 0 }
const hour = { kind: 'uniform', widthMs: 3_600_000, originMs: 0 } as const
const months = { years: 0, months: 1, weeks: 0, days: 1, ms: 0 }

const plans: readonly Plan[] = [
  { kind: 'average', selection, range: day, granularity: hour, byTag: true },
  { kind: 'average', selection, range: open, granularity: { kind: 'all' }, byTag: false },
  { kind: 'average', selection, range: open, granularity: { kind: 'compound', duration: months }, byTag: false },
  { kind: 'select', selection: { ...selection, sinceMs: -1, ids: null, prefixes: ['p'] }, range: { ...open, toMs: 5 } },
  { kind: 'select', selection, range: { ...open, fromMs: 5 } },
  { kind: 'latest', selection, fromMs: Number.NEGATIVE_INFINITY },
  { kind: 'latest', selection, fromMs: 0 },
  { kind: 'last', selection, dateMs: 0, offset: 2 },
  { kind: 'next', selection, dateMs: -1, offset: 0 },
  { kind: 'snap', selection, ticksMs: Float64Array.of(1, 2) },
]

test('a plan is the same after it is sent and received', () => {
  expect(plans.map((plan) => receivedPlan(sentPlan(plan)))).toEqual(plans)
})

test('only the limits of a plan are sent with it', () => {
  const limits = { resultRows: 1, buckets: 2, resultBytes: 3 }
  const all = { ...limits, queryTimeMs: 4, runningQueries: 5 }
  expect(sentLimits(all)).toEqual(limits)
})
