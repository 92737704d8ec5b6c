import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BucketGranularity,
  bucketStart,
  granularityNames,
  nextBucketStart,
  parseGranularity,
} from './granularity.ts'
import { earliestMs, formatInstant, latestMs, parseInstant } from './instant.ts'

function buckets(text: string): BucketGranularity {
  const granularity = parseGranularity(text)
  if (granularity === null || granularity.kind === 'all') throw new Error(`${text} has no buckets`)
  return granularity
}

function floor(granularity: string, instant: string): string {
  return formatInstant(bucketStart(buckets(granularity), parseInstant(instant)!)).replace('T00:00:00.000Z', '')
}

const named: readonly (readonly [name: string, instant: string, start: string])[] = [
  ['none', '2026-05-20T13:47:58.123', '2026-05-20T13:47:58.123Z'],
  ['second', '2026-05-20T13:47:58.123', '2026-05-20T13:47:58.000Z'],
  ['minute', '2026-05-20T13:47:58.123', '2026-05-20T13:47:00.000Z'],
  ['five_minute', '2026-05-20T13:47:58.123', '2026-05-20T13:45:00.000Z'],
  ['ten_minute', '2026-05-20T13:47:58.123', '2026-05-20T13:40:00.000Z'],
  ['fifteen_minute', '2026-05-20T13:47:58.123', '2026-05-20T13:45:00.000Z'],
  ['thirty_minute', '2026-05-20T13:47:58.123', '2026-05-20T13:30:00.000Z'],
  ['hour', '2026-05-20T13:47:58.123', '2026-05-20T13:00:00.000Z'],
  ['six_hour', '2026-05-20T13:47:58.123', '2026-05-20T12:00:00.000Z'],
  ['eight_hour', '2026-05-20T13:47:58.123', '2026-05-20T08:00:00.000Z'],
  ['day', '2026-05-20T13:47:58.123', '2026-05-20'],
  ['month', '2026-05-20T13:47:58.123', '2026-05-01'],
  ['quarter', '2026-05-20T13:47:58.123', '2026-04-01'],
  ['year', '2026-05-20T13:47:58.123', '2026-01-01'],
  // Weeks start on Monday, also across the end of a year.
  ['week', '2026-05-20', '2026-05-18'],
  ['week', '2026-05-18', '2026-05-18'],
  ['week', '2026-05-17T23:59:59.999', '2026-05-11'],
  ['week', '2027-01-01', '2026-12-28'],
  ['week', '1970-01-01', '1969-12-29'],
  // The start of a bucket belongs to that bucket.
  ['hour', '2026-05-20T13:00', '2026-05-20T13:00:00.000Z'],
  ['month', '2024-02-29T23:59:59.999', '2024-02-01'],
  // Instants before 1970 round down, too.
  ['second', '1969-12-31T23:59:59.999', '1969-12-31T23:59:59.000Z'],
  ['six_hour', '1969-12-31T23:59:59.999', '1969-12-31T18:00:00.000Z'],
  ['day', '1969-12-31T00:00:00.001', '1969-12-31'],
  ['month', '1969-12-31', '1969-12-01'],
  ['quarter', '1969-11-05', '1969-10-01'],
  ['year', '0001-12-31', '0001-01-01'],
]

test.each(named)('the bucket by %s of %s', (granularity, instant, expected) => {
  expect(floor(granularity, instant)).toBe(expected)
})

test('the cases above cover every name except all, which has no buckets', () => {
  expect(new Set(['all', ...named.map(([name]) => name)])).toEqual(new Set(Object.keys(granularityNames)))
})

test.each([
  // A single unit follows the calendar; several units are counted from 1970-01-01.
  ['P1W', '2026-05-20', '2026-05-18'],
  ['P7D', '2026-05-20', '2026-05-14'],
  ['P2W', '2026-05-20', '2026-05-07'],
  ['P2W', '1969-12-31', '1969-12-18'],
  ['P0Y1WT0S', '2026-05-20', '2026-05-18'],
  ['P0W7D', '2026-05-20', '2026-05-14'],
  ['P1D', '2026-05-20T13:47', '2026-05-20'],
  ['PT24H', '2026-05-20T13:47', '2026-05-20'],
  ['PT36H', '1970-01-03', '1970-01-02T12:00:00.000Z'],
  ['PT36H', '1969-12-31', '1969-12-30T12:00:00.000Z'],
  ['PT5M', '2026-05-20T13:47:58.123', '2026-05-20T13:45:00.000Z'],
  ['PT7M', '1970-01-01T00:15', '1970-01-01T00:14:00.000Z'],
  ['PT0.25S', '2026-05-20T13:47:58.623', '2026-05-20T13:47:58.500Z'],
  ['P1M', '2026-05-20', '2026-05-01'],
  ['P2M', '2026-06-20', '2026-05-01'],
  ['P5M', '1970-12-31', '1970-11-01'],
  ['P5M', '1969-12-31', '1969-08-01'],
  ['P3M', '2026-05-20', '2026-04-01'],
  ['P1Y', '2026-05-20', '2026-01-01'],
  ['P2Y', '2027-05-20', '2026-01-01'],
  ['P10Y', '1969-05-20', '1960-01-01'],
  // Compound periods of fixed length have one width.
  ['P1DT12H', '1970-01-03', '1970-01-02T12:00:00.000Z'],
  ['P1W1D', '1970-01-10', '1970-01-09'],
  ['P1W1D', '1969-12-31', '1969-12-24'],
  // Compound periods with months are walked from 1970-01-01.
  ['P1Y6M', '1972-12-31', '1971-07-01'],
  ['P1Y6M', '1969-12-31', '1968-07-01'],
  ['P1M1D', '1970-02-01T12:00', '1970-01-01'],
  ['P1M1D', '1970-03-02', '1970-02-02'],
  ['P1M1D', '1970-03-03', '1970-03-03'],
  ['P1M1D', '1969-12-31', '1969-11-30'],
  ['P1M1D', '1969-11-29', '1969-10-29'],
  ['P1MT12H', '1970-02-01T11:59', '1970-01-01'],
  ['P1MT12H', '1970-02-01T12:00', '1970-02-01T12:00:00.000Z'],
])('the bucket of the period %s at %s', (period, instant, expected) => {
  expect(floor(period, instant)).toBe(expected)
})

test('reads names in any case', () => {
  expect(parseGranularity('FIFTEEN_MINUTE')).toEqual(granularityNames.fifteen_minute)
  expect(parseGranularity('Day')).toEqual(granularityNames.day)
  expect(parseGranularity('ALL')).toEqual({ kind: 'all' })
})

test.each([
  '',
  'hours',
  'fortnight',
  'five-minute',
  'constructor',
  '__proto__',
  'pt5m',
  'PT5m',
  'P',
  ' day',
  '60',
  '5M',
  '5H',
  '1y',
  '5 m',
  '1.5h',
  '-5m',
  '1h30m',
  '1234567890123s',
])('%j is not a granularity', (text) => {
  expect(parseGranularity(text)).toBeNull()
})

test.each([
  ['500ms', 'PT0.5S'],
  ['30s', 'PT30S'],
  ['5m', 'PT5M'],
  ['05m', 'PT5M'],
  ['1h', 'PT1H'],
  ['1d', 'P1D'],
  ['1w', 'P1W'],
  ['2w', 'P2W'],
  ['999999999999ms', 'PT999999999.999S'],
])('%s is the same as %s', (interval, period) => {
  expect(parseGranularity(interval)).toEqual(parseGranularity(period))
  expect(parseGranularity(period)).not.toBeNull()
})

test.each(['PT0S', 'P0D', 'P0M', 'P0Y0M0W0DT0H0M0S', 'PT0.0009S', '0s', '0w'])(
  '%s has no length, so it is not a granularity',
  (text) => {
    expect(parseGranularity(text)).toBeNull()
  },
)

describe('all granularities', () => {
  const names = Object.keys(granularityNames).filter((name) => name !== 'all')
  const periods = ['PT7M', 'P2W', 'P5M', 'P3Y', 'P1DT12H', 'P1M1D', 'P1Y1M1W1DT1H1M1S', 'P2MT0.001S']
  const granularities = fc.constantFrom(...names, ...periods).map(buckets)

  test('a bucket contains its instants and ends where the next one begins', () => {
    fc.assert(
      fc.property(granularities, fc.integer({ min: earliestMs, max: latestMs }), (granularity, ms) => {
        const start = bucketStart(granularity, ms)
        const next = nextBucketStart(granularity, start)
        expect(start).toBeLessThanOrEqual(ms)
        expect(ms).toBeLessThan(next)
        expect(bucketStart(granularity, start)).toBe(start)
        expect(bucketStart(granularity, next - 1)).toBe(start)
        expect(bucketStart(granularity, next)).toBe(next)
      }),
    )
  })

  test('calendar buckets agree with Date', () => {
    const byCalendar: Record<string, (date: Date) => number> = {
      hour: (date) => date.setUTCMinutes(0, 0, 0),
      day: (date) => date.setUTCHours(0, 0, 0, 0),
      week: (date) => {
        date.setUTCHours(0, 0, 0, 0)
        return date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
      },
      month: (date) => {
        date.setUTCHours(0, 0, 0, 0)
        return date.setUTCDate(1)
      },
      year: (date) => {
        date.setUTCHours(0, 0, 0, 0)
        return date.setUTCMonth(0, 1)
      },
    }
    const instants = fc.integer({ min: earliestMs, max: latestMs })
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(byCalendar)), instants, (name, ms) => {
        expect(bucketStart(buckets(name), ms)).toBe(byCalendar[name]!(new Date(ms)))
      }),
    )
  })
})

test('throws for an infinite instant in buckets of months and days', () => {
  expect(() => bucketStart(buckets('P1M1D'), Number.POSITIVE_INFINITY)).toThrow('no bucket holds the instant Infinity')
})
