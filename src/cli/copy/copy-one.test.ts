import { expect, test } from 'vitest'
import { type CopyCounts, verdictOf } from './copy-one.ts'

const whole: CopyCounts = {
  unit: 'rows',
  copied: 10,
  rejected: 0,
  pending: 0,
  sourceBefore: 10,
  sourceAfter: 10,
  targetBefore: 0,
  targetAfter: 10,
  partial: false,
}

test.each<[name: string, counts: Partial<CopyCounts>, problems: string[], notes: string[]]>([
  ['all rows arrived', {}, [], []],
  ['a partial copy arrived', { copied: 4, targetAfter: 4, partial: true }, [], []],
  [
    'rows of a partial copy are missing',
    { copied: 4, targetAfter: 3, partial: true },
    ['4 rows were copied, and the target has 3'],
    [],
  ],
  ['rows are missing', { targetAfter: 9 }, ['the source has 10 rows, and the target 9'], []],
  [
    'rows were rejected',
    { targetAfter: 9, rejected: 1 },
    ['the target rejected 1 rows', 'the source has 10 rows, and the target 9'],
    [],
  ],
  [
    'the source is still pushed to',
    { sourceAfter: 12 },
    [
      'the source has 12 rows, and the target 10',
      'the source had 10 rows when the copy began: rows are still pushed to it',
    ],
    [],
  ],
  [
    'the source does not show all of its rows',
    { copied: 8, targetAfter: 8 },
    ['the source has 10 rows, and the target 8'],
    [
      'the source shows 8 of its 10 rows; rows without a value in any metric, and rows older than the retention, are never shown',
    ],
  ],
  [
    'the target had rows',
    { targetBefore: 3, targetAfter: 13 },
    [],
    ['the target had 3 rows before; it has 13 now, the source has 10'],
  ],
])('%s', (_name, counts, problems, notes) => {
  expect(verdictOf({ ...whole, ...counts })).toEqual({ problems, notes })
})
