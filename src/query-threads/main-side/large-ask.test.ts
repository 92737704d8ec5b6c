import { expect, test } from 'vitest'
import type { AggregationPlan } from '../../model/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Plan, Selection } from '../../model/plan.ts'
import type { ReceivedAsk } from '../../store-thread/plan-answers.ts'
import { largeAsk } from './large-ask.ts'

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const metric: EntityField = { name: 'V', type: 'double', role: 'metric' }
const range = { fromMs: 10, toMs: 20 }

const few = Array.from({ length: 15 }, (_, number) => `tag ${number}`)
const many = [...few, 'one more']

function of(ids: readonly string[] | null): Selection {
  return { entityId: 7, sinceMs: null, time, tags: [tag], ids, prefixes: null, metrics: [metric], fields: [] }
}

function run(plan: Plan): ReceivedAsk {
  const limits = { resultRows: 1, buckets: 1, resultBytes: 1 }
  return { kind: 'run', id: 1, plan, format: 'json', limits, room: { memoryBytes: 1, fileBytes: 1 } }
}

const average = { kind: 'average', granularity: { kind: 'all' }, byTag: true, range } as const
const ticks = (count: number): Float64Array => Float64Array.from({ length: count }, (_, tick) => tick)

test.each<[string, Plan, [fromMs: number, toMs: number] | null]>([
  ['means of fifteen tags', { ...average, selection: of(few) }, null],
  ['means of sixteen tags', { ...average, selection: of(many) }, [10, 20]],
  ['means of all tags', { ...average, selection: of(null) }, [10, 20]],
  ['rows of one tag', { kind: 'select', selection: of(['a']), range }, [10, 20]],
  ['a few ticks of a tag', { kind: 'snap', selection: of(['a']), ticksMs: ticks(1024) }, null],
  ['many ticks of a tag', { kind: 'snap', selection: of(['a']), ticksMs: ticks(1025) }, [-Infinity, 1024]],
  ['the last row of all tags', { kind: 'last', selection: of(null), dateMs: 5, offset: 0 }, [-Infinity, 5]],
  ['the newest row of all tags', { kind: 'latest', selection: of(null), fromMs: 5 }, [5, Infinity]],
])('%s', (_, plan, dates) => {
  const asked = dates === null ? null : { entityId: 7, ranges: [{ fromMs: dates[0], toMs: dates[1] }] }
  expect(largeAsk(run(plan))).toEqual(asked)
})

const aggregation: AggregationPlan = {
  ...{ entityId: 7, sinceMs: null, time, tags: [tag], ranges: [range], filter: null, computed: [] },
  ...{ granularity: { kind: 'all' }, keys: [], aggregates: [], groupsMax: 1, unitsMax: 1, needsDays: false },
}

function sql(aggregation: AggregationPlan): ReceivedAsk {
  const plan = { aggregation, fields: [], outputs: [], steps: 0, isOneGroup: true, having: null, order: [], offset: 0 }
  const room = { memoryBytes: 1, fileBytes: 1 }
  return {
    kind: 'sql',
    id: 1,
    plan: { ...plan, limit: null },
    format: 'json',
    limits: { resultRows: 1, resultBytes: 1 },
    room,
  }
}

test('groups', () => {
  expect(largeAsk(sql(aggregation))).toMatchObject({ entityId: 7, ranges: [range] })
  // The days that have rows are those of all rows.
  expect(largeAsk(sql({ ...aggregation, needsDays: true }))).toBeNull()
})
