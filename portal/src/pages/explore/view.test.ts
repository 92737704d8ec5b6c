import { expect, test } from 'vitest'
import { edgesOf, questionOf } from './question.ts'
import {
  calendarText,
  drawable,
  limitFaults,
  openingRange,
  rangeOf,
  tagsShown,
  typedRange,
  viewLink,
  viewOf,
} from './view.ts'

const day = 86_400_000
const nowMs = Date.parse('2026-01-08T12:00:00Z')
const view = viewOf(new URLSearchParams('entity=plant&tag=a&tag=b%26c&field=V&range=PT1H&zone=Europe/Berlin'))

test('a view can be restored from its address', () => {
  expect(view).toMatchObject({ entity: 'plant', tags: ['a', 'b&c'], fields: ['V'], range: 'PT1H', how: 'auto' })
  expect(viewOf(new URLSearchParams(viewLink(view).split('?')[1]))).toEqual(view)
})

test.each([
  ['PT1H', '', '', nowMs - 3_600_000, nowMs],
  ['', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', nowMs - 7.5 * day, nowMs - 6.5 * day],
])('the range %s %s %s is converted to milliseconds', (range, from, to, fromMs, toMs) => {
  expect(rangeOf({ ...view, range, from, to }, nowMs)).toEqual({ fromMs, toMs })
})

test.each([
  ['P99999Y', '', ''],
  ['', '-99999999w', 'now'],
  ['', '2026-01-02', '2026-01-01'],
])('%s %s %s is not a valid range', (range, from, to) => {
  expect(rangeOf({ ...view, range, from, to }, nowMs)).toBeNull()
})

const span = { fromMs: 0, toMs: day }
const asked = {
  entity: 'plant',
  ids: ['a', 'b&c'],
  metric_name_field: ['V'],
}
const range = { start_date: '1970-01-01T00:00:00.000Z', end_date: '1970-01-02T00:00:00.000Z' }
const buckets = { ...range, granularity: 'five_minute', time_zone: 'Europe/Berlin' }

test.each([
  ['auto', 'plot', { ...range, points: 600 }],
  ['average', 'average', buckets],
  ['time_mean', 'average', { ...buckets, weight: 'time' }],
  ['band', 'aggregate', { ...buckets, aggregates: ['mean', 'min', 'max'] }],
  ['rise', 'aggregate', { ...buckets, granularity: 'thirty_minute', aggregates: ['rise'] }],
  ['states', 'states', buckets],
  ['select', 'select', range],
  ['snap', 'snap', buckets],
  ['latest', 'latest', { date: range.start_date }],
] as const)('%s sends a request of kind %s with only the parameters of the view', (how, kind, more) => {
  expect(questionOf({ ...view, how }, span, 600)).toEqual({ kind, request: { ...asked, ...more } })
})

test('items are drawn with the ones next to the range', () => {
  expect(edgesOf(view, span, {})).toEqual([
    { kind: 'last', request: { ...asked, date: range.start_date } },
    { kind: 'next', request: { ...asked, date: range.end_date } },
  ])
  expect(edgesOf({ ...view, how: 'average' }, span, {})).toEqual([])
  expect(edgesOf(view, span, { rows_from: range.start_date }).map(({ kind }) => kind)).toEqual(['next'])
})

test.each([
  ['-6h', '', { range: 'PT21600S', from: '', to: '' }],
  ['-6h', 'now', { range: 'PT21600S', from: '', to: '' }],
  ['yesterday', '', { range: '', from: '2026-01-06T23:00:00.000Z', to: '2026-01-07T23:00:00.000Z' }],
  ['2026-01-01 08:00', '', { range: '', from: '2026-01-01T07:00:00.000Z', to: '2026-01-08T12:00:00.000Z' }],
  ['1.1.2026', '3.1.2026', { range: '', from: '2025-12-31T23:00:00.000Z', to: '2026-01-02T23:00:00.000Z' }],
  ['soon', '3.1.2026', { range: '', from: 'soon', to: '3.1.2026' }],
])('from %j to %j, typed in Berlin, becomes %j', (from, to, range) => {
  expect(typedRange(from, to, 'Europe/Berlin', nowMs)).toEqual(range)
})

test('a start that cannot be parsed, and an end before the start, are not a valid range', () => {
  for (const [from, to] of [
    ['soon', '2026-01-03'],
    ['2026-01-03', '2026-01-02'],
  ] as const) {
    expect(rangeOf({ ...view, range: '', from, to }, nowMs)).toBeNull()
  }
})

test.each(['soon', '31.11.2026', '2026-11', '11/23/2026'])(
  '%j as a start alone is not replaced by another range',
  (from) => {
    const typed = { ...view, ...typedRange(from, '', 'Europe/Berlin', nowMs) }
    const opened = { ...typed, ...openingRange(typed, { last_date: '2026-01-01T00:00:00.000Z' }, nowMs) }
    expect(rangeOf(opened, nowMs)).toBeNull()
  },
)

test.each([
  ['2026-01-08T11:00:00.000Z', { range: 'P1D' }],
  ['2026-01-02T00:00:00.000Z', { range: '', from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }],
  [null, { range: 'P1D' }],
])('without a range, a day that has items is opened: newest item at %s', (last_date, range) => {
  expect(openingRange({ ...view, range: '' }, { last_date }, nowMs)).toEqual(range)
})

test.each([
  ['', '', false, []],
  ['-3,5', '2', false, []],
  ['0.1', '1000', true, []],
  ['abc', '', false, ['Least: “abc” is not a number.']],
  ['30', '15', false, ['Least must be below greatest: neither limit is applied.']],
  ['15', '15', false, ['Least must be below greatest: neither limit is applied.']],
  ['0', 'x', true, ['Least: a logarithmic axis needs numbers above zero.', 'Greatest: “x” is not a number.']],
  ['', '-1', true, ['Greatest: a logarithmic axis needs numbers above zero.']],
])('the limits %j and %j, logarithmic %j, have the faults %j', (least, greatest, log, faults) => {
  expect(limitFaults({ least, greatest, log })).toEqual(faults)
})

test('offers the metrics that can be drawn in the chosen way', () => {
  const fields = [
    { name: 'V', type: 'double', role: 'metric' },
    { name: 'on', type: 'boolean', role: 'metric' },
    { name: 'mode', type: 'string', role: 'metric' },
  ] as const
  const names = (how: Parameters<typeof drawable>[0]) => drawable(how, { fields }).map(({ name }) => name)
  expect([names('auto'), names('rise'), names('states')]).toEqual([['V', 'on'], ['V'], ['V', 'on', 'mode']])
})

test('rows are distinguished by all tags, or by the one named in the view', () => {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'site', type: 'string', role: 'tag' },
    { name: 'sensor', type: 'string', role: 'tag' },
  ] as const
  expect(tagsShown(view, { fields })).toEqual(['site', 'sensor'])
  expect(questionOf(view, span, 600).request).not.toHaveProperty('id_name_field')
  const bySensor = { ...view, by: 'sensor' }
  expect(tagsShown(bySensor, { fields })).toEqual(['sensor'])
  expect(questionOf(bySensor, span, 600).request).toMatchObject({ id_name_field: 'sensor' })
})

test.each([
  ['2026-07-01T10:20:30.999Z', 'Europe/Berlin', '2026-07-01T12:20:30'],
  ['1969-12-31T23:59:59.500Z', 'UTC', '1969-12-31T23:59:59'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00:00'],
])('%s in %s is shown in the date picker as %s, and read back as the same second', (iso, zone, text) => {
  const ms = Date.parse(iso)
  expect(calendarText(ms, zone)).toBe(text)
  const second = new Date(Math.floor(ms / 1000) * 1000).toISOString()
  expect(typedRange(text, text, zone, nowMs)).toEqual({ range: '', from: second, to: second })
})
