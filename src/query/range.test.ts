import { describe, expect, test } from 'vitest'
import { addDuration, parseDuration } from '../model/duration.ts'
import { formatInstant } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import { Faults } from './faults.ts'
import { readDate, readRange } from './range.ts'
import type { RangeRequest } from './requests.ts'

const nowMs = Date.UTC(2026, 2, 31, 12)

function side(ms: number): string {
  return Number.isFinite(ms) ? formatInstant(ms) : 'open'
}

function range(request: RangeRequest): string {
  const faults = new Faults()
  const { fromMs, toMs } = readRange(request, nowMs, faults)
  faults.throwIfAny()
  return `${side(fromMs)} to ${side(toMs)}`
}

test.each<[string | null | undefined, string | null | undefined, string]>([
  ['2026-01-01', '2026-01-02', '2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z'],
  ['2026-01-01', '2026-01-01', '2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z'],
  ['2026-01-01T01:00+02:00', undefined, '2025-12-31T23:00:00.000Z to open'],
  [undefined, '2026-01-02', 'open to 2026-01-02T00:00:00.000Z'],
  [undefined, undefined, 'open to open'],
  [null, null, 'open to open'],
  // A duration is added to the start, or subtracted from the end.
  ['2026-01-01', 'PT15M', '2026-01-01T00:00:00.000Z to 2026-01-01T00:15:00.000Z'],
  ['2026-01-31', 'P1M', '2026-01-31T00:00:00.000Z to 2026-02-28T00:00:00.000Z'],
  ['PT15M', '2026-01-01', '2025-12-31T23:45:00.000Z to 2026-01-01T00:00:00.000Z'],
  ['P1M', '2026-03-31', '2026-02-28T00:00:00.000Z to 2026-03-31T00:00:00.000Z'],
  ['2026-01-01', 'PT0S', '2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z'],
  // If the start is a duration and there is no end, it is subtracted from now.
  ['PT24H', undefined, '2026-03-30T12:00:00.000Z to 2026-03-31T12:00:00.000Z'],
  ['P1M', null, '2026-02-28T12:00:00.000Z to 2026-03-31T12:00:00.000Z'],
  ['P5000Y', undefined, '0001-01-01T00:00:00.000Z to 2026-03-31T12:00:00.000Z'],
  // Dates outside the years 0001 to 9999 are clamped to them.
  ['2026-01-01', 'P9000Y', '2026-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z'],
  ['2026-01-01', 'P999999999Y', '2026-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z'],
  ['P3000Y', '2026-01-01', '0001-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z'],
])('from %s to %s', (start_date, end_date, expected) => {
  expect(range({ start_date, end_date })).toBe(expected)
})

const forms =
  'Give an ISO 8601 date-time such as "2026-01-01T00:00:00Z" or a duration such as "PT15M", in the years 0001 to 9999'

test.each<[string | undefined, string | undefined, string]>([
  ['2026-01-02', '2026-01-01', 'start_date: it is after end_date. Swap the two'],
  [
    'P1D',
    'P1D',
    'start_date: it may be a duration only if end_date is a date-time or left out. Give one of the two as a date-time',
  ],
  [
    undefined,
    'P1D',
    'end_date: it may be a duration only if start_date is a date-time. Give one of the two as a date-time',
  ],
  ['yesterday', undefined, `start_date: "yesterday" is neither a date-time nor a duration. ${forms}`],
  ['', undefined, `start_date: "" is neither a date-time nor a duration. ${forms}`],
  [undefined, '2026-02-30', `end_date: "2026-02-30" is neither a date-time nor a duration. ${forms}`],
])('from %s to %s is refused', (start_date, end_date, message) => {
  const refused = () =>
    range({ ...(start_date === undefined ? {} : { start_date }), ...(end_date === undefined ? {} : { end_date }) })
  expect(refused).toThrow(message)
  expect(refused).toThrow(Problem)
})

describe('date', () => {
  test.each([
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['PT15M', '2026-03-31T11:45:00.000Z'],
    ['P1M', '2026-02-28T12:00:00.000Z'],
    ['PT0S', '2026-03-31T12:00:00.000Z'],
  ])('%s', (text, expected) => {
    const faults = new Faults()
    expect(formatInstant(readDate(text, nowMs, faults))).toBe(expected)
    faults.throwIfAny()
  })

  test('may be before the year 1', () => {
    const before = addDuration(nowMs, parseDuration('P5000Y')!, -1)
    expect(readDate('P5000Y', nowMs, new Faults())).toBe(before)
  })

  test('in another form is refused', () => {
    const faults = new Faults()
    readDate('now', nowMs, faults)
    expect(() => faults.throwIfAny()).toThrow('date: "now" is neither')
  })
})

test('all errors are reported at once', () => {
  const faults = new Faults()
  readRange({ start_date: 'x', end_date: 'y' }, nowMs, faults)
  try {
    faults.throwIfAny()
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error.message).toContain('(and 1 more, see errors)')
    expect(error.errors?.map(({ path }) => path)).toEqual(['start_date', 'end_date'])
  }
})
