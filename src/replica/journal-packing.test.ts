import { expect, test } from 'vitest'
import { packJournal, unpackJournal } from './journal-packing.ts'

const bytes = Buffer.from('{"D":"2026-01-01T00:00:00Z","T":"a","V":1}'.repeat(1000))
const packed = await packJournal(bytes)

test('what is packed is smaller, and comes back as it was', async () => {
  expect(packed.length).toBeLessThan(bytes.length / 10)
  expect(await unpackJournal(packed, bytes.length)).toEqual(bytes)
  expect(await unpackJournal(await packJournal(Buffer.alloc(0)), 0)).toHaveLength(0)
})

test.each([
  ['holds more than its pieces', packed, bytes.length - 1],
  ['holds less', packed, bytes.length + 1],
  ['is torn', packed.subarray(0, packed.length >> 1), bytes.length],
  ['is nothing', Buffer.alloc(0), bytes.length],
] as const)('what %s is refused', (_, damaged, length) => expect(unpackJournal(damaged, length)).rejects.toThrow())
