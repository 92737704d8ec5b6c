import { expect, test } from 'vitest'
import { EntityPositions } from './entity-positions.ts'

const slice = 65_536

test.each<[string, stored: readonly (readonly [from: number, to: number])[], firstPosition: number, trimmed: number]>([
  ['nothing was stored', [], 100, 0],
  ['all before the cut', [[10, 20]], 100, 20],
  ['all after the cut', [[100, 120]], 100, 0],
  ['a step across the cut', [[90, 120]], 100, 100],
  ['a step across the cut and a slice boundary', [[slice - 10, slice + 10]], slice - 5, slice - 5],
  [
    'slices on both sides of the cut',
    [
      [10, 20],
      [slice + 10, slice + 20],
    ],
    slice,
    20,
  ],
  [
    'a step reported twice',
    [
      [10, 20],
      [10, 20],
    ],
    15,
    15,
  ],
  [
    'steps reported out of order',
    [
      [slice * 2, slice * 2 + 5],
      [10, 20],
    ],
    slice,
    20,
  ],
])('%s', (_, stored, firstPosition, trimmed) => {
  const positions = new EntityPositions()
  for (const [from, to] of stored) positions.stored(1, from, to)
  positions.trim(firstPosition)
  expect(positions.trimmedPosition(1)).toBe(trimmed)
  expect(new EntityPositions(positions.trimmed).trimmedPosition(1)).toBe(trimmed)
  expect(positions.trimmedPosition(2)).toBe(0)
})
