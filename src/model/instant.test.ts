import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  civilFromDays,
  daysFromCivil,
  daysInMonth,
  earliestMs,
  formatInstant,
  latestMs,
  msPerDay,
  parseInstant,
} from './instant.ts'

const instants = fc.integer({ min: earliestMs, max: latestMs })

test.each([
  // A date without a time means its midnight.
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
  ['20260101', '2026-01-01T00:00:00.000Z'],
  // No zone means UTC; seconds and fraction are optional.
  ['2019-12-10T00:00', '2019-12-10T00:00:00.000Z'],
  ['2019-12-10T23:59:58', '2019-12-10T23:59:58.000Z'],
  ['2019-12-10T23:59Z', '2019-12-10T23:59:00.000Z'],
  ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['20260101T1200', '2026-01-01T12:00:00.000Z'],
  ['20260101T120000Z', '2026-01-01T12:00:00.000Z'],
  ['20260101T120000.5Z', '2026-01-01T12:00:00.500Z'],
  // Fractions with a point or a comma are truncated to the millisecond.
  ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.100Z'],
  ['2026-01-01T00:00:00.12', '2026-01-01T00:00:00.120Z'],
  ['2026-01-01T00:00:00,123Z', '2026-01-01T00:00:00.123Z'],
  ['2026-01-01T00:00:00.1239999999Z', '2026-01-01T00:00:00.123Z'],
  ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
  // Offsets.
  ['2026-01-01T01:00:00+02:00', '2025-12-31T23:00:00.000Z'],
  ['2026-01-01T01:00:00+02', '2025-12-31T23:00:00.000Z'],
  ['2026-01-01T01:00:00+0200', '2025-12-31T23:00:00.000Z'],
  ['20260101T010000+02:00', '2025-12-31T23:00:00.000Z'],
  ['20260101T0100-0530', '2026-01-01T06:30:00.000Z'],
  ['2026-01-01T01:00-00:00', '2026-01-01T01:00:00.000Z'],
  ['2026-01-01T00:00:00.25+23:59', '2025-12-31T00:01:00.250Z'],
  // 24:00 is the next midnight, as meters write it.
  ['2026-01-01T24:00', '2026-01-02T00:00:00.000Z'],
  ['2026-12-31T24:00:00.000+01:00', '2026-12-31T23:00:00.000Z'],
  ['20240228T240000Z', '2024-02-29T00:00:00.000Z'],
  // RFC 3339's lowercase letters, a space instead of the T, and surrounding whitespace.
  ['2026-01-01t08:00:00z', '2026-01-01T08:00:00.000Z'],
  ['2017-12-10 12:05:11,962', '2017-12-10T12:05:11.962Z'],
  ['20260101 0800', '2026-01-01T08:00:00.000Z'],
  [' 2026-01-01 24:00\r\n', '2026-01-02T00:00:00.000Z'],
  // Leap days, and the first and last valid instants.
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29', '2000-02-29T00:00:00.000Z'],
  ['0004-02-29T12:00', '0004-02-29T12:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
])('%s is read as %s', (text, expected) => {
  const ms = parseInstant(text)
  expect(ms).not.toBeNull()
  expect(formatInstant(ms!)).toBe(expected)
})

test.each([
  ['', 'nothing'],
  ['now', 'a word'],
  ['2026', 'a year alone'],
  ['2026-01', 'a month alone'],
  ['2026-1-1', 'single digits'],
  ['2026-01-01T12', 'an hour without minutes'],
  ['20260101T12', 'an hour without minutes, basic'],
  ['2026-01-01T24:01', 'a minute behind 24:00'],
  ['2026-01-01T24:00:00.001', 'a fraction behind 24:00'],
  ['2026-01-01T25:00', 'hour 25'],
  ['9999-12-31T24:00', '24:00 of the last day'],
  ['2026-01-01T23:60', 'minute 60'],
  ['2026-01-01  00:00', 'two spaces for T'],
  ['2026-01-01T23:59:60', 'a leap second'],
  ['2026-01-01T', 'T without a time'],
  ['2026-01-01Z', 'a zone without a time'],
  ['2026-01-01T00:00:00.', 'a point without digits'],
  ['2026-01-01T00:00.5', 'a fraction of a minute'],
  ['2026-01-01T0000', 'a basic time after an extended date'],
  ['20260101T00:00', 'an extended time after a basic date'],
  ['2026-0101', 'half of each form'],
  ['2026-01-01T00:00+2', 'an offset of one digit'],
  ['2026-01-01T00:00+24:00', 'an offset of a day'],
  ['2026-01-01T00:00+02:60', 'an offset with minute 60'],
  ['2026-01-01T00:00:00 Z', 'a space'],
  ['2026-00-01', 'month 0'],
  ['2026-13-01', 'month 13'],
  ['2026-01-00', 'day 0'],
  ['2026-04-31', '31 April'],
  ['2026-02-29', '29 February of a common year'],
  ['1900-02-29', '29 February of a century'],
  ['0000-01-01', 'year 0'],
  ['10000-01-01', 'year 10000'],
  ['-0001-01-01', 'a year before the first'],
  ['0001-01-01T00:00+00:01', 'an offset that leads before the first year'],
  ['9999-12-31T23:59:59-00:01', 'an offset that leads past the last year'],
  ['2026-W01-1', 'a week date'],
  ['2026-001', 'an ordinal date'],
  ['٢٠٢٦-٠١-٠١', 'digits of another script'],
])('%j (%s) is not an instant', (text) => {
  expect(parseInstant(text)).toBeNull()
})

test('instants outside the four-digit years are formatted like in Date', () => {
  for (const ms of [earliestMs - 1, earliestMs - 400 * 366 * msPerDay, latestMs + 1, -1e15, 1e15]) {
    expect(formatInstant(ms)).toBe(new Date(ms).toISOString())
  }
})

describe('compared with Date', () => {
  test('formats each instant to the same string', () => {
    fc.assert(fc.property(instants, (ms) => formatInstant(ms) === new Date(ms).toISOString()))
  })

  test('reads back what it formatted', () => {
    fc.assert(fc.property(instants, (ms) => parseInstant(formatInstant(ms)) === ms))
  })

  test('converts days to the same civil dates, and back', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const days = Math.floor(ms / msPerDay)
        const { year, month, day } = civilFromDays(days)
        const date = new Date(ms)
        expect([year, month, day]).toEqual([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()])
        expect(daysFromCivil(year, month, day)).toBe(days)
      }),
    )
  })

  test('has the same number of days in each month', () => {
    for (const year of [1, 4, 100, 400, 1900, 1970, 2000, 2023, 2024, 2100, 9999]) {
      for (let month = 1; month <= 12; month += 1) {
        const lastDay = new Date(0)
        lastDay.setUTCFullYear(year, month, 0)
        expect(daysInMonth(year, month)).toBe(lastDay.getUTCDate())
      }
    }
  })
})
