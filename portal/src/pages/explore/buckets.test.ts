import { expect, test } from 'vitest'
import { bucketEndMs, bucketsOf, granularityFor, stepText } from './buckets.ts'

const day = 86_400_000
const at = (iso: string): number => Date.parse(iso)

test.each([
  [60_000, 'second'],
  [3_600_000, 'minute'],
  [day, 'five_minute'],
  [30 * day, 'six_hour'],
  [3650 * day, 'week'],
  [100 * 365 * day, 'quarter'],
])('a range of %i ms over 600 buckets uses granularity %s', (spanMs, granularity) => {
  expect(granularityFor(spanMs, 600)).toBe(granularity)
})

test.each([
  ['minute', 'minute'],
  ['five_minute', 'five minutes'],
  ['six_hour', 'six hours'],
])('granularity %s is worded as every %s', (granularity, text) => {
  expect(stepText(granularity)).toBe(text)
})

test.each([
  ['hour', '2026-03-29T00:00Z', '2026-03-29T01:00Z'],
  // Days of 23 and of 25 hours.
  ['day', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
  ['day', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
  ['week', '2026-03-22T23:00Z', '2026-03-29T22:00Z'],
  ['month', '2026-02-28T23:00Z', '2026-03-31T22:00Z'],
  ['quarter', '2025-12-31T23:00Z', '2026-03-31T22:00Z'],
  ['year', '2025-12-31T23:00Z', '2026-12-31T23:00Z'],
])('in Berlin the %s that starts at %s ends at %s', (granularity, start, end) => {
  expect(bucketEndMs(at(start), granularity, 'Europe/Berlin')).toBe(at(end))
})

test('a bucket cut by the range or by the current time is partial', () => {
  const rows = [['2026-01-01T00:00Z'], ['2026-01-02T00:00Z'], ['2026-01-03T00:00Z']]
  const span = { fromMs: at('2026-01-01T06:00Z'), toMs: at('2026-01-04T00:00Z') }
  const day = { granularity: 'day', zone: 'UTC', span }
  const seconds = ['2026-01-01T06:00Z', '2026-01-02T00:00Z', '2026-01-03T00:00Z'].map((iso) => at(iso) / 1000)
  const whole = bucketsOf({ columns: ['D'], rows }, 'D', { ...day, nowMs: at('2026-02-01T00:00Z') })
  expect(seconds.map(whole.isPartial)).toEqual([true, false, false])
  const cut = bucketsOf({ columns: ['D'], rows }, 'D', { ...day, nowMs: at('2026-01-03T12:00Z') })
  expect(seconds.map(cut.isPartial)).toEqual([true, false, true])
  expect(cut.boundsOf(seconds[2]!)).toEqual([seconds[2], at('2026-01-03T12:00Z') / 1000])
  expect(cut.boundsOf(seconds[0]!)).toEqual([seconds[0], seconds[1]])
  const unknown = bucketsOf({ columns: ['D'], rows }, 'D', { ...day, granularity: 'P2D', nowMs: span.toMs })
  expect(seconds.map(unknown.isPartial)).toEqual([true, false, false])
})
