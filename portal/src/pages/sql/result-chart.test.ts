import { expect, test } from 'vitest'
import { chartOf } from './result-chart.ts'

const at = (minute: number): string => new Date(minute * 60_000).toISOString()

test('numeric columns next to a time column become lines', () => {
  const table = {
    columns: ['t', 'a', 'b'],
    rows: [
      [at(1), 1, null],
      [at(0), 2, 5],
    ],
  }
  expect(chartOf(table)).toEqual({
    lines: [{ name: 'a' }, { name: 'b' }],
    data: [
      [0, 60],
      [2, 1],
      [5, undefined],
    ],
  })
})

test('a single numeric column with a string column becomes a line per string', () => {
  const table = {
    columns: ['t', 'T', 'v'],
    rows: [
      [at(0), 'x', 1],
      [at(0), 'y', 2],
      [at(1), 'x', 3],
    ],
  }
  expect(chartOf(table)).toEqual({
    lines: [{ name: 'x' }, { name: 'y' }],
    data: [
      [0, 60],
      [1, 3],
      [2, undefined],
    ],
  })
})

test('a long above 2^53 is drawn, and missing times are a gap', () => {
  const rows = [0, 1, 2, 3, 9, 10].map((minute) => [at(minute), 9007199254740993n])
  expect(chartOf({ columns: ['t', 'n'], rows })?.data).toEqual([
    [0, 60, 120, 180, 360, 540, 600],
    [2 ** 53, 2 ** 53, 2 ** 53, 2 ** 53, null, 2 ** 53, 2 ** 53],
  ])
})

test.each([
  { columns: ['a'], rows: [[1]] },
  { columns: ['t'], rows: [[at(0)]] },
  { columns: [], rows: [] },
])('%j has no chart', (table) => {
  expect(chartOf(table)).toBeNull()
})
