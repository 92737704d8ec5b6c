import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bitWidth } from './bit-packing.ts'
import { ByteWriter } from './byte-writer.ts'
import { differenceValueMax, readDifferences, writeDifferences } from './differences.ts'
import { PageInput } from './page-input.ts'
import { readRuns, writeRuns } from './run-lengths.ts'

function inputOf(out: ByteWriter): PageInput {
  const input = new PageInput()
  input.begin(out.length)
  input.bytes.set(out.written())
  return input
}

test.each([
  [0, 0],
  [1, 1],
  [255, 8],
  [256, 9],
  [2 ** 32 - 1, 32],
  [2 ** 32, 33],
  [2 ** 53 - 1, 53],
])('%i needs %i bits', (value, bits) => {
  expect(bitWidth(value)).toBe(bits)
})

test('numbers within the bound are read back from their differences', () => {
  const sizes = fc.integer({ min: 0, max: 50 }).map((bits) => 2 ** bits)
  const number = sizes.chain((size) => fc.maxSafeInteger().map((value) => (value % size) + 0))
  const extremes = fc.constantFrom(differenceValueMax, -differenceValueMax, 0, 1)
  const numbers = fc.array(fc.oneof({ weight: 9, arbitrary: number }, extremes), { maxLength: 600, size: 'max' })
  fc.assert(
    fc.property(numbers, fc.nat(5), (values, start) => {
      const from = Math.min(start, values.length)
      const out = new ByteWriter(1)
      writeDifferences(Float64Array.from(values), from, values.length, out)
      const input = inputOf(out)
      const read = new Float64Array(values.length - from)
      expect(readDifferences(input, read)).toBe(read.length)
      expect([...read]).toEqual(values.slice(from).map((value) => value + 0))
      expect(input.position).toBe(input.end)
    }),
  )
})

test.each([1, 127, 128, 129, 130, 160, 161, 256, 257])(
  '%i equally spaced numbers take a few bytes per block',
  (count) => {
    const out = new ByteWriter(1)
    writeDifferences(
      Float64Array.from({ length: count }, (_, index) => 1.7e12 + index * 10_000),
      0,
      count,
      out,
    )
    const blocks = Math.ceil((count - 1) / 128)
    expect(out.length).toBeLessThanOrEqual(11 + blocks * 7)
  },
)

test('codes of any width are read back from runs and packed groups', () => {
  const runs = fc.integer({ min: 1, max: 31 }).chain((width) => {
    const code = fc.nat(2 ** width - 1)
    return fc.tuple(fc.constant(width), fc.array(fc.tuple(code, fc.integer({ min: 1, max: 40 })), { maxLength: 60 }))
  })
  fc.assert(
    fc.property(runs, ([width, lengths]) => {
      const codes = Int32Array.from(lengths.flatMap(([code, length]) => Array.from({ length }, () => code)))
      const out = new ByteWriter(1)
      writeRuns(codes, 0, codes.length, width, out)
      const input = inputOf(out)
      const read = new Int32Array(codes.length)
      readRuns(input, width, codes.length, read)
      expect(read).toEqual(codes)
      expect(input.position).toBe(input.end)
    }),
  )
})
