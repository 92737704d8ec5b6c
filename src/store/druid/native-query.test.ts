import { expect, test } from 'vitest'
import { intervalsOf } from './native-query.ts'

test.each([
  [5, 4],
  [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
])('the range from %d to %d has no interval', (fromMs, toMs) => {
  expect(intervalsOf(fromMs, toMs)).toEqual([])
})
