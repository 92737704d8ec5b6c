import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packJournal, unpackJournal } from './journal-packing.ts'

const bytes = Buffer.from('{"D":"2026-01-01T00:00:00Z","T":"a","V":1}'.repeat(1000))
const packed = await packJournal(bytes)

test('what is packed is smaller, and comes back as it was', async () => {
  expect(packed.length).toBeLessThan(bytes.length / 10)
  expect(await unpackJournal('brotli', packed, bytes.length)).toEqual(bytes)
  expect(await unpackJournal('brotli', await packJournal(Buffer.alloc(0)), 0)).toHaveLength(0)
})

test('what version 1 packed is read', async () => {
  expect(await unpackJournal('gzip', gzipSync(bytes), bytes.length)).toEqual(bytes)
})

test.each([
  ['holds more than its pieces', 'brotli', packed, bytes.length - 1],
  ['holds less', 'brotli', packed, bytes.length + 1],
  ['holds more, and is gzip', 'gzip', gzipSync(bytes), bytes.length - 1],
  ['holds less, and is gzip', 'gzip', gzipSync(bytes), bytes.length + 1],
  ['is torn', 'brotli', packed.subarray(0, packed.length >> 1), bytes.length],
  ['is nothing', 'brotli', Buffer.alloc(0), bytes.length],
] as const)('what %s is refused', (_, packing, damaged, length) =>
  expect(unpackJournal(packing, damaged, length)).rejects.toThrow(),
)
