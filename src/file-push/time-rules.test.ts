import { expect, test } from 'vitest'
import { rounds } from '../../test/support/rounds.ts'
import { cellEncoder } from './cells.ts'
import { usualWriting } from './csv-writing.ts'
import { type AmbiguousChoice, ambiguousChoices, timeRules } from './time-rules.ts'

const encoded = (format: string, zone: string, cell: string, ambiguous: AmbiguousChoice | null = null): unknown =>
  JSON.parse(cellEncoder('timestamp', { ...usualWriting, times: timeRules(format, zone, ambiguous) })(cell))

test.each<[format: string, zone: string, cell: string, json: unknown]>([
  ['iso', '', '2026-10-25 01:30', '2026-10-25 01:30'],
  ['iso', 'Europe/Madrid', ' 2026-06-30t24:00', '2026-06-30T22:00:00.000Z'],
  ['iso', 'Europe/Madrid', '2026-07-01 01:30z', '2026-07-01T01:30:00.000Z'],
  ['dd.MM.yyyy HH:mm', 'Europe/Madrid', '30.06.2026 24:00', '2026-06-30T22:00:00.000Z'],
  ['iso', 'Europe/Madrid', '2026-07-01 01:30', '2026-06-30T23:30:00.000Z'],
  ['iso', 'Europe/Madrid', '2026-01-01', '2025-12-31T23:00:00.000Z'],
  ['iso', 'Europe/Madrid', '2026-07-01 01:30+05:00', '2026-06-30T20:30:00.000Z'],
  ['iso', 'Europe/Madrid', '2026-07-01T01:30Z', '2026-07-01T01:30:00.000Z'],
  ['iso', 'Europe/Madrid', '1397088120000', 1397088120000],
  ['iso', 'Europe/Madrid', 'n/a', 'n/a'],
  ['iso', '+02:00', '2026-07-01 01:30', '2026-06-30T23:30:00.000Z'],
  ['dd/MM/yyyy HH:mm', 'Europe/Madrid', '25/10/2026 01:30', '2026-10-24T23:30:00.000Z'],
  ['dd/MM/yyyy HH:mm', 'Europe/Madrid', '25/10/2026 03:00', '2026-10-25T02:00:00.000Z'],
  ['dd/MM/yyyy HH:mm', '', '25/10/2026 01:30', '2026-10-25T01:30:00.000Z'],
  ['dd/MM/yyyy HH:mm', '', '26/13/2026 01:30', '26/13/2026 01:30'],
  ['yyyyMMddHHmmss', '', '20261301000000', '20261301000000'],
  ['seconds', '', '1397088120', '2014-04-10T00:02:00.000Z'],
  ['seconds', 'Europe/Madrid', '1397088120.5', '2014-04-10T00:02:00.500Z'],
  ['seconds', '', '0', '1970-01-01T00:00:00.000Z'],
  ['seconds', '', '-0.0001', '1969-12-31T23:59:59.999Z'],
  ['seconds', '', '1397088120000', '1397088120000'],
  ['seconds', '', 'n/a', 'n/a'],
  ['milliseconds', '', '1397088120', '1970-01-17T04:04:48.120Z'],
  ['microseconds', '', '1397088120000999', '2014-04-10T00:02:00.000Z'],
  ['nanoseconds', '', '1397088120000999999', '2014-04-10T00:02:00.000Z'],
])('reads times in the format %s in zone %j: %s', (format, zone, cell, json) => {
  expect(encoded(format, zone, cell)).toBe(json)
})

const autumn = ['dd/MM/yyyy HH:mm', 'Europe/Madrid', '25/10/2026 02:30'] as const
const spring = ['dd/MM/yyyy HH:mm', 'Europe/Madrid', '29/03/2026 02:30'] as const

test('a local time that occurs twice is an error that names both instants, unless one is chosen', () => {
  expect(() => encoded(...autumn)).toThrow(
    '"25/10/2026 02:30" occurs twice in Europe/Madrid, whose clocks were set back then: it is ' +
      '2026-10-25T02:30+02:00 (2026-10-25T00:30Z) or 2026-10-25T02:30+01:00 (2026-10-25T01:30Z). ' +
      'Choose earlier or later for such times: both passes of the hour become the same one.',
  )
  expect(encoded(...autumn, 'earlier')).toBe('2026-10-25T00:30:00.000Z')
  expect(encoded(...autumn, 'later')).toBe('2026-10-25T01:30:00.000Z')
})

test('a local time that does not exist is an error too, unless an instant is chosen', () => {
  expect(() => encoded(...spring)).toThrow(
    '"29/03/2026 02:30" does not exist in Europe/Madrid, whose clocks were set forward then: it could be ' +
      '2026-03-29T01:30+01:00 (2026-03-29T00:30Z) or 2026-03-29T03:30+02:00 (2026-03-29T01:30Z).',
  )
  expect(encoded(...spring, 'earlier')).toBe('2026-03-29T00:30:00.000Z')
  expect(encoded(...spring, 'later')).toBe('2026-03-29T01:30:00.000Z')
})

test.each<[format: string, zone: string, cell: string, moment: string]>([
  ['iso', 'Asia/Beirut', '2026-03-28 24:00', '2026-03-28T22:00:00.000Z'],
  ['iso', 'Asia/Beirut', '20260328T240000', '2026-03-28T22:00:00.000Z'],
  ['iso', 'Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
  ['dd.MM.yyyy HH:mm', 'Asia/Beirut', '28.03.2026 24:00', '2026-03-28T22:00:00.000Z'],
  ['dd.MM.yyyy', 'Asia/Beirut', '29.03.2026', '2026-03-28T22:00:00.000Z'],
  ['iso', 'America/Toronto', '1919-03-30T24:00', '1919-03-31T04:30:00.000Z'],
  ['iso', 'Pacific/Apia', '2011-12-29T24:00', '2011-12-30T10:00:00.000Z'],
])('a day without midnight begins after the gap, for any choice: %s in %s: %s', (format, zone, cell, moment) => {
  for (const choice of [null, ...ambiguousChoices]) expect(encoded(format, zone, cell, choice)).toBe(moment)
})

test('a time within such a gap is an error, even if written as midnight', () => {
  expect(() => encoded('iso', 'Asia/Beirut', '2026-03-29 00:00')).toThrow('does not exist in Asia/Beirut')
  expect(() => encoded('dd.MM.yyyy hh:mm a', 'Asia/Beirut', '29.03.2026 12:00 AM')).toThrow('does not exist')
})

test('local times around zone transitions match those of Intl.DateTimeFormat', () => {
  // A little less than two hours; more when few rounds are requested.
  const stepMs = Math.ceil((4400 * 7_190_000) / rounds(4400))
  for (const zone of ['Europe/Madrid', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kolkata']) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    const encoders = ambiguousChoices.map((choice) =>
      cellEncoder('timestamp', { ...usualWriting, times: timeRules('iso', zone, choice) }),
    )
    for (let ms = Date.UTC(2011, 11, 1); ms < Date.UTC(2012, 11, 1); ms += stepMs) {
      const local = format.format(ms)
      const moments = encoders.map((encode) => JSON.parse(encode(local)))
      expect(moments, `${local} in ${zone}`).toContain(new Date(ms).toISOString())
    }
  }
})

test('a cell in another format that the service would read as a different time is an error', () => {
  expect(() => encoded('yyyy-dd-MM', '', '2026-01-13')).toThrow('"2026-01-13" is ISO 8601, not in the')
  expect(() => encoded('seconds', '', '2026-01-13 08:00')).toThrow('is ISO 8601, not in the given format')
})

test.each([
  ['iso', '+02:00', '0001-01-01 00:30'],
  ['iso', 'America/New_York', '9999-12-31T23:30'],
  ['yyyy-MM-dd HH:mm', 'Asia/Tokyo', '0001-01-01 00:30'],
])('a time outside the years 0001 to 9999 in UTC is an error: %s, %s, %s', (format, zone, cell) => {
  expect(() => encoded(format, zone, cell)).toThrow(`"${cell}" is in UTC outside the years 0001 to 9999.`)
})

test('an unknown zone is refused', () => {
  expect(() => timeRules('', 'Madrid', null)).toThrow('"Madrid" is not a time zone.')
})

test.each([
  ['1397088120,5', '2014-04-10T00:02:00.500Z'],
  ['1397088120', '2014-04-10T00:02:00.000Z'],
  ['1397088120.5', '1397088120.5'],
  ['1397088120,5x', '1397088120,5x'],
])('seconds are read with a decimal comma: %s becomes %s', (cell, json) => {
  const encode = cellEncoder('timestamp', { times: timeRules('seconds', '', null), decimal: 'comma' })
  expect(JSON.parse(encode(cell))).toBe(json)
})
