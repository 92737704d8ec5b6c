import { expect, test } from 'vitest'
import { sparkPieces } from './spark.tsx'

const of = (points: [number, number][], gapMs = 10) => sparkPieces({ fromMs: 0, toMs: 100, points, gapMs })

test.each<[string, [number, number][], string[]]>([
  [
    'the least stands at the bottom and the greatest at the top',
    [
      [0, 5],
      [10, 7],
    ],
    ['0.00,29.00 10.00,1.00'],
  ],
  [
    'a value that never changes stands in the middle',
    [
      [0, 5],
      [10, 5],
    ],
    ['0.00,15.00 10.00,15.00'],
  ],
  [
    'a silence is a gap, and a point between two gaps is a dot',
    [
      [0, 1],
      [50, 1],
      [90, 1],
    ],
    ['0.00,15.00 0.00,15.00', '50.00,15.00 50.00,15.00', '90.00,15.00 90.00,15.00'],
  ],
  ['nothing is nothing', [], []],
])('%s', (_, points, pieces) => {
  expect(of(points)).toEqual(pieces)
})
