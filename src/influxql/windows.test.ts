import { expect, test } from 'vitest'
import { Zone } from '../druid-time/zone.ts'
import { Windows } from './windows.ts'

const hour = 3_600_000
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16)

/** The windows of InfluxDB 1.6; a zone with an offset follows later versions, where the offset is one of local time. */
test.each<[string, number, number, string, string, string]>([
  ['a week', 168 * hour, 0, 'UTC', '2026-03-30T12:00', '2026-03-26T00:00 2026-04-02T00:00'],
  ['an offset', hour, 600_000, 'UTC', '2026-03-30T12:05', '2026-03-30T11:10 2026-03-30T12:10'],
  ['a negative offset', 24 * hour, -hour, 'UTC', '2026-03-30T23:30', '2026-03-30T23:00 2026-03-31T23:00'],
  ['before 1970', 24 * hour, 0, 'UTC', '1969-12-31T12:00', '1969-12-31T00:00 1970-01-01T00:00'],
  ['a day of 23 hours', 24 * hour, 0, 'Europe/Madrid', '2026-03-29T12:00', '2026-03-28T23:00 2026-03-29T22:00'],
  ['a day of 25 hours', 24 * hour, 0, 'Europe/Madrid', '2026-10-25T12:00', '2026-10-24T22:00 2026-10-25T23:00'],
  [
    'six hours with a clock change',
    6 * hour,
    0,
    'Europe/Madrid',
    '2026-03-29T03:00',
    '2026-03-28T23:00 2026-03-29T04:00',
  ],
  [
    'two hours cut short by a clock change',
    2 * hour,
    0,
    'Europe/Madrid',
    '2026-03-29T01:30',
    '2026-03-29T01:00 2026-03-29T02:00',
  ],
  [
    'seven minutes that restart at a clock change',
    420_000,
    0,
    'Europe/Madrid',
    '2026-10-25T01:01',
    '2026-10-25T01:00 2026-10-25T01:05',
  ],
  ['weeks from Monday', 168 * hour, 96 * hour, 'Europe/Rome', '2026-03-31T12:00', '2026-03-29T22:00 2026-04-05T22:00'],
  [
    'days from noon',
    24 * hour,
    12 * hour,
    'America/Los_Angeles',
    '2024-11-03T21:00',
    '2024-11-03T20:00 2024-11-04T20:00',
  ],
])('%s', (_, intervalMs, offsetMs, zone, at, window) => {
  const windows = new Windows(intervalMs, offsetMs, Zone.find(zone)!)
  const ms = Date.parse(`${at}Z`)
  expect(`${iso(windows.startOf(ms))} ${iso(windows.endOf(ms))}`).toBe(window)
  expect(windows.after(windows.startOf(ms))).toBe(windows.endOf(ms))
})

const walks = [
  'Europe/Madrid',
  'America/New_York',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Atlantic/Azores',
].flatMap((zone) => [5, 30, 60, 90, 120, 180, 420, 720, 1440, 10_080].map((minutes) => [zone, minutes] as const))

test.each(walks)('%s: a walk by %d minutes visits every window, and no other', (name, minutes) => {
  const [zone, intervalMs] = [Zone.find(name)!, minutes * 60_000]
  const years = { fromMs: Date.UTC(2026, 0, 1), untilMs: Date.UTC(2027, 0, 1) }
  for (const offsetMs of [0, hour, 1_800_000, 600_000].map((ms) => ms % intervalMs)) {
    const windows = new Windows(intervalMs, offsetMs, zone)
    for (const { fromMs: changeMs } of zone.changes(years.fromMs, years.untilMs).slice(1)) {
      const [fromMs, untilMs] = [changeMs - 2 * intervalMs - 3 * hour, changeMs + 2 * intervalMs + 3 * hour]
      const found = new Set<number>()
      for (let ms = fromMs; ms <= untilMs; ms += 60_000) found.add(windows.startOf(ms))
      const walked: number[] = []
      for (let at = windows.startOf(fromMs); at <= untilMs; at = windows.after(at)) walked.push(at)
      expect(walked).toEqual([...found])
    }
  }
})

test('a range with more than 300 clock changes is refused', () => {
  const windows = new Windows(hour, 0, Zone.find('Europe/Madrid')!)
  expect(() => windows.sql(0, Date.UTC(9999, 0, 1))).toThrow('at most 300 clock changes')
  expect(windows.sql(Date.UTC(1900, 0, 1), Date.UTC(2030, 0, 1)).text).toContain('CASE')
})
