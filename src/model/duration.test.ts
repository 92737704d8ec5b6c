import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDuration, addMonths, parseDuration } from './duration.ts'
import { earliestMs, formatInstant, latestMs, msPerDay, parseInstant } from './instant.ts'

const none = { years: 0, months: 0, weeks: 0, days: 0, ms: 0 }

test.each([
  ['P1Y2M3W4DT5H6M7.5S', { years: 1, months: 2, weeks: 3, days: 4, ms: 5 * 3_600_000 + 6 * 60_000 + 7500 }],
  ['P1Y', { ...none, years: 1 }],
  ['P1M', { ...none, months: 1 }],
  ['PT1M', { ...none, ms: 60_000 }],
  ['P1W', { ...none, weeks: 1 }],
  ['P7D', { ...none, days: 7 }],
  ['P90D', { ...none, days: 90 }],
  ['PT15M', { ...none, ms: 900_000 }],
  ['PT36H', { ...none, ms: 36 * 3_600_000 }],
  ['PT0.001S', { ...none, ms: 1 }],
  ['PT0.0019999S', { ...none, ms: 1 }],
  ['PT0.0009S', none],
  ['PT0S', none],
  ['P0D', none],
  ['P001D', { ...none, days: 1 }],
])('%s', (text, expected) => {
  expect(parseDuration(text)).toEqual(expected)
})

test.each([
  ['', 'nothing'],
  ['P', 'no part'],
  ['PT', 'no part after T'],
  ['P1DT', 'T without a time'],
  ['1D', 'no P'],
  ['P1', 'no unit'],
  ['PD', 'no number'],
  ['P-1D', 'a sign'],
  ['-P1D', 'a sign before'],
  ['+P1D', 'a plus'],
  ['p1d', 'small letters'],
  ['P1.5D', 'a fraction of days'],
  ['PT1.5H', 'a fraction of hours'],
  ['PT1.5M', 'a fraction of minutes'],
  ['PT1,5S', 'a comma'],
  ['PT1.S', 'a point without digits'],
  ['P1D1M', 'another order'],
  ['P1D1W', 'days before weeks'],
  ['PT1S1H', 'another order of time'],
  ['P1H', 'hours without T'],
  ['PT1D', 'days after T'],
  ['P1D ', 'a space'],
  ['P1D\n', 'a line feed'],
  ['P0001-01-01', 'the alternative form'],
])('%j (%s) is not a duration', (text) => {
  expect(parseDuration(text)).toBeNull()
})

function added(start: string, duration: string, sign: 1 | -1): string {
  return formatInstant(addDuration(parseInstant(start)!, parseDuration(duration)!, sign))
}

test.each([
  ['2026-01-01', 'P1Y', '2027-01-01T00:00:00.000Z'],
  ['2026-01-01', 'PT15M', '2026-01-01T00:15:00.000Z'],
  // Months come first, with the day clamped to the end of the month ...
  ['2026-01-31T10:00', 'P1M', '2026-02-28T10:00:00.000Z'],
  ['2024-01-31', 'P1M', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29', 'P1Y', '2025-02-28T00:00:00.000Z'],
  ['2024-02-29', 'P4Y', '2028-02-29T00:00:00.000Z'],
  ['2026-03-31', 'P13M', '2027-04-30T00:00:00.000Z'],
  ['2026-12-31', 'P2M', '2027-02-28T00:00:00.000Z'],
  // ... years and months are added together, not one after the other,
  ['2024-02-29', 'P1Y1M', '2025-03-29T00:00:00.000Z'],
  // ... then weeks and days, then the time.
  ['2026-01-31', 'P1M1D', '2026-03-01T00:00:00.000Z'],
  ['2026-01-31', 'P1M1W1DT1H', '2026-03-08T01:00:00.000Z'],
  ['2026-02-28T23:59:59.5', 'PT0.5S', '2026-03-01T00:00:00.000Z'],
  ['1969-12-31T23:00', 'PT2H', '1970-01-01T01:00:00.000Z'],
])('%s plus %s', (start, duration, expected) => {
  expect(added(start, duration, 1)).toBe(expected)
})

test.each([
  ['2026-03-31', 'P1M', '2026-02-28T00:00:00.000Z'],
  ['2024-03-31', 'P1M', '2024-02-29T00:00:00.000Z'],
  ['2026-01-15', 'P1M', '2025-12-15T00:00:00.000Z'],
  ['2024-02-29', 'P1Y', '2023-02-28T00:00:00.000Z'],
  ['2026-03-31', 'P1M1D', '2026-02-27T00:00:00.000Z'],
  ['2026-01-01', 'PT15M', '2025-12-31T23:45:00.000Z'],
  ['1970-01-01', 'P1W', '1969-12-25T00:00:00.000Z'],
])('%s minus %s', (start, duration, expected) => {
  expect(added(start, duration, -1)).toBe(expected)
})

describe('whole months', () => {
  const instants = fc.integer({ min: earliestMs, max: latestMs })
  const months = fc.integer({ min: -12_000, max: 12_000 })

  test('are added like in Date, with the day clamped', () => {
    fc.assert(
      fc.property(instants, months, (ms, count) => {
        const date = new Date(ms)
        const day = date.getUTCDate()
        date.setUTCDate(1)
        date.setUTCMonth(date.getUTCMonth() + count + 1, 0)
        date.setUTCDate(Math.min(day, date.getUTCDate()))
        expect(addMonths(ms, count)).toBe(date.getTime())
      }),
    )
  })

  test('keep the time of day', () => {
    fc.assert(
      fc.property(instants, months, (ms, count) => {
        const timeOfDay = (value: number): number => value - Math.floor(value / msPerDay) * msPerDay
        expect(timeOfDay(addMonths(ms, count))).toBe(timeOfDay(ms))
      }),
    )
  })
})
