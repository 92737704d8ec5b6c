import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLong } from './long.ts'

/** A model with integers only: digits times a power of ten. */
function modelLong(text: string): ReturnType<typeof parseLong> {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const divisor = 10n ** BigInt(Math.max(0, -power))
  if (digits % divisor !== 0n) return 'not_whole'
  const value = (digits / divisor) * 10n ** BigInt(Math.max(0, power))
  return BigInt.asIntN(64, value) === value ? value : 'out_of_range'
}

describe('longs', () => {
  test('are read exactly in any spelling', () => {
    const text = fc.oneof(
      fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{0,4}0{0,20}\d)?([eE][+-]?\d{1,2})?$/),
      fc.stringMatching(/^-?922337203685477580\d(\.0{1,4})?$/),
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    )
    fc.assert(
      fc.property(text, (spelling) => {
        expect(parseLong(spelling)).toBe(modelLong(spelling))
      }),
      { numRuns: 5000 },
    )
  })

  test('are read fast despite long runs of zeros', () => {
    expect(parseLong(`1${'0'.repeat(500_000)}1.5`)).toBe('not_whole')
    expect(parseLong(`1${'0'.repeat(500_000)}e-500000`)).toBe(1n)
  })
})
