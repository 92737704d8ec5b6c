import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareCodePoints } from '../lib/compare-code-points.ts'
import type { FieldType } from './field.ts'
import {
  identifierJson,
  intersection,
  isEmptyRange,
  type KeyRange,
  keyAfter,
  keyOfDouble,
  keyOfLong,
  keyOfString,
  keysBeginningWith,
} from './item-key.ts'

const text = fc.string({
  unit: fc.constantFrom('a', 'b', '\u0000', 'é', '\ud7ff', '\uffff', '😀', '\u{10ffff}'),
  maxLength: 5,
})
const long = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -3n, max: 3n }))
const double = fc.double({ noNaN: true, noDefaultInfinity: true })
const bytes = fc.uint8Array({ maxLength: 4 })

describe('keys sort like their identifiers and decode to them', () => {
  const order = <Value>(
    values: fc.Arbitrary<Value>,
    keyOf: (value: Value) => Uint8Array,
    compare: (a: Value, b: Value) => number,
    type: FieldType,
    json: (value: Value) => string,
  ): void => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(Math.sign(Buffer.compare(keyOf(a), keyOf(b)))).toBe(Math.sign(compare(a, b)))
        expect(identifierJson(type, keyOf(a))).toBe(json(a))
      }),
      { numRuns: 1000 },
    )
  }

  test('strings', () => order(text, keyOfString, compareCodePoints, 'string', JSON.stringify))
  test('longs', () => order(long, keyOfLong, (a, b) => Number(a > b) - Number(a < b), 'long', String))
  // Not `a - b`: the difference of the two zeros may be -0.
  test('doubles', () => order(double, keyOfDouble, (a, b) => Number(a > b) - Number(a < b), 'double', String))
  test('timestamps', () => {
    const ms = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
    const iso = (value: number): string => `"${new Date(value).toISOString()}"`
    order(
      ms,
      (value) => keyOfLong(BigInt(value)),
      (a, b) => a - b,
      'timestamp',
      iso,
    )
  })
})

test('both zeros are the same identifier', () => {
  expect(keyOfDouble(-0)).toEqual(keyOfDouble(0))
  expect(identifierJson('double', keyOfDouble(-0))).toBe('0')
})

function holds({ from, to }: KeyRange, key: Uint8Array): boolean {
  return Buffer.compare(key, from) >= 0 && (to === null || Buffer.compare(key, to) < 0)
}

test('no key is between a key and its keyAfter', () => {
  fc.assert(
    fc.property(bytes, bytes, (key, other) => {
      expect(Buffer.compare(other, key) > 0).toBe(Buffer.compare(other, keyAfter(key)) >= 0)
    }),
  )
})

test('the keys with a prefix are one range', () => {
  const highBytes = fc
    .array(fc.constantFrom(0, 0x61, 0xfe, 0xff), { maxLength: 4 })
    .map((list) => Uint8Array.from(list))
  fc.assert(
    fc.property(highBytes, highBytes, (prefix, key) => {
      const begins = Buffer.compare(key.subarray(0, prefix.length), prefix) === 0
      expect(holds(keysBeginningWith(prefix), key)).toBe(begins)
    }),
    { numRuns: 1000 },
  )
})

test('an intersection contains exactly the keys of both ranges', () => {
  const range = fc.record({ from: bytes, to: fc.option(bytes) })
  fc.assert(
    fc.property(range, range, bytes, (a, b, key) => {
      const both = intersection(a, b)
      expect(holds(both, key)).toBe(holds(a, key) && holds(b, key))
      if (isEmptyRange(both)) expect(holds(both, key)).toBe(false)
    }),
    { numRuns: 1000 },
  )
})
