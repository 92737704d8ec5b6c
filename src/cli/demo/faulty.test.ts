import { expect, test } from 'vitest'
import { faultyRows } from './faulty.ts'

test('each row has a fault that is shown', () => {
  const rows = faultyRows(1, Date.parse('2026-01-05T08:00:00Z')).trimEnd().split('\n')
  const faults = rows.map((text) => {
    const row = JSON.parse(text) as { D?: string; V: unknown; quality?: number }
    if (row.D === undefined) return 'no time'
    if (!row.D.endsWith('Z')) return 'no date'
    if (typeof row.V !== 'number') return 'no number'
    return row.quality === undefined ? 'none' : 'no field'
  })
  const counts = Object.fromEntries(
    [...new Set(faults)].map((fault) => [fault, faults.filter((one) => one === fault).length]),
  )
  expect(counts).toEqual({ 'no number': 12, 'no field': 24, 'no date': 4, 'no time': 4 })
})
