import { expect, test } from 'vitest'
import { scanText } from './scan-text.ts'

test('long rows of one batch are written in chunks', async () => {
  const text = 'x'.repeat(40_000)
  const rows = Array.from({ length: 9 }, (_, row) => [BigInt(row), text])
  const shape = {
    columns: [{ name: 's', type: 'STRING' as const }],
    compact: true,
    batchSize: 4,
    segmentOf: () => null,
  }
  const pieces: string[] = []
  for await (const piece of scanText(shape, [rows, []])) pieces.push(piece)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(110_000)
  const entries = JSON.parse(pieces.join('')) as { events: string[][] }[]
  expect(entries.map(({ events }) => events.length)).toEqual([4, 4, 1])
  expect(entries.flatMap(({ events }) => events).every(([value]) => value === text)).toBe(true)
})
