import { expect, test } from 'vitest'
import { Zone } from '../druid-time/zone.ts'
import { Windows } from './windows.ts'

const hour = 3_600_000
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16)

/** As InfluxDB 1.6 cuts them. */
test.each<[string, number, number, string, string, string]>([
  ['a week', 168 * hour, 0, 'UTC', '2026-03-30T12:00', '2026-03-26T00:00 2026-04-02T00:00'],
  ['an offset', hour, 600_000, 'UTC', '2026-03-30T12:05', '2026-03-30T11:10 2026-03-30T12:10'],
  ['an offset below 0', 24 * hour, -hour, 'UTC', '2026-03-30T23:30', '2026-03-30T23:00 2026-03-31T23:00'],
  ['before 1970', 24 * hour, 0, 'UTC', '1969-12-31T12:00', '1969-12-31T00:00 1970-01-01T00:00'],
  ['a day of 23 hours', 24 * hour, 0, 'Europe/Madrid', '2026-03-29T12:00', '2026-03-28T23:00 2026-03-29T22:00'],
  ['a day of 25 hours', 24 * hour, 0, 'Europe/Madrid', '2026-10-25T12:00', '2026-10-24T22:00 2026-10-25T23:00'],
  ['six hours with a change', 6 * hour, 0, 'Europe/Madrid', '2026-03-29T03:00', '2026-03-28T23:00 2026-03-29T04:00'],
])('%s', (_, intervalMs, offsetMs, zone, at, window) => {
  const windows = new Windows(intervalMs, offsetMs, Zone.find(zone)!)
  const ms = Date.parse(`${at}Z`)
  expect(`${iso(windows.startOf(ms))} ${iso(windows.endOf(ms))}`).toBe(window)
  expect(windows.after(windows.startOf(ms), false)).toBe(windows.endOf(ms))
  expect(windows.after(windows.endOf(ms), true)).toBe(windows.startOf(ms))
})
