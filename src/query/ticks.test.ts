import { describe, expect, test } from 'vitest'
import { Zone } from '../druid-time/zone.ts'
import { granularityNames, parseGranularity } from '../model/granularity.ts'
import { formatInstant, parseInstant } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import { Faults } from './faults.ts'
import { readGranularity, readTickGranularity, ticksOf } from './ticks.ts'

const nowMs = parseInstant('2026-03-01T12:30')!
const inUtc = { zone: Zone.utc, range: { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY } }

function ticks(granularity: string, from: string, to: string | null, bucketsMax = 1000): string[] {
  const range = { fromMs: parseInstant(from)!, toMs: to === null ? Number.POSITIVE_INFINITY : parseInstant(to)! }
  return [...ticksOf(parseGranularity(granularity)!, range, nowMs, bucketsMax)].map((ms) =>
    formatInstant(ms).replace(/:00\.000Z$/, ''),
  )
}

test.each<[string, string, string | null, string[]]>([
  // Ticks are the starts of buckets; both ends of the range are included.
  ['hour', '2026-01-01', '2026-01-01T02:00', ['2026-01-01T00:00', '2026-01-01T01:00', '2026-01-01T02:00']],
  ['hour', '2026-01-01T00:00:00.001', '2026-01-01T01:59:59.999', ['2026-01-01T01:00']],
  ['hour', '2026-01-01T00:10', '2026-01-01T00:50', []],
  ['week', '2026-05-16', '2026-06-01', ['2026-05-18T00:00', '2026-05-25T00:00', '2026-06-01T00:00']],
  ['month', '2024-01-31', '2024-03-31', ['2024-02-01T00:00', '2024-03-01T00:00']],
  ['quarter', '1969-06-01', '1970-01-01', ['1969-07-01T00:00', '1969-10-01T00:00', '1970-01-01T00:00']],
  ['P1M1D', '1970-01-01', '1970-03-05', ['1970-01-01T00:00', '1970-02-02T00:00', '1970-03-03T00:00']],
  ['P1M1D', '1969-10-01', '1970-01-01', ['1969-10-29T00:00', '1969-11-30T00:00', '1970-01-01T00:00']],
  // If the end is open, ticks stop at now.
  ['hour', '2026-03-01T11:00', null, ['2026-03-01T11:00', '2026-03-01T12:00']],
  ['hour', '2026-03-01T13:00', null, []],
  // Ticks may lie in the future if the end does.
  ['day', '2026-03-01', '2026-03-02', ['2026-03-01T00:00', '2026-03-02T00:00']],
  // With `all`, the only tick is the end, or now.
  ['all', '2026-01-01', '2026-01-02T03:04', ['2026-01-02T03:04']],
  ['all', '2026-01-01', null, ['2026-03-01T12:30']],
])('the ticks by %s from %s to %s', (granularity, from, to, expected) => {
  expect(ticks(granularity, from, to)).toEqual(expected)
})

describe('the limit', () => {
  test('allows exactly that many ticks', () => {
    expect(ticks('hour', '2026-01-01', '2026-01-01T09:00', 10)).toHaveLength(10)
  })

  test.each([
    ['hour', '2026-01-01', '2026-01-01T10:00', 11],
    ['PT0.001S', '0001-01-01', '9999-12-31T23:59:59.999Z', 315_537_897_600_000],
    ['month', '0001-01-01', '9999-12-31', 119_988],
    ['P1MT1S', '0001-01-01', '9999-12-31', 119_987],
  ])('refuses the ticks by %s from %s to %s', (granularity, from, to, count) => {
    const refused = () => ticks(granularity, from, to, 10)
    expect(refused).toThrow(Problem)
    expect(refused).toThrow(
      `The range has ${count} ticks at this granularity, and limits.buckets is 10. Use a shorter range or a coarser granularity.`,
    )
  })
})

describe('the granularity', () => {
  test('is refused with the allowed values when unknown', () => {
    const faults = new Faults()
    readGranularity('fortnight', inUtc, faults)
    expect(() => faults.throwIfAny()).toThrow(
      `granularity: "fortnight" is not a granularity; allowed: ${Object.keys(granularityNames).join(', ')} (in any case), ` +
        'or a period longer than zero and at most 9,999 years, in ISO 8601 such as PT5M, P1D or P1M, or as 500ms, 30s, 5m, 1h, 1d or 1w',
    )
  })

  test.each(['none', 'NONE'])('is refused for snap when it is %s', (text) => {
    const faults = new Faults()
    readTickGranularity(text, inUtc, faults)
    expect(() => faults.throwIfAny()).toThrow('granularity: snap does not support "none"; allowed: all, second, minute')
  })

  test('is all when left out', () => {
    const faults = new Faults()
    expect(readGranularity(undefined, inUtc, faults)).toEqual({ kind: 'all' })
    expect(readGranularity(null, inUtc, faults)).toEqual({ kind: 'all' })
    expect(readTickGranularity(null, inUtc, faults)).toEqual({ kind: 'all' })
    faults.throwIfAny()
  })
})
