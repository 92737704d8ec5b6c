import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/support/code-point.ts'
import { compareCodePoints } from './compare-code-points.ts'

test.each([
  ['a', 'b', -1],
  ['b', 'a', 1],
  ['a', 'a', 0],
  ['', 'a', -1],
  ['ab', 'a', 1],
  ['\uffff', '\u{1f600}', -1],
  ['\ue000', '\u{10000}', -1],
  ['\ud7ff', '\u{10000}', -1],
])('compares %j with %j: %i', (left, right, sign) => {
  expect(Math.sign(compareCodePoints(left, right))).toBe(sign)
})

test('orders strings like their UTF-8 bytes', () => {
  const text = fc.string({ unit: codePoint })
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareCodePoints(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)))
    }),
  )
})
