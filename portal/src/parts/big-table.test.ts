import { expect, test } from 'vitest'
import { cellText } from './big-table.tsx'

test.each([
  ['2026-01-01T08:00:00.000Z', null, '2026-01-01 08:00:00 UTC'],
  ['2026-01-01T08:00:00.250Z', 'Europe/Berlin', '2026-01-01 09:00:00.250'],
  ['2026-01-01', null, '2026-01-01'],
  [null, null, ''],
  [0.1, null, '0.1'],
])('cell %j in the time zone %s is shown as %s', (value, zone, text) => {
  expect(cellText(value, zone)).toBe(text)
})
