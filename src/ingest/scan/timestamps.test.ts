import fc from 'fast-check'
import { expect, test } from 'vitest'
import { earliestMs, formatInstant, latestMs, parseInstant } from '../../model/instant.ts'
import { TimestampParser } from './timestamps.ts'

const instant = fc.oneof(
  fc.integer({ min: earliestMs, max: latestMs }),
  fc.constantFrom(earliestMs, latestMs),
  // Close together, so that the day often equals the previous one.
  fc.integer({ min: Date.UTC(2024, 1, 28), max: Date.UTC(2024, 2, 2) }),
)

/** The digits of a timestamp are replaced by one character, often only those of the day. */
const broken = fc
  .tuple(instant, fc.constantFrom('Z', '', '+01:00'), fc.constantFrom('Y', '/', ':', '0', 'é'), fc.boolean())
  .map(([ms, designator, odd, onlyDay]) => {
    const whole = `${formatInstant(ms).slice(0, 19)}${designator}`
    const end = onlyDay ? 10 : 19
    return whole.slice(0, end).replaceAll(/\d/g, odd) + whole.slice(end)
  })

const zone = fc.constantFrom('', 'Z', 'z', '+00:00', '+02:00', '-05:30', '+2359', '+01', '+24:00', '+00:60', ' 01:00')
/** 24:00 (the end of a day), and similar texts. */
const clock = fc.constantFrom(null, null, null, '24:00:00', '24:00:01', '24:00', '25:00:00')
const separator = fc.constantFrom('T', 'T', 'T', 't', ' ', '  ', '_')
const blank = fc.constantFrom('', '', '', ' ', '\t')
const fraction = fc.constantFrom('', '.', '.1', '.12', '.123', '.1239', ',5', '.000000001', '.1x')

/** Timestamps, and texts similar to them. */
const text = fc
  .tuple(
    fc.record({ ms: instant, clock, separator, decimals: fraction, designator: zone, blank }),
    fc.nat(30),
    fc.constantFrom('', '', '', '9', '"', '\\', 'T', '\u0000', 'é'),
  )
  .map(([{ ms, clock, separator, decimals, designator, blank }, place, odd]) => {
    const [day, time] = formatInstant(ms).slice(0, 19).split('T')
    const whole = `${blank}${day}${separator}${clock ?? time}${decimals}${designator}${blank}`
    return odd === '' ? whole : whole.slice(0, place) + odd + whole.slice(place + 1)
  })

test('agrees with parseInstant on every string, whatever it read before', () => {
  const warm = new TimestampParser()
  const values = new Float64Array(1)
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: broken }), (pushed) => {
      const quoted = JSON.stringify(pushed)
      const expected = parseInstant(pushed)
      for (const reader of [warm, new TimestampParser()]) {
        const end = reader.read(Buffer.from(`:${quoted}}`), 2, values, 0)
        expect(end).toBe(expected === null ? -1 : 1 + Buffer.byteLength(quoted))
        if (expected !== null) expect(values[0]).toBe(expected)
      }
    }),
    { numRuns: 5000 },
  )
})

test.each([
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2023-02-29T00:00:00Z', null],
  ['0000-01-01T00:00:00Z', null],
  ['YYYY-MM-DDT08:00:00Z', null],
  ['0000-00-00T08:00:00Z', null],
  ['1970-01-01T08:00:00Z', 28_800_000],
  ['0001-01-01T00:00:00+00:01', null],
  ['9999-12-31T23:59:59.999-00:01', null],
  ['2024-01-01T24:00:00Z', Date.UTC(2024, 0, 2)],
  ['2024-01-01T24:00:01Z', null],
  ['2024-01-01T00:00:60Z', null],
  ['2024-01-01 00:00:00Z', Date.UTC(2024, 0, 1)],
  ['2024-01-01t00:00:00z', Date.UTC(2024, 0, 1)],
  [' 2024-01-01T00:00:00Z ', Date.UTC(2024, 0, 1)],
])('%s', (pushed, ms) => {
  const values = new Float64Array(1)
  const end = new TimestampParser().read(Buffer.from(`"${pushed}"`), 1, values, 0)
  expect(end < 0 ? null : values[0]).toBe(ms)
})
