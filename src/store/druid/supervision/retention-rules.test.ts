import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDuration } from '../../../model/duration.ts'
import { retentionRules } from './retention-rules.ts'

const nowMs = Date.UTC(2026, 2, 31)
const periodOf = (retention: string | null): unknown => {
  const [rule, ...rest] = retentionRules(retention, nowMs) as readonly { readonly period: string }[]
  expect(rest).toEqual(rule === undefined ? [] : [{ type: 'dropForever' }])
  return rule?.period ?? null
}

test.each([
  [null, null],
  ['P90D', 'P90D'],
  ['P1Y2M3W4DT5H6M7.5S', 'P1Y2M3W4DT5H6M7.5S'],
  ['P0D', 'P0D'],
  ['P2025Y', 'P2025Y'],
  ['P2026Y', null],
  ['P9999Y', null],
  ['P999999999Y', null],
  ['P999999999M', null],
  ['P999999999W', null],
  ['P999999999D', null],
  ['PT999999999999H', null],
  ['P999999999Y999999999M999999999W999999999DT999999999999H999999999999M999999999999S', null],
  ['PT999999999S', 'PT999999999S'],
  // Druid would read a different number.
  ['PT9999999999S', 'P115741D'],
  ['PT0000000060S', 'P1D'],
  ['PT1.00000000000000000001S', 'P1D'],
])('a retention of %s becomes the Druid period %s', (retention, expected) => {
  expect(periodOf(retention)).toBe(expected)
})

test('every retention becomes a period with numbers that Druid can read, within its calendar', () => {
  const part = (letter: string) =>
    fc.option(
      fc.bigInt({ min: 0n, max: 999_999_999n }).map((number) => `${number}${letter}`),
      { nil: '' },
    )
  const retentions = fc
    .tuple(part('Y'), part('M'), part('W'), part('D'), part('H'))
    .map(([years, months, weeks, days, hours]) => `P${years}${months}${weeks}${days}${hours === '' ? '' : `T${hours}`}`)
    .filter((text) => parseDuration(text) !== null)
  fc.assert(
    fc.property(retentions, (retention) => {
      const period = periodOf(retention)
      if (period === null) return
      expect(parseDuration(String(period))?.years).toBeLessThan(2026)
      expect(String(period)).not.toMatch(/\d{10}/)
    }),
  )
})
