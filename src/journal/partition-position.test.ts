import fc from 'fast-check'
import { expect, test } from 'vitest'
import { positionAfter } from './journal.ts'
import { offsetFrom, partitionOf, partitionsMax, positionAt, recordsOf } from './partition-position.ts'

test.each([
  [0, 0, 0],
  [0, 1, 256],
  [0, 2 ** 39 - 1, 2 ** 47 - 256],
  [1, 0, 2 ** 47],
  [3, 5, 3 * 2 ** 47 + 1280],
  [63, 2 ** 39 - 1, 2 ** 53 - 256],
])('partition %i, offset %i is position %i', (partition, offset, position) => {
  expect(positionAt(partition, offset)).toBe(position)
  expect([partitionOf(position), offsetFrom(position)]).toEqual([partition, offset])
})

test.each([
  [-1, 0],
  [64, 0],
  [0, -1],
  [0, 2 ** 39],
])('partition %i, offset %i has no position', (partition, offset) => {
  expect(() => positionAt(partition, offset)).toThrow(RangeError)
})

test.each([
  [0, 1],
  [1, 1],
  [256, 1],
  [257, 2],
  [512, 2],
  [100_000, 391],
])('%i rows take %i records', (rows, records) => {
  expect(recordsOf(rows)).toBe(records)
})

test('the next entry starts at the first free record, and all row positions are safe integers of one partition', () => {
  const place = fc.record({
    partition: fc.nat(partitionsMax - 1),
    offset: fc.nat({ max: 2 ** 39 - 2 ** 20 }),
    rows: fc.oneof(fc.nat(1000), fc.nat(2 ** 27)),
  })
  fc.assert(
    fc.property(place, ({ partition, offset, rows }) => {
      const position = positionAt(partition, offset)
      const after = positionAfter({ position, rows })
      expect(offsetFrom(after)).toBe(offset + recordsOf(rows))
      expect(partitionOf(after - 1)).toBe(partition)
      expect(Number.isSafeInteger(after)).toBe(true)
    }),
  )
})
