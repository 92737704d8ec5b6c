import { expect, test } from 'vitest'
import { axesOf } from './axes.ts'

/** `>` before a unit marks a line that was moved to the right. */
const placed = (...lines: readonly string[]) => {
  const { axes, places } = axesOf(lines.map((line) => ({ unit: line.replace('>', ''), isMoved: line.startsWith('>') })))
  return [axes.map(({ side, label }) => `${side} ${label}`.trim()), places]
}

test.each([
  ['lines without a unit share one axis', ['', ''], ['left'], [0, 0]],
  [
    'each unit has its own axis, alternating left and right',
    ['°C', 'bar', '°C', 'm³/h'],
    ['left °C', 'right bar', 'left m³/h'],
    [0, 1, 0, 2],
  ],
  ['a line without a unit has its own axis', ['°C', ''], ['left °C', 'right'], [0, 1]],
  [
    'a fifth unit shares the fourth axis',
    ['°C', 'bar', '%', 'm', 'A', ''],
    ['left °C', 'right bar', 'left %', 'right m, A'],
    [0, 1, 2, 3, 3, 3],
  ],
  ['a line moved to the right has an axis there', ['', '>'], ['left', 'right'], [0, 1]],
  [
    'a moved line has its own axis, apart from other lines of its unit',
    ['>°C', '°C', 'bar'],
    ['left °C', 'right bar', 'right °C'],
    [2, 0, 1],
  ],
  ['the first unit that was not moved has the left axis', ['>°C', 'bar'], ['left bar', 'right °C'], [1, 0]],
  ['all lines moved to the right', ['>', '>'], ['right'], [0, 0]],
  [
    'a moved line shares the fourth axis when all axes are used',
    ['°C', 'bar', '%', 'm', '>m'],
    ['left °C', 'right bar', 'left %', 'right m'],
    [0, 1, 2, 3, 3],
  ],
])('%s', (_, lines, axes, places) => {
  expect(placed(...lines)).toEqual([axes, places])
})
