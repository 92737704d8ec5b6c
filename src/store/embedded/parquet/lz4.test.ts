import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from './byte-writer.ts'
import { compress, compressSteps, decompress } from './lz4.ts'
import { PageInput } from './page-input.ts'

function compressed(bytes: Uint8Array): Uint8Array {
  const source = new ByteWriter()
  // Bytes before the input, and space after it.
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
  ['no bytes', 0, () => 7, 1],
  ['one byte', 1, () => 7, 2],
  ['as many bytes as cannot contain a match', 12, () => 7, 13],
  ['zeros', 100_000, () => 0, 450],
  ['a pattern of 2 bytes', 100_000, (at: number) => at % 2, 450],
  ['a pattern of 31 bytes', 100_000, (at: number) => at % 31, 450],
  ['a pattern of 1,000 bytes', 100_000, (at: number) => ((at % 1000) ** 2) >>> 3, 1500],
  [
    'a repetition beyond the match distance',
    140_000,
    (at: number) => Math.imul(at % 70_000, 0x9e3779b1) >>> 24,
    141_000,
  ],
])('%s: read back as written, in at most the expected number of bytes', (_, length, byteAt, bytesMax) => {
  const bytes = Uint8Array.from({ length }, (_, at) => byteAt(at))
  expect(Buffer.compare(there(bytes), bytes)).toBe(0)
  expect(compressed(bytes).length).toBeLessThanOrEqual(bytesMax)
})

test.each([
  ['shorter than one step', 100, (at: number) => at % 7],
  ['of slightly more than two steps', 263_000, (at: number) => ((at % 1000) ** 2) >>> 3],
  ['of one match across all steps', 600_000, () => 7],
  ['of literals only', 400_000, (at: number) => Math.imul(at, 0x9e3779b1) >>> 24],
  [
    'of matches around the ends of steps',
    400_000,
    (at: number) => (at % (1 << 17) < 60 ? 5 : Math.imul(at, at) >>> 11),
  ],
])('a block %s is read back as written when compressed in steps', (_, length, byteAt) => {
  const source = new ByteWriter()
  source.append(Uint8Array.from({ length }, (_unused, at) => byteAt(at)))
  const out = new ByteWriter()
  const steps = compressSteps(source, out)
  let yields = 0
  while (steps.next().done !== true) yields++
  expect(yields).toBeLessThanOrEqual(Math.ceil(length / (1 << 17)))
  const input = new PageInput()
  input.begin(length)
  decompress(out.written(), input)
  expect(Buffer.compare(input.bytes.subarray(0, length), source.written())).toBe(0)
})

test('any bytes are read back as written', () => {
  const piece = fc.uint8Array({ maxLength: 40 })
  const pieces = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 300 })), { maxLength: 20 })
  fc.assert(
    fc.property(pieces, (parts) => {
      const bytes = Buffer.concat(parts.flatMap(([part, times]) => Array.from({ length: times }, () => part)))
      expect(Buffer.compare(there(bytes), bytes)).toBe(0)
    }),
  )
})
