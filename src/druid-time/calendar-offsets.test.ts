import { expect, test } from 'vitest'
import { CalendarOffsets } from './calendar-offsets.ts'
import { Zone } from './zone.ts'

const hourMs = 3_600_000

test.each([
  'Europe/Madrid',
  'America/Havana',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
  'Asia/Kolkata',
  'Africa/Monrovia',
])('tables of %s say what the calendar says', (name) => {
  const { offsets } = CalendarOffsets.of(name)
  for (const year of [1799, 1850, 1919, 1972, 2011, 2024, 2026, 2127, 2128, 3000]) {
    const startMs = Date.UTC(year, 0, 1)
    // So often that tables are made, and with them once more.
    for (let asked = 0; asked < 600; asked++) {
      const ms = startMs + asked * 15 * hourMs + (asked % 7) * 777
      expect([ms, offsets.at(ms)]).toEqual([ms, offsets.ask(ms)])
    }
  }
})

test('a zone has one table, however it is spelled', () => {
  const { offsets, calendarName } = CalendarOffsets.of('Europe/Madrid')
  expect(CalendarOffsets.of('eUROPE/mADRID')).toEqual({ offsets, calendarName })
  expect(CalendarOffsets.of('europe/madrid').offsets).toBe(offsets)
})

test.each(['utc', 'Etc/UTC', 'Zulu', 'GMT'])('%s is UTC', (name) => {
  expect(Zone.find(name)).toBe(Zone.utc)
})
