import { expect, test } from 'vitest'
import type { Lines } from './lines.ts'
import { difference, itemAt, shownOf } from './shown-values.ts'

const lines = (...columns: Lines['data'][number][]): Lines => ({
  names: columns.map((_, place) => `line ${place}`),
  tags: columns.map(() => 'a'),
  metrics: columns.map(() => 'V'),
  lines: columns.map((_, color) => ({ name: `line ${color}`, color, drawn: 'line' })),
  data: [[-10, 0, 10, 20, 30, 40], ...columns] as Lines['data'],
  bands: [],
  left: 0,
})

test('the newest value is the last one within the range, ignoring items before and after it', () => {
  const range = { fromSecond: 0, untilSecond: 30 }
  const drawn = lines([1, 2, undefined, 3, null, 4] as never, [7, null, null, null, null, 8] as never)
  expect(shownOf(drawn, 0, range)).toBe(3)
  expect(shownOf(drawn, 1, range)).toBe(null)
})

test('at a cursor a line shows its nearest item with its time, and a step its value there', () => {
  const drawn = lines([1, undefined, undefined, 2, null, 3] as never, [null, 5, 6, 7, undefined, undefined] as never)
  const at = (color: number, all = drawn) => [0, 1, 2, 3, 4].map((place) => itemAt(all, color, place))
  const [first, last] = [
    { second: -10, value: 1 },
    { second: 20, value: 2 },
  ]
  expect(at(0)).toEqual([first, first, last, last, null])
  // The line has no value before its first item and after its last.
  expect(at(1).map((item) => item?.value ?? null)).toEqual([null, 5, 6, 7, null])
  const steps: Lines = { ...drawn, lines: drawn.lines.map((line) => ({ ...line, drawn: 'step' })) }
  expect(at(0, steps)).toEqual([first, first, first, last, null])
})

test.each([
  [1, 3, true, 2],
  [-9007199254740991, 0, true, 9007199254740991],
  [9007199254740992, 9007199254740991, true, null],
  [9007199254740992, 9007199254740994, false, 2],
])('the difference from %d to %d (long: %s) is %s', (a, b, isLong, between) => {
  expect(difference({ second: 0, value: a }, { second: 1, value: b }, isLong)).toBe(between)
  expect(difference(null, { second: 1, value: b }, isLong)).toBe(null)
})
