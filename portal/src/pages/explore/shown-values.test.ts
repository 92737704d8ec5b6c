import { expect, test } from 'vitest'
import type { Lines } from './lines.ts'
import { shownOf } from './shown-values.ts'

const lines = (...columns: Lines['data'][number][]): Lines => ({
  names: columns.map((_, place) => `line ${place}`),
  tags: columns.map(() => 'a'),
  lines: columns.map((_, color) => ({ name: `line ${color}`, color, drawn: 'line' })),
  data: [[-10, 0, 10, 20, 30, 40], ...columns] as Lines['data'],
  bands: [],
  left: 0,
})

test('the newest value is the last one in the range: none of before it, and none of behind it', () => {
  const range = { fromSecond: 0, untilSecond: 30 }
  const drawn = lines([1, 2, undefined, 3, null, 4] as never, [7, null, null, null, null, 8] as never)
  expect(shownOf(drawn, 0, range)).toBe(3)
  expect(shownOf(drawn, 1, range)).toBe(null)
})
