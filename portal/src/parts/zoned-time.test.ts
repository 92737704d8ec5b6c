import { expect, test } from 'vitest'
import { clockText, instantAt, midnight, offsetText, readWhen, zoneText } from './zoned-time.ts'

const nowMs = Date.parse('2026-07-01T10:20:00Z')
const at = (iso: string): number => Date.parse(iso)

test.each([
  ['2026-01-31 08:00', 'Europe/Berlin', '2026-01-31T07:00:00Z'],
  ['2026-07-31T08:00:01.5', 'Europe/Berlin', '2026-07-31T06:00:01.500Z'],
  ['31.1.2026 8:00', 'UTC', '2026-01-31T08:00:00Z'],
  ['2026-01-31T08:00Z', 'Europe/Berlin', '2026-01-31T08:00:00Z'],
  ['2026-01-31 08:00+02:00', 'Europe/Berlin', '2026-01-31T06:00:00Z'],
  ['31.1.2026 8:00+02:00', 'Europe/Berlin', '2026-01-31T06:00:00Z'],
  ['now', 'Asia/Kathmandu', '2026-07-01T10:20:00Z'],
  ['-6h', 'Asia/Kathmandu', '2026-07-01T04:20:00Z'],
  ['-1.5d', 'UTC', '2026-06-29T22:20:00Z'],
  // Shown twice: the earlier instant. Never shown: the instant after the gap.
  ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
  ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
])('%s in %s is read as %s', (text, zone, instant) => {
  expect(readWhen(text, zone, nowMs)).toEqual({ ms: at(instant), isDay: false })
})

test.each([
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
  ['26.11.2026', 'Europe/Berlin', '2026-11-25T23:00:00Z'],
  ['20261126', 'Europe/Berlin', '2026-11-25T23:00:00Z'],
  ['Yesterday', 'Pacific/Auckland', '2026-06-29T12:00:00Z'],
  ['today', 'America/New_York', '2026-07-01T04:00:00Z'],
])('%s in %s is the day that begins at %s', (text, zone, instant) => {
  expect(readWhen(text, zone, nowMs)).toEqual({ ms: at(instant), isDay: true })
})

test.each([
  '',
  'soon',
  'constructor',
  '2026-02-30',
  '2026-02-30T08:00Z',
  '2026-01-01 25:00',
  '32.1.2026',
  '2026-13-01',
  '2026',
  '-6',
  '12:00Z',
])('%j is not a valid time', (text) => {
  expect(readWhen(text, 'UTC', nowMs)).toBeNull()
})

test('times are shown as local times, zones with their offset at that time', () => {
  expect(clockText(at('2026-07-01T10:20:00Z'), 'Asia/Kathmandu')).toBe('2026-07-01 16:05:00')
  expect(clockText(at('2026-07-01T10:20:00.250Z'), 'UTC')).toBe('2026-07-01 10:20:00.250')
  expect(zoneText('Europe/Berlin', nowMs)).toBe('Europe/Berlin, UTC+02:00')
  expect(zoneText('Europe/London', at('2026-01-01T00:00:00Z'))).toBe('Europe/London, UTC')
  expect(zoneText('UTC', nowMs)).toBe('UTC')
})

test('days have 23 or 25 hours when clocks change', () => {
  const hours = (iso: string): number =>
    (midnight(at(iso), 'Europe/Berlin', 1) - midnight(at(iso), 'Europe/Berlin')) / 3_600_000
  expect([hours('2026-03-29T12:00Z'), hours('2026-10-25T12:00Z'), hours('2026-07-01T12:00Z')]).toEqual([23, 25, 24])
  expect(instantAt(at('2011-12-30T00:00Z'), 'Pacific/Apia')).toBe(at('2011-12-30T10:00Z'))
})

test.each([
  ['UTC', 'UTC'],
  ['Europe/London', 'UTC'],
  ['Europe/Berlin', 'UTC+01:00'],
  ['America/St_Johns', 'UTC-03:30'],
])('the offset of %s in winter is %s', (zone, offset) => {
  expect(offsetText(at('2026-01-01T00:00:00Z'), zone)).toBe(offset)
})
