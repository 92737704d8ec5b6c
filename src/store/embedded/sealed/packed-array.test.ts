import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../../test/support/rounds.ts'
import { ByteWriter } from '../parquet/byte-writer.ts'
import { type NumberArray, packArray, packedHeaderBytes, unpackArray } from './packed-array.ts'

function packed(values: NumberArray): Uint8Array {
  const out = new ByteWriter()
  packArray(values, out)
  return out.written()
}

/** An array of the same type and length. */
const emptyLike = (values: NumberArray): NumberArray =>
  values instanceof Float64Array
    ? new Float64Array(values.length)
    : values instanceof Int32Array
      ? new Int32Array(values.length)
      : new Uint32Array(values.length)

const anyBits = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
const decimal = fc.tuple(fc.integer(), fc.nat(6)).map(([whole, digits]) => whole / 10 ** digits)
const runsOf = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc
    .array(fc.tuple(value, fc.integer({ min: 1, max: 200 })), { maxLength: 8 })
    .map((runs) => runs.flatMap(([one, length]) => Array.from({ length }, () => one)))
const anyArray: fc.Arbitrary<NumberArray> = fc.oneof(
  fc
    .constantFrom(anyBits, decimal, fc.constantFrom(0, -0, Number.NaN, 1))
    .chain((value) =>
      fc.oneof(fc.array(value, { maxLength: 300 }), runsOf(value)).map((values) => Float64Array.from(values)),
    ),
  fc.array(fc.integer(), { maxLength: 300 }).map((values) => Int32Array.from(values)),
  fc.array(fc.nat(2 ** 32 - 1), { maxLength: 300 }).map((values) => Uint32Array.from(values)),
  fc.nat(5000).map((length) => Uint32Array.from({ length }, (_, index) => 8192 * index)),
)

describe('an array', () => {
  test('is unpacked bit for bit, and never takes more than its bytes and a header', () => {
    fc.assert(
      fc.property(anyArray, (values) => {
        const bytes = packed(values)
        expect(bytes.length).toBeLessThanOrEqual(values.byteLength + packedHeaderBytes)
        const read = emptyLike(values)
        expect(unpackArray(bytes, read)).toBe(true)
        expect(Buffer.compare(Buffer.from(read.buffer), Buffer.from(values.buffer))).toBe(0)
      }),
      { numRuns: rounds(500) },
    )
  })

  test.each([
    ['equal steps', Float64Array.from({ length: 1000 }, (_, index) => 1.7e12 + index * 3_600_000), 100],
    ['one repeated number', Float64Array.from({ length: 1000 }, () => 21.5), 60],
    [
      'numbers with few decimals',
      Float64Array.from({ length: 1000 }, (_, index) => ((index * 7919) % 1000) / 100),
      1600,
    ],
    [
      'tiny multiples of a power of two',
      Float64Array.from({ length: 1000 }, (_, index) => ((index * 7919) % 500) * 2 ** -47),
      3500,
    ],
  ])('of %s takes few bytes', (_, values, bytes) => expect(packed(values).length).toBeLessThan(bytes))

  test('of another length is rejected', () => {
    for (const values of [Float64Array.of(1.5, 2.5, 3.5), Uint32Array.of(1, 2, 3), Float64Array.of(Math.PI, 1, 2)])
      expect(unpackArray(packed(values), new Uint32Array(2))).toBe(false)
  })

  test('with randomly changed bytes always terminates', () => {
    const bytes = fc.tuple(anyArray, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }))
    fc.assert(
      fc.property(bytes, ([values, changes]) => {
        const changed = packed(values).slice()
        for (const [at, byte] of changes) changed[at % changed.length] = byte
        try {
          unpackArray(changed, emptyLike(values))
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
      { numRuns: rounds(2000) },
    )
  })
})
