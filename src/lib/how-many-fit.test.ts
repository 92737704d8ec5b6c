import { expect, test } from 'vitest'
import { howManyFit } from './how-many-fit.ts'

test.each([
  ['no sizes', [], 10, 0],
  ['all fit', [3, 3, 4], 10, 3],
  ['as many as fit', [3, 3, 5], 10, 2],
  ['a single one that is too large', [11, 1], 10, 1],
  ['none after the first that does not fit', [6, 6, 1], 10, 1],
  ['sizes of 0', [0, 0, 0], 0, 3],
])('%s', (_, sizes, bytesMax, count) => {
  expect(howManyFit(sizes, bytesMax)).toBe(count)
})
