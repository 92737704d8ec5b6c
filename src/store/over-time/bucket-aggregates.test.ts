import { expect, test } from 'vitest'
import { BucketAggregates, countedRise } from './bucket-aggregates.ts'

const unit = Math.sqrt(0.5)

test.each<[values: readonly number[], deviation: number]>([
  [[1, 2], unit],
  [[1e-200, 2e-200], unit * 1e-200],
  [[0, 0, 5e-324], 5e-324 * Math.sqrt(1 / 3)],
  [[1e200, 2e200], unit * 1e200],
  [[-1e308, 1e308], 2 * unit * 1e308],
  [[2 ** -101, -(2 ** -101), 2 ** -99], 2 ** -101 * Math.sqrt(19 / 3)],
  [[1e-200, 1, 2e200, 3e200, 1e-300], Math.SQRT2 * 1e200],
  [[1e300, 1e300, 1e300], 0],
])('the deviation of %j is %d', (values, deviation) => {
  const aggregates = new BucketAggregates({
    aggregates: ['stddev'],
    isStep: true,
    totalUnitMs: 1,
    counter: { reset: 'zero', wrap: null },
  })
  for (const [ms, value] of values.entries()) aggregates.item({ ms, value, exact: null }, null)
  const actual = Number(aggregates.take(values.length)?.values[0])
  expect(actual === deviation ? 1 : actual / deviation).toBeCloseTo(1, 12)
})

test.each<[from: number, to: number, isReset: boolean]>([
  [14.5, 4.5, false],
  // In doubles they differ by the wrap, and in fact by more.
  [14.8, 4.8, true],
  [14.7, 4.9, false],
  [1.7e308, -1.7e308, true],
])('from %d to %d with a wrap at 10: a reset is %s', (from, to, isReset) => {
  const item = (ms: number, value: number) => ({ ms, value, exact: null })
  expect(countedRise(item(0, from), item(1, to), { reset: 'zero', wrap: 10 }).isReset).toBe(isReset)
})
