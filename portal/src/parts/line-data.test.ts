import { expect, test } from 'vitest'
import { lineData, lonePlaces, type Points, valueAt } from './line-data.ts'

const minute = 60
const day = 86_400

const every = (step: number, from: number, to: number): [number, number][] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => [from + at * step, at])

/** The gaps in a line, as pairs of the times of the points around each. */
function breaks(lines: readonly Points[], line: number): [number, number][] {
  const [times, ...all] = lineData(lines)
  const values = all[line]!
  const known = times.flatMap((_, place) => (typeof values[place] === 'number' ? [place] : []))
  return known.slice(1).flatMap((place, at): [number, number][] => {
    const between = values.slice(known[at]! + 1, place)
    // All values between must be null, otherwise the chart draws a part of the line.
    const broken = between.length > 0 && between.every((value) => value === null)
    if (!broken) expect(between.every((value) => value === undefined)).toBe(true)
    return broken ? [[times[known[at]!]!, times[place]!]] : []
  })
}

const fast = new Map(every(minute, 0, day))
const slow = new Map(every(10 * minute, 0, day))
const lost = new Map([...every(5 * minute, 0, day), ...every(5 * minute, 2 * day, 3 * day)])
const lostGap = [[day - 5 * minute, 2 * day]]

test('a tag with a point every ten minutes has no gaps next to one with a point every minute', () => {
  expect([breaks([fast, slow], 0), breaks([fast, slow], 1)]).toEqual([[], []])
})

test('a lost day of a single tag is a gap', () => {
  expect(breaks([lost], 0)).toEqual(lostGap)
})

test('a lost day is a gap of its own tag only', () => {
  const whole = new Map(every(minute, 0, 3 * day))
  expect([breaks([lost, whole, slow], 0), breaks([lost, whole, slow], 1), breaks([lost, whole, slow], 2)]).toEqual([
    lostGap,
    [],
    [],
  ])
})

test.each<[string, [number, number][], [number, number][]]>([
  ['one missing bucket among regular ones', [...every(1, 0, 20), ...every(1, 21, 40)], [[19, 21]]],
  ['a lost slice among few points', [...every(1, 0, 2), ...every(1, 100, 101)], [[1, 100]]],
  ['irregular intervals, none of them unusual', [0, 5, 8, 15, 17, 24, 30, 37].map((at) => [at, 1]), []],
  ['two points, too few to know the usual interval', every(50, 0, 100), []],
  ['one point', every(1, 0, 1), []],
  ['no point', [], []],
])('finds the gaps of %s', (_, points, gaps) => {
  expect(breaks([new Map(points)], 0)).toEqual(gaps)
})

test('accepts points in any order', () => {
  expect(
    lineData([
      new Map([
        [3, 30],
        [1, 10],
      ]),
      new Map([[2, 5]]),
    ]),
  ).toEqual([
    [1, 2, 3],
    [10, undefined, 30],
    [undefined, 5, undefined],
  ])
})

test('finds isolated points between gaps', () => {
  expect(lonePlaces([1, null, 2, undefined, null, 3, undefined, 4, null])).toEqual([0, 2])
  expect(lonePlaces([undefined, 7, undefined])).toEqual([1])
  expect(lonePlaces([])).toEqual([])
})

test.each([
  [0, null],
  [1, 5],
  [2, 5],
  [3, 6],
  [4, null],
  [5, 8],
  [6, null],
])('at index %i a line shows %j', (place, value) => {
  expect(valueAt([undefined, 5, undefined, 6, null, 8, undefined], place)).toBe(value)
})
