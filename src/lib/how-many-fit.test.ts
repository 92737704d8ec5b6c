import { expect, test } from 'vitest'
import { howManyFit } from './how-many-fit.ts'

test.each([
  ['none of none', [], 10, 0],
  ['all of them', [3, 3, 4], 10, 3],
  ['as many as fit', [3, 3, 5], 10, 2],
  ['one that is too large alone', [11, 1], 10, 1],
  ['none behind the first that does not fit', [6, 6, 1], 10, 1],
  ['sizes of nothing', [0, 0, 0], 0, 3],
])('%s', (_, sizes, bytesMax, count) => {
  expect(howManyFit(sizes, bytesMax)).toBe(count)
})
