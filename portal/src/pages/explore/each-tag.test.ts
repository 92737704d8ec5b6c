import { expect, test } from 'vitest'
import { eachTag } from './each-tag.ts'
import type { Shown } from './use-rows.ts'

const columns = ['D', 'T', 'V']

test('splits an answer by tag, each part with the items next to the range', () => {
  const rows = [
    ['1', 'b', 1],
    ['1', 'a', 2],
    ['2', 'b', 3],
  ]
  const shown = { ms: 5, table: { columns, rows }, edges: [{ columns, rows: [['0', 'c', 9]] }] } as unknown as Shown
  const parts = eachTag(shown, ['T'])
  expect(parts.map(({ key, shown: { table, edges } }) => [key, table.rows, edges[0]?.rows])).toEqual([
    ['["a"]', [['1', 'a', 2]], []],
    [
      '["b"]',
      [
        ['1', 'b', 1],
        ['2', 'b', 3],
      ],
      [],
    ],
    ['["c"]', [], [['0', 'c', 9]]],
  ])
  expect(parts[0]?.shown.ms).toBe(5)
})
