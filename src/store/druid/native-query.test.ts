import { expect, test } from 'vitest'
import { intervalsOf } from './native-query.ts'

test.each([
  [5, 4],
  [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
])('from %d to %d there is no time', (fromMs, toMs) => {
  expect(intervalsOf(fromMs, toMs)).toEqual([])
})
