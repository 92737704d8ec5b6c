import { expect, test } from 'vitest'
import { axesOf } from './axes.ts'

/** `>` before a unit marks a line that was moved to the right. */
const placed = (...lines: readonly string[]) => {
  const { axes, places } = axesOf(lines.map((line) => ({ unit: line.replace('>', ''), isMoved: line.startsWith('>') })))
  return [axes.map(({ side, label }) => `${side} ${label}`.trim()), places]
}

test.each([
  ['lines without a unit share one', ['', ''], ['left'], [0, 0]],
  ['each unit has its own, by turns', ['°C', 'bar', '°C', 'm³/h'], ['left °C', 'right bar', 'left m³/h'], [0, 1, 0, 2]],
  ['a line without a unit is of none of the others', ['°C', ''], ['left °C', 'right'], [0, 1]],
  [
    'the fifth unit shares the last',
    ['°C', 'bar', '%', 'm', 'A', ''],
    ['left °C', 'right bar', 'left %', 'right m, A'],
    [0, 1, 2, 3, 3, 3],
  ],
  ['what was moved stands at the right', ['', '>'], ['left', 'right'], [0, 1]],
  ['with its own unit', ['>°C', '°C', 'bar'], ['left °C', 'right bar', 'right °C'], [2, 0, 1]],
  ['so that another unit is at the left', ['>°C', 'bar'], ['left bar', 'right °C'], [1, 0]],
  ['and all of them', ['>', '>'], ['right'], [0, 0]],
  [
    'five of them share too',
    ['°C', 'bar', '%', 'm', '>m'],
    ['left °C', 'right bar', 'left %', 'right m'],
    [0, 1, 2, 3, 3],
  ],
])('%s', (_, lines, axes, places) => {
  expect(placed(...lines)).toEqual([axes, places])
})
