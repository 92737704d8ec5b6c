import { expect, test } from 'vitest'
import { granularityFor, rangeOf, requestOf, stepText, tagsShown, viewLink, viewOf } from './view.ts'

const day = 86_400_000
const nowMs = Date.parse('2026-01-08T12:00:00Z')
const view = viewOf(new URLSearchParams('entity=plant&tag=a&tag=b%26c&field=V&range=PT1H'))

test('the address holds the view', () => {
  expect(view).toMatchObject({ entity: 'plant', tags: ['a', 'b&c'], fields: ['V'], range: 'PT1H', how: 'average' })
  expect(viewOf(new URLSearchParams(viewLink(view).split('?')[1]))).toEqual(view)
})

test.each([
  ['PT1H', '', '', nowMs - 3_600_000, nowMs],
  ['', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', nowMs - 7.5 * day, nowMs - 6.5 * day],
])('the range %s %s %s is in milliseconds', (range, from, to, fromMs, toMs) => {
  expect(rangeOf({ ...view, range, from, to }, nowMs)).toEqual({ fromMs, toMs })
})

test.each([
  [60_000, 'second'],
  [3_600_000, 'minute'],
  [day, 'five_minute'],
  [30 * day, 'six_hour'],
  [3650 * day, 'week'],
  [100 * 365 * day, 'quarter'],
])('%i ms over 600 buckets are drawn by %s', (spanMs, granularity) => {
  expect(granularityFor(spanMs, 600)).toBe(granularity)
})

test.each([
  ['minute', 'minute'],
  ['five_minute', 'five minutes'],
  ['six_hour', 'six hours'],
])('%s is read as every %s', (granularity, text) => {
  expect(stepText(granularity)).toBe(text)
})

test('a request names what is shown, and nothing else', () => {
  expect(requestOf(view, { fromMs: 0, toMs: day }, 600)).toEqual({
    entity: 'plant',
    ids: ['a', 'b&c'],
    metric_name_field: ['V'],
    start_date: '1970-01-01T00:00:00.000Z',
    end_date: '1970-01-02T00:00:00.000Z',
    granularity: 'five_minute',
  })
  expect(requestOf({ ...view, how: 'latest' }, { fromMs: 0, toMs: day }, 600)).toEqual({
    entity: 'plant',
    ids: ['a', 'b&c'],
    metric_name_field: ['V'],
    date: '1970-01-01T00:00:00.000Z',
  })
})

test('rows are told apart by all tags, or by the one that is named', () => {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'site', type: 'string', role: 'tag' },
    { name: 'sensor', type: 'string', role: 'tag' },
  ] as const
  expect(tagsShown(view, { fields })).toEqual(['site', 'sensor'])
  expect(requestOf(view, { fromMs: 0, toMs: day }, 600)).not.toHaveProperty('id_name_field')
  const bySensor = { ...view, by: 'sensor' }
  expect(tagsShown(bySensor, { fields })).toEqual(['sensor'])
  expect(requestOf(bySensor, { fromMs: 0, toMs: day }, 600)).toMatchObject({ id_name_field: 'sensor' })
})
