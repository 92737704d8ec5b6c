import { expect, test } from 'vitest'
import { countedRise } from './bucket-aggregates.ts'

test.each<[from: number, to: number, isReset: boolean]>([
  [14.5, 4.5, false],
  // In doubles the difference equals the wrap; in fact it is larger.
  [14.8, 4.8, true],
  [14.7, 4.9, false],
  [1.7e308, -1.7e308, true],
])('a change from %d to %d with a wrap at 10 is a reset: %s', (from, to, isReset) => {
  const item = (ms: number, value: number) => ({ ms, value, exact: null })
  expect(countedRise(item(0, from), item(1, to), { reset: 'zero', wrap: 10 }).isReset).toBe(isReset)
})
