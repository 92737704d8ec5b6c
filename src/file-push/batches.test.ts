import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PushBatch } from '../client/push-batch.ts'
import { type BatchBounds, batchesOf } from './batches.ts'

async function batch(groups: readonly (readonly string[])[], bounds: Partial<BatchBounds>): Promise<PushBatch[]> {
  const rows = (async function* () {
    for (const group of groups) yield group.map((row) => Buffer.from(row))
  })()
  const found: PushBatch[] = []
  const all = { rowsMax: 3, bytesMax: 1000, format: 'ndjson', skipRows: 0, ...bounds } as const
  for await (const one of batchesOf(rows, all)) found.push(one)
  return found
}

const shown = (batches: PushBatch[]) =>
  batches.map(({ firstRow, rows, body }) => [firstRow, rows, Buffer.from(body).toString()])

test.each<[string, string[][], Partial<BatchBounds>, [number, number, string][]]>([
  ['returns no batch without rows', [[], []], {}, []],
  [
    'limits a batch by rows',
    [
      ['1', '2'],
      ['3', '4'],
    ],
    {},
    [
      [1, 3, '1\n2\n3\n'],
      [4, 1, '4\n'],
    ],
  ],
  [
    'writes a batch as a JSON array',
    [
      ['1', '2'],
      ['3', '4'],
    ],
    { format: 'json' },
    [
      [1, 3, '[1,2,3]'],
      [4, 1, '[4]'],
    ],
  ],
  [
    'limits a batch by bytes',
    [['1111', '2222', '3333']],
    { bytesMax: 12 },
    [
      [1, 2, '1111\n2222\n'],
      [3, 1, '3333\n'],
    ],
  ],
  [
    'sends a row larger than the limit alone',
    [['1', '2'.repeat(20), '3']],
    { bytesMax: 10 },
    [
      [1, 1, '1\n'],
      [2, 1, `${'2'.repeat(20)}\n`],
      [3, 1, '3\n'],
    ],
  ],
  [
    'skips some rows',
    [
      ['1', '2'],
      ['3', '4', '5'],
    ],
    { skipRows: 3 },
    [[4, 2, '4\n5\n']],
  ],
  ['skips all rows', [['1']], { skipRows: 3 }, []],
])('%s', async (_, groups, bounds, expected) => {
  expect(shown(await batch(groups, bounds))).toEqual(expected)
})

test('every row is in exactly one batch, in order, within the limits', async () => {
  const group = fc.array(fc.string({ unit: fc.constantFrom('a', 'é'), minLength: 1, maxLength: 30 }), { maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(group, { maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 4, max: 60 }),
      async (groups, rowsMax, bytesMax) => {
        const batches = await batch(groups, { rowsMax, bytesMax })
        const rows = batches.flatMap(({ body }) => Buffer.from(body).toString().trimEnd().split('\n'))
        expect(rows).toEqual(groups.flat())
        let next = 1
        for (const { firstRow, rows: count, body } of batches) {
          expect(firstRow).toBe(next)
          next += count
          expect(count).toBeLessThanOrEqual(rowsMax)
          if (count > 1) expect(body.length).toBeLessThanOrEqual(bytesMax)
        }
      },
    ),
  )
})
