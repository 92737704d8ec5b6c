import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { instrumentsOf, type Quantity, readingAt, rowsAt } from './plant.ts'

const startMs = Date.parse('2026-01-05T00:00:00Z')
const week = Array.from({ length: 7 * 144 }, (_, index) => startMs + index * 600_000)

test('has forty instruments with distinct tags', () => {
  const instruments = instrumentsOf(1)
  expect(new Set(instruments.map(({ tag }) => tag)).size).toBe(40)
  expect(instruments.map(({ tag }) => tag)).toContain('01PHD.OSL101.PV')
  for (const { tag } of instruments) expect(tag).toMatch(/^0[1-4]PHD\.OS[TPFL]\d{3}\.PV$/)
})

test('the same seed gives exactly the same readings', () => {
  const rows = week.slice(0, 50).map((ms) => rowsAt(1, instrumentsOf(1), ms))
  expect(createHash('sha256').update(rows.join('')).digest('hex').slice(0, 16)).toMatchInlineSnapshot(
    `"65f1ed20b6d3be0e"`,
  )
  expect(rowsAt(2, instrumentsOf(2), startMs)).not.toBe(rows[0])
})

test('rows are NDJSON with the fields of the ingest', () => {
  const [first = '', ...rest] = rowsAt(1, instrumentsOf(1), startMs).trimEnd().split('\n')
  expect(rest).toHaveLength(39)
  expect(JSON.parse(first)).toEqual({
    D: '2026-01-05T00:00:00.000Z',
    T: '01PHD.OST101.PV',
    unit: 'degC',
    area: 'distillation',
    V: expect.any(Number),
  })
})

describe('readings stay within the range of their quantity', () => {
  const bounds: Record<Quantity, [number, number]> = {
    temperature: [50, 345],
    pressure: [1.5, 29],
    flow: [8, 200],
    level: [0, 100],
  }
  test.each(instrumentsOf(1))('$tag', (instrument) => {
    const values = week.map((ms) => readingAt(1, instrument, ms))
    const [least, most] = bounds[instrument.quantity]
    expect(Math.min(...values)).toBeGreaterThanOrEqual(least)
    expect(Math.max(...values)).toBeLessThanOrEqual(most)
    expect(new Set(values).size).toBeGreaterThan(20)
  })
})

test('flows are higher by day than at night', () => {
  const flow = instrumentsOf(1).find(({ quantity }) => quantity === 'flow')!
  const mean = (hour: number): number => {
    const values = [0, 1, 2, 3, 4, 5, 6].map((day) => readingAt(1, flow, startMs + (day * 24 + hour) * 3_600_000))
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  expect(mean(15)).toBeGreaterThan(mean(3) * 1.05)
})
