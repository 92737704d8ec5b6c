import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fraction } from '../../../test/support/fraction.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { RunningItems } from '../embedded/sealed/hour-items.ts'
import { Deviations } from './deviations.ts'

const unit = Math.sqrt(0.5)

/** The deviation of single values and of lists, each added at once as an hour of a file; null if such an hour has no squares. */
function deviationOf(parts: readonly (number | readonly number[])[]): number | null {
  const deviations = new Deviations()
  let count = 0
  for (const part of parts) {
    if (typeof part === 'number') {
      deviations.add(part, ++count)
      continue
    }
    const items = new RunningItems()
    const values = Float64Array.from(part)
    items.add(
      values.map((_, row) => row),
      { type: 'double', values, exact: null },
      0,
      values.length,
    )
    const { squares } = items
    if (squares === null) return null
    const sum = part.reduce((all, value) => all.plus(Fraction.of(value)), Fraction.zero)
    const lost = sum.minus(Fraction.of(sum.value)).value
    count += part.length
    const first = { ms: 0, value: part[0]!, exact: null }
    deviations.addRollup({ count: part.length, first, sum: sum.value, lost, squares }, count)
  }
  return deviations.ofSample(count)
}

test.each<[parts: readonly (number | readonly number[])[], deviation: number]>([
  [[1, 2], unit],
  [[[1, 2]], unit],
  [[[1], [2]], unit],
  [[1e-200, 2e-200], unit * 1e-200],
  [[0, 0, 5e-324], 5e-324 * Math.sqrt(1 / 3)],
  [[1e200, 2e200], unit * 1e200],
  [[-1e308, 1e308], 2 * unit * 1e308],
  [[2 ** -101, -(2 ** -101), 2 ** -99], 2 ** -101 * Math.sqrt(19 / 3)],
  [[1e-200, 1, 2e200, 3e200, 1e-300], Math.SQRT2 * 1e200],
  [[1e-200, [1, 2], [3e140, 1e140], 1e-300], 1e140 * Math.sqrt((9 + 1 - 16 / 6) / 5)],
  [[1e300, 1e300, 1e300], 0],
  [[[1e300, 1e300], [1e300]], 0],
  // For large values near each other, the error of a mean in one double is as large as their differences.
  [[[1e9, 1e9 + 2 ** -20], [1e9 + 2 ** -19]], 2 ** -20],
  [[1e9, [1e9 + 2 ** -20, 1e9 + 2 ** -19]], 2 ** -20],
])('the deviation of %j is %d', (parts, deviation) => {
  const actual = deviationOf(parts) ?? Number.NaN
  expect(actual === deviation ? 1 : actual / deviation).toBeCloseTo(1, 12)
})

test('values added together are as accurate as values added separately', () => {
  const level = fc.constantFrom(0, 0.1, 50, -20.25, 1e9, 2 ** 50)
  const value = fc.tuple(level, fc.integer({ min: -1000, max: 1000 })).map(([from, by]) => from + by / 100)
  const some = fc.array(value, { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.array(fc.oneof(value, some), { minLength: 2, maxLength: 8 }), (parts) => {
      const values = parts.flat().map((one) => Fraction.of(one))
      if (values.length < 2) return
      const count = Fraction.of(values.length)
      const mean = values.reduce((sum, one) => sum.plus(one), Fraction.zero).over(count)
      const squares = values.reduce((sum, one) => sum.plus(one.minus(mean).times(one.minus(mean))), Fraction.zero)
      const expected = Math.sqrt(squares.over(Fraction.of(values.length - 1)).value)
      const actual = deviationOf(parts)!
      const size = Math.max(...parts.flat().map(Math.abs))
      expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-12 * expected + 4 * Number.EPSILON * size)
    }),
    { numRuns: rounds(300) },
  )
})

test('an hour whose squares no double represents stores none', () => {
  expect([deviationOf([[1e-200, 2e-200]]), deviationOf([[1e200, 2e200]])]).toEqual([null, null])
})
