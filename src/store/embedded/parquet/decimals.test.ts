import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../../test/support/rounds.ts'
import { digitsMax, digitsOf, divisorOf, toWholeNumbers } from './decimals.ts'
import { endOf } from './slices.ts'

const arrays = {
  float64: (length: number) => new Float64Array(length),
  int32: (length: number) => new Int32Array(length),
}

const digits = (values: readonly number[], least = 0): number | null =>
  endOf(digitsOf(Float64Array.from(values), least))

function thereAndBack(values: readonly number[], behind: number): readonly number[] {
  const whole = endOf(toWholeNumbers(Float64Array.from(values), behind, arrays))
  expect(whole.every(Number.isSafeInteger)).toBe(true)
  return [...whole].map((value) => value / divisorOf(behind))
}

describe('digits after the decimal point', () => {
  test.each([
    [[], 0],
    [[Number.NaN], 0],
    [[0, 1, -1], 0],
    [[21.5], 1],
    [[21.5, 3, 0.25], 2],
    [[0.001, -99.999], 3],
    [[0.123456], 6],
    [[2 ** 50], 0],
    [[-(2 ** 50) / 1e6, 0.000001], 6],
  ])('%j needs %j digits', (values, expected) => expect(digits(values)).toBe(expected))

  test.each([
    [[-0]],
    [[1, -0]],
    [[0.1 + 0.2]],
    [[Math.PI]],
    [[1 / 3]],
    [[0.0000001]],
    [[Number.MIN_VALUE]],
    [[2 ** 50 + 1]],
    [[2 ** 50, 0.5]],
    [[1e300]],
    [[Number.MAX_VALUE, 1]],
    [[5e-324, 1]],
  ])('%j has no usable number of digits', (values) => expect(digits(values)).toBeNull())

  test('are at least as many as requested', () => {
    expect(digits([1, 2], 3)).toBe(3)
    expect(digits([0.12345], 3)).toBe(5)
  })
})

test('doubles are read back bit for bit with their number of digits or more', () => {
  const bits = fc
    .bigInt({ min: 0n, max: 2n ** 64n - 1n })
    .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? 0)
  const decimal = fc.tuple(fc.bigInt({ min: -(2n ** 50n), max: 2n ** 50n }), fc.nat(digitsMax + 2))
  const value = fc.oneof(
    bits.filter(Number.isFinite),
    decimal.map(([whole, behind]) => Number(whole) / 10 ** behind),
    fc.integer(),
    fc.tuple(fc.integer(), fc.nat(digitsMax)).map(([whole, behind]) => Number(`${whole}e-${behind}`)),
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), (values) => {
      const behind = digits(values)
      if (behind === null) return
      for (let more = behind; more <= digitsMax && digits(values, more) === more; more++) {
        const read = thereAndBack(values, more)
        for (const [index, one] of values.entries()) expect(Object.is(read[index], one)).toBe(true)
      }
    }),
    { numRuns: rounds(3000) },
  )
})
