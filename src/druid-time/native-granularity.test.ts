import { describe, expect, test } from 'vitest'
import { formatTimestamp, parseInstantText, parseInterval, parsePeriod } from './iso.ts'
import { nativeBucketStart, nextBucket, periodGranularity } from './native-granularity.ts'
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
    expect(formatTimestamp(nativeBucketStart(granularity, at(ms)), zone(name))).toBe(start)
    expect(nextBucket(granularity, nativeBucketStart(granularity, at(ms)))).toBeGreaterThan(at(ms))
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
  ['2015-09-12/P999999999Y', '2015-09-12T00:00:00.000Z/+275760-09-13T00:00:00.000Z'],
  ['P999999999Y/2015-09-12', '-271821-04-20T00:00:00.000Z/2015-09-12T00:00:00.000Z'],
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

/** Local time minus UTC according to `Intl`, whose calendar is Julian before 1582. */
function reported(name: string, ms: number): number {
  const options = { timeZone: name, dateStyle: 'short', timeStyle: 'medium' } as const
  const local = new Intl.DateTimeFormat('sv-SE', options).format(ms)
  return Date.parse(`${local.replace(' ', 'T')}Z`) - ms
}

test.each(['P99999999999D', 'PT9999999999H', 'PT2147483648S', 'P-2147483648M'])('%s is refused as a period', (text) => {
  expect(parsePeriod(text)).toBeNull()
})

describe('the offset of a zone', () => {
  const names = [
    'America/St_Johns',
    'Europe/Madrid',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Asia/Gaza',
    'America/Santiago',
  ]
  const years = [1600, 1799, 1880, 1950, 1987, 2026, 2099, 2127, 2128, 2129, 2200, 2399, 2400, 5000, 9999]
  const days = ['01-01', '03-12', '03-29', '04-05', '09-07', '10-31', '12-31']
  test.each(names)('%s, computed once and read from a table', (name) => {
    const moments = years.flatMap((year) => days.map((day) => Date.parse(`${year}-${day}T12:00:00Z`)))
    const expected = moments.map((ms) => reported(name, ms))
    expect(moments.map((ms) => zone(name).offset(ms))).toEqual(expected)
    for (const far of [2300, 2487]) {
      const changes = zone(name).changes(Date.UTC(far, 0, 1), Date.UTC(9999, 0, 1))
      for (const at of days.map((day) => Date.parse(`${far}-${day}T12:00:00Z`))) {
        expect(changes.findLast(({ fromMs }) => fromMs <= at)?.offsetMs).toBe(reported(name, at))
      }
    }
    for (let day = 0; day < 3000; day++) zone(name).offset(day * 86_400_000)
    expect(moments.map((ms) => zone(name).offset(ms))).toEqual(expected)
  })

  test('before 1800 is the solar time, on the Gregorian calendar', () => {
    expect(
      ['0001-01-01', '1000-06-01', '1582-10-04', '1799-12-31'].map((day) =>
        zone('America/Chicago').offset(Date.parse(`${day}T00:00:00Z`)),
      ),
    ).toEqual([-21_036_000, -21_036_000, -21_036_000, -21_036_000])
    expect(zone('America/Chicago').changes(Date.UTC(1, 0, 1) - 86_400_000 * 365 * 1900, Date.UTC(1880, 0, 1))).toEqual([
      { fromMs: Number.NEGATIVE_INFINITY, offsetMs: -21_036_000 },
    ])
  })
})

test.each(['BST', 'AST', 'ist', 'PST'])('%s is refused as an ambiguous zone', (name) => {
  expect(Zone.find(name)).toBeNull()
})
