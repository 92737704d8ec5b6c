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
  ['no scan', [{ name: 'DUMMY_SCAN' }], null],
  ['a scan of all rows', [reading()], null],
  [
    'a time range',
    [{ name: 'PROJECTION', children: [reading(`${from} AND ${until}`)] }],
    { fromMs: third, untilMs: fourth },
  ],
  [
    'a time range with other filters',
    [reading(["a1='x'", from])],
    { fromMs: third, untilMs: Number.POSITIVE_INFINITY },
  ],
  ['one instant', [reading(from.replace('>=', '='))], { fromMs: third, untilMs: third + 1000 }],
  ['two scans', [reading(`${from} AND ${until}`), reading(from)], { fromMs: third, untilMs: Number.POSITIVE_INFINITY }],
  ['two scans, one without bounds', [reading(from), reading()], null],
  ['an optional filter', [reading(`optional: ${from}`)], null],
  ['a disjunction', [reading(`${from} OR ${until}`)], null],
  ['a filter on another column', [reading(from.replace('a0', 'a01'))], null],
  ['a string that looks like a time filter', [reading(`a1='x AND ${from}'`)], null],
  ['a part replaced by an empty result', [reading(from), { name: 'EMPTY_RESULT ' }], null],
  [
    'a part counted from file footers',
    [{ name: 'UNION', children: [{ name: 'COLUMN_DATA_SCAN ' }, reading(from)] }],
    null,
  ],
  [
    'a part that is scanned twice',
    [{ name: 'CTE', children: [reading(from), { name: 'CTE_SCAN', children: [] }] }],
    { fromMs: third, untilMs: Number.POSITIVE_INFINITY },
  ],
  ['a year of five digits', [reading(`a0>='12026-01-03 00:00:00+00'${tz}`)], null],
])('%s', (_name, plan, times) => expect(timesOfPlan(plan)).toEqual(times))
