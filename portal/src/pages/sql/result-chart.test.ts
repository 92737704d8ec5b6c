import { expect, test } from 'vitest'
import { chartOf } from './result-chart.ts'

const at = (minute: number): string => new Date(minute * 60_000).toISOString()

test('columns of numbers over a column of times are lines', () => {
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
      [5, null],
    ],
  })
})

test('one number of several texts is a line each', () => {
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

test.each([
  { columns: ['a'], rows: [[1]] },
  { columns: ['t'], rows: [[at(0)]] },
  { columns: [], rows: [] },
])('%j has no chart', (table) => {
  expect(chartOf(table)).toBeNull()
})
