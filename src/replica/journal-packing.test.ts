import { expect, test } from 'vitest'
import { packJournal, unpackJournal } from './journal-packing.ts'

const bytes = Buffer.from('{"D":"2026-01-01T00:00:00Z","T":"a","V":1}'.repeat(1000))
const packed = await packJournal(bytes)

test('packing compresses the bytes, and unpacking restores them', async () => {
  expect(packed.length).toBeLessThan(bytes.length / 10)
  expect(await unpackJournal(packed, bytes.length)).toEqual(bytes)
  expect(await unpackJournal(await packJournal(Buffer.alloc(0)), 0)).toHaveLength(0)
})

test.each([
  ['contains more bytes than declared', packed, bytes.length - 1],
  ['contains fewer bytes than declared', packed, bytes.length + 1],
  ['is truncated', packed.subarray(0, packed.length >> 1), bytes.length],
  ['is empty', Buffer.alloc(0), bytes.length],
] as const)('unpacking refuses an object that %s', (_, damaged, length) =>
  expect(unpackJournal(damaged, length)).rejects.toThrow(),
)
