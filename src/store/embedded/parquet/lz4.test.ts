import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from './byte-writer.ts'
import { compress, decompress } from './lz4.ts'
import { PageInput } from './page-input.ts'

function compressed(bytes: Uint8Array): Uint8Array {
  const source = new ByteWriter()
  // Something before it, and room behind it.
  source.append(Uint8Array.of(1, 2, 3))
  source.append(bytes)
  const out = new ByteWriter()
  compress(source, 3, source.length, out)
  return out.written()
}

function there(bytes: Uint8Array): Uint8Array {
  const input = new PageInput()
  input.begin(bytes.length)
  decompress(compressed(bytes), input)
  return input.bytes.subarray(0, bytes.length)
}

test.each([
  ['nothing', 0, () => 7, 1],
  ['one byte', 1, () => 7, 2],
  ['as few bytes as cannot hold a match', 12, () => 7, 13],
  ['zeros', 100_000, () => 0, 450],
  ['a pattern of two', 100_000, (at: number) => at % 2, 450],
  ['a pattern of 31', 100_000, (at: number) => at % 31, 450],
  ['a pattern of 1,000', 100_000, (at: number) => ((at % 1000) ** 2) >>> 3, 1500],
  ['a repetition that is too far back', 140_000, (at: number) => Math.imul(at % 70_000, 0x9e3779b1) >>> 24, 141_000],
])('%s: there and back, in at most so many bytes', (_, length, byteAt, bytesMax) => {
  const bytes = Uint8Array.from({ length }, (_, at) => byteAt(at))
  expect(Buffer.compare(there(bytes), bytes)).toBe(0)
  expect(compressed(bytes).length).toBeLessThanOrEqual(bytesMax)
})

test('bytes of any kind come back', () => {
  const piece = fc.uint8Array({ maxLength: 40 })
  const pieces = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 300 })), { maxLength: 20 })
  fc.assert(
    fc.property(pieces, (parts) => {
      const bytes = Buffer.concat(parts.flatMap(([part, times]) => Array.from({ length: times }, () => part)))
      expect(Buffer.compare(there(bytes), bytes)).toBe(0)
    }),
  )
})
