import { describe, expect, test } from 'vitest'
import { bucketStart, nextBucket, periodGranularity } from './granularity.ts'
import { formatTimestamp, parseInstantText, parseInterval, parsePeriod } from './iso.ts'
import { Zone } from './zone.ts'

const zone = (name: string): Zone => Zone.find(name)!
const at = (text: string): number => parseInstantText(text)!

describe('the start of a bucket', () => {
  test.each<[string, string, string | null, string, string]>([
    ['P1D', 'UTC', null, '1969-12-31T23:59:59.999Z', '1969-12-31T00:00:00.000Z'],
    ['P1W', 'UTC', null, '2021-01-03T23:00:00Z', '2020-12-28T00:00:00.000Z'],
    ['P2W', 'UTC', null, '1970-01-16T00:00:00Z', '1970-01-15T00:00:00.000Z'],
    ['P1M', 'UTC', null, '2016-02-29T06:30:15.250Z', '2016-02-01T00:00:00.000Z'],
    ['P3M', 'UTC', '2012-02-01T00:00:00Z', '2016-02-29T06:30:15.250Z', '2016-02-01T00:00:00.000Z'],
    ['P3M', 'UTC', '2012-02-01T00:00:00Z', '2010-01-03T12:00:00Z', '2009-11-01T00:00:00.000Z'],
    ['P1D', 'Europe/Madrid', null, '2025-10-26T22:59:59.999Z', '2025-10-26T00:00:00.000+02:00'],
    ['P1D', 'Europe/Madrid', null, '2026-03-29T01:00:00Z', '2026-03-29T00:00:00.000+01:00'],
    ['PT1H', 'Europe/Madrid', null, '2025-10-26T01:30:00Z', '2025-10-26T02:00:00.000+01:00'],
    ['PT1H', 'Asia/Kolkata', null, '2025-10-26T01:15:00Z', '2025-10-26T06:00:00.000+05:30'],
    ['P1M', 'America/Los_Angeles', null, '2011-04-01T00:00:00Z', '2011-03-01T00:00:00.000-08:00'],
    ['P1D', '-08:00', null, '2025-11-02T07:30:00Z', '2025-11-01T00:00:00.000-08:00'],
    ['P1DT12H', 'UTC', null, '1970-01-02T13:00:00Z', '1970-01-02T12:00:00.000Z'],
    ['P1M15D', 'UTC', null, '1970-02-17T00:00:00Z', '1970-02-16T00:00:00.000Z'],
    ['PT6H', 'Europe/Madrid', '2025-10-25T22:00:00Z', '2025-10-26T22:30:00Z', '2025-10-26T23:00:00.000+01:00'],
  ])('%s in %s from %s: %s', (period, name, origin, ms, start) => {
    const granularity = periodGranularity(parsePeriod(period)!, zone(name), origin === null ? null : at(origin))!
    expect(formatTimestamp(bucketStart(granularity, at(ms)), zone(name))).toBe(start)
    expect(nextBucket(granularity, bucketStart(granularity, at(ms)))).toBeGreaterThan(at(ms))
  })
})

test.each<[string, string | null]>([
  ['2015-09-12/2015-09-13', '2015-09-12T00:00:00.000Z/2015-09-13T00:00:00.000Z'],
  ['2015-09-12T05:00:00Z/PT2H', '2015-09-12T05:00:00.000Z/2015-09-12T07:00:00.000Z'],
  ['P1M/2015-03-31', '2015-02-28T00:00:00.000Z/2015-03-31T00:00:00.000Z'],
  ['2011/2012', '2011-01-01T00:00:00.000Z/2012-01-01T00:00:00.000Z'],
  ['0000/3000', '0000-01-01T00:00:00.000Z/3000-01-01T00:00:00.000Z'],
  ['2015-09-12T00:00:00+02:00/2015-09-12T00', '2015-09-11T22:00:00.000Z/2015-09-12T00:00:00.000Z'],
  ['2009-W53-7/2010-003T12:30', '2010-01-03T00:00:00.000Z/2010-01-03T12:30:00.000Z'],
  ['yesterday', null],
  ['2015-13-01/2015-13-02', null],
  ['2015-09-13/2015-09-12', null],
  ['2015-09-12 00:00:00/2015-09-13 00:00:00', null],
])('the interval %s', (text, expected) => {
  const interval = parseInterval(text)
  expect(interval === null ? null : `${formatTimestamp(interval.startMs)}/${formatTimestamp(interval.endMs)}`).toBe(
    expected,
  )
})
