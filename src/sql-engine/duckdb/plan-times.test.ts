import { expect, test } from 'vitest'
import { timesOfPlan } from './plan-times.ts'

const tz = '::TIMESTAMP WITH TIME ZONE'
const from = `a0>='2026-01-03 00:00:00+00'${tz}`
const until = `a0<'2026-01-04 00:00:00.5+00'${tz}`
const reading = (Filters?: string | readonly string[]) => ({
  name: 'READ_PARQUET ',
  children: [],
  extra_info: Filters === undefined ? {} : { Filters },
})
const third = Date.UTC(2026, 0, 3)
const fourth = Date.UTC(2026, 0, 4) + 1000

test.each<[string, Parameters<typeof timesOfPlan>[0], ReturnType<typeof timesOfPlan>]>([
  ['no reading', [{ name: 'DUMMY_SCAN' }], null],
  ['all rows', [reading()], null],
  [
    'a range',
    [{ name: 'PROJECTION', children: [reading(`${from} AND ${until}`)] }],
    { fromMs: third, untilMs: fourth },
  ],
  ['a range and others', [reading(["a1='x'", from])], { fromMs: third, untilMs: Number.POSITIVE_INFINITY }],
  ['one instant', [reading(from.replace('>=', '='))], { fromMs: third, untilMs: third + 1000 }],
  [
    'two readings',
    [reading(`${from} AND ${until}`), reading(from)],
    { fromMs: third, untilMs: Number.POSITIVE_INFINITY },
  ],
  ['one of two without bounds', [reading(from), reading()], null],
  ['what holds only by the way', [reading(`optional: ${from}`)], null],
  ['one of several', [reading(`${from} OR ${until}`)], null],
  ['another column', [reading(from.replace('a0', 'a01'))], null],
  ['a text that looks like it', [reading(`a1='x AND ${from}'`)], null],
  ['a part that was left out', [reading(from), { name: 'EMPTY_RESULT ' }], null],
  [
    'a part that was counted by a footer',
    [{ name: 'UNION', children: [{ name: 'COLUMN_DATA_SCAN ' }, reading(from)] }],
    null,
  ],
  [
    'a part that is read twice',
    [{ name: 'CTE', children: [reading(from), { name: 'CTE_SCAN', children: [] }] }],
    { fromMs: third, untilMs: Number.POSITIVE_INFINITY },
  ],
  ['a year of five digits', [reading(`a0>='12026-01-03 00:00:00+00'${tz}`)], null],
])('%s', (_name, plan, times) => expect(timesOfPlan(plan)).toEqual(times))
