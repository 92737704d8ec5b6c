import { describe, expect, test } from 'vitest'
import type { Range } from '../../../model/plan.ts'
import { TimeWindows } from './run-select.ts'

/** Walks over rows by date; returns the bounds of each window and its number of rows. */
function walk(
  times: readonly number[],
  rowsExpected = times.length,
  series = 1,
): [fromMs: number, toMs: number, rows: number][] {
  const firstMs = Math.min(...times.slice(0, 1))
  const lastMs = Math.max(...times.slice(-1))
  const windows = new TimeWindows({ firstMs, lastMs, rowsExpected }, series)
  const met: [number, number, number][] = []
  for (let window: Range | null = windows.next(); window !== null; window = windows.next()) {
    const { fromMs, toMs } = window
    const rows = times.filter((ms) => ms >= fromMs && ms <= toMs).length
    windows.adjustWidth(rows)
    met.push([fromMs, toMs, rows])
  }
  return met
}

const evenly = (rows: number, stepMs: number, firstMs = 0): number[] =>
  Array.from({ length: rows }, (_, row) => firstMs + row * stepMs)

describe('windows', () => {
  test.each([
    ['none for no rows', [], 1, []],
    ['one for few rows', [-5, 0, 7], 1, [[-5, 7, 3]]],
    ['are larger for many series', evenly(100_000, 10), 30, [[0, 999_990, 100_000]]],
  ])('%s', (_, times, series, expected) => {
    expect(walk(times, times.length, series)).toEqual(expected)
  })

  test('are adjacent and cover all rows', () => {
    const times = [...evenly(150_000, 10), ...evenly(80_000, 1, 3_000_000), ...evenly(3, 10 ** 9, 4_000_000)]
    for (const expected of [times.length / 50, times.length, times.length * 50]) {
      const windows = walk(times, expected)
      expect(windows[0][0]).toBe(times[0])
      expect(windows.at(-1)![1]).toBe(times.at(-1))
      for (const [index, [fromMs]] of windows.entries()) if (index > 0) expect(fromMs).toBe(windows[index - 1][1] + 1)
      expect(windows.reduce((sum, [, , rows]) => sum + rows, 0)).toBe(times.length)
    }
  })

  test('widen over empty times and narrow where rows are dense', () => {
    const year = 365 * 86_400_000
    const times = [...evenly(70_000, 1), ...evenly(70_000, 1, year)]
    const windows = walk(times)
    expect(windows.length).toBeLessThan(40)
    expect(Math.max(...windows.map(([, , rows]) => rows))).toBeLessThanOrEqual(times.length / 2)
  })

  test('one for rows of one date', () => {
    expect(walk(Array.from({ length: 100_000 }, () => 5))).toEqual([[5, 5, 100_000]])
  })
})
