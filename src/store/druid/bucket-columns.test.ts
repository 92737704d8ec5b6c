import { describe, expect, test } from 'vitest'
import { parsePeriod } from '../../druid-time/iso.ts'
import { periodGranularity } from '../../druid-time/native-granularity.ts'
import { ZonedBuckets } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { type BucketGranularity, parseGranularity } from '../../model/granularity.ts'
import { type BucketRange, bucketSlices, zonedRanges } from './bucket-columns.ts'

const [open, end] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

function slices(granularity: string, fromMs = open, toMs = end): BucketRange[] {
  return bucketSlices(parseGranularity(granularity) as BucketGranularity, fromMs, toMs)
}

test.each([
  ['second', 'PT1S'],
  ['five_minute', 'PT5M'],
  ['hour', 'PT1H'],
  ['day', 'P1D'],
  ['P2D', 'P2D'],
  ['week', 'P1W'],
  ['P2W', 'P14D'],
  ['quarter', 'P3M'],
  ['year', 'P12M'],
])('%s maps to a Druid period', (granularity, period) => {
  const expression = `timestamp_floor("__time", '${period}', null, 'UTC')`
  expect(slices(granularity)).toEqual([{ fromMs: open, toMs: end, expression, period }])
})

describe('periods of several hours, which Druid rounds towards 1970', () => {
  const hours = (count: number, period: string) => ({
    counted: {
      expression: `"__time" - (("__time" % ${count * 3_600_000} + ${count * 3_600_000}) % ${count * 3_600_000})`,
      period: null,
    },
    floored: { expression: `timestamp_floor("__time", '${period}', null, 'UTC')`, period },
  })

  test.each([
    ['six_hour', hours(6, 'PT6H')],
    ['PT7H', hours(7, 'PT7H')],
    ['PT10H', hours(10, 'PT10H')],
  ])('%s is computed arithmetically before 1970', (granularity, { counted, floored }) => {
    expect(slices(granularity)).toEqual([
      { fromMs: open, toMs: -1, ...counted },
      { fromMs: 0, toMs: end, ...floored },
    ])
    expect(slices(granularity, 0, 5)).toEqual([{ fromMs: 0, toMs: 5, ...floored }])
    expect(slices(granularity, -9, -5)).toEqual([{ fromMs: -9, toMs: -5, ...counted }])
  })
})

describe('buckets of a time zone', () => {
  const hour = 3_600_000
  /** Hours until the fifth, then one bucket of half an hour, then hours again. */
  const buckets = {
    areOfHours: false,
    startOf: (ms: number) => (ms < 5 * hour ? ms - (ms % hour) : ms < 5.5 * hour ? 5 * hour : later(ms)),
    endOf: (ms: number) => (ms < 5 * hour ? ms - (ms % hour) + hour : ms < 5.5 * hour ? 5.5 * hour : later(ms) + hour),
    nextStart: () => 0,
    equalBuckets: () => 1,
  }
  const later = (ms: number): number => Math.floor((ms - 5.5 * hour) / hour) * hour + 5.5 * hour

  test('are computed where regular, and selected by conditions elsewhere', () => {
    const counted = (startMs: number): string =>
      `"__time" - (("__time" - ${startMs}) % ${hour} + ${hour}) % ${hour})`.replace('(("', '((("')
    const [slice, ...others] = zonedRanges(buckets, { fromMs: 0.5 * hour, toMs: 9 * hour }, 100)
    expect(others).toEqual([])
    expect(slice).toMatchObject({ fromMs: 0.5 * hour, toMs: 9 * hour, period: null })
    expect(slice?.expression).toContain(`if("__time" < ${5 * hour}`)
    expect(slice?.expression).toContain(`"__time" * 0 + ${5 * hour}`)
    expect(slice?.expression).toContain(counted(5.5 * hour))
  })

  test('are refused beyond the limit', () => {
    expect(() => zonedRanges(buckets, { fromMs: 0, toMs: 100 * hour }, 50)).toThrow('more than 50 buckets')
  })

  test.each([
    ['P1D', 'Pacific/Apia', '2011-12-30T09:59Z', '2026-03-30T21:59Z'],
    ['PT1M', 'Europe/Madrid', '1850-01-01T00:00Z', '2250-01-01T00:00Z'],
    ['PT30M', 'Australia/Lord_Howe', '2011-12-30T09:59Z', '2026-03-30T21:59Z'],
  ])('of %s in %s with equal lengths count as one against the limit', (period, zone, from, to) => {
    const zoned = new ZonedBuckets(periodGranularity(parsePeriod(period)!, Zone.find(zone)!, null)!)
    const range = { fromMs: Date.parse(from), toMs: Date.parse(to) }
    const some = zonedRanges(zoned, range, 1000)
    expect([some[0]?.fromMs, some.at(-1)?.toMs]).toEqual([range.fromMs, range.toMs])
    expect(some.length).toBeLessThan(8)
  })
})
