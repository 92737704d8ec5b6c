import { expect, test } from 'vitest'
import { betweenText, firstCursors, moved, nearestPlace, picked, valueSeconds } from './cursors.ts'

test('cursors can be placed at times within the range at which some line has a value', () => {
  const data: Parameters<typeof valueSeconds>[0] = [
    [-10, 0, 5, 10, 20],
    [1, 2, null, undefined, 3],
    [1, undefined, null, 4, undefined],
  ]
  expect(valueSeconds(data, 0, 15)).toEqual([0, 10])
})

test.each([
  [-5, 0],
  [4, 0],
  [6, 1],
  [10, 1],
  [15, 1],
  [99, 2],
])('the time nearest to %d is at index %d', (second, place) => {
  expect(nearestPlace([0, 10, 20], second)).toBe(place)
})

test('clicks move the two cursors alternately, and cursors snap to the times that are drawn', () => {
  const seconds = [0, 10, 20, 30, 40, 50]
  const first = firstCursors(seconds)!
  expect(first).toEqual({ a: 20, b: 40, next: 'a' })
  const second = picked(first, 10)
  expect(second).toEqual({ a: 10, b: 40, next: 'b' })
  expect(picked(second, 50)).toEqual({ a: 10, b: 50, next: 'a' })
  expect(moved(second, [25, 35])).toEqual({ a: 25, b: 35, next: 'b' })
  expect(nearestPlace([], 1)).toBe(-1)
  expect(firstCursors([])).toBe(null)
  expect(moved(second, [])).toBe(null)
})

test.each([
  [0, '0 s'],
  [0.25, '0.25 s'],
  [-7200, '−2 h'],
  [93_784.5, '1 d 2 h 3 min 4.5 s'],
  [60.0004, '1 min'],
])('a difference of %d seconds is written as %s', (seconds, text) => {
  expect(betweenText(seconds)).toBe(text)
})
