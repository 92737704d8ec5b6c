import { expect, test } from 'vitest'
import { sparkPieces } from './spark.tsx'

const of = (points: [number, number][], gapMs = 10) => sparkPieces({ fromMs: 0, toMs: 100, points, gapMs })

test.each<[string, [number, number][], string[]]>([
  [
    'the minimum is at the bottom and the maximum at the top',
    [
      [0, 5],
      [10, 7],
    ],
    ['0.00,29.00 10.00,1.00'],
  ],
  [
    'a constant value is drawn in the middle',
    [
      [0, 5],
      [10, 5],
    ],
    ['0.00,15.00 10.00,15.00'],
  ],
  [
    'a silence is a gap, and an isolated point is a dot',
    [
      [0, 1],
      [50, 1],
      [90, 1],
    ],
    ['0.00,15.00 0.00,15.00', '50.00,15.00 50.00,15.00', '90.00,15.00 90.00,15.00'],
  ],
  ['no points', [], []],
])('%s', (_, points, pieces) => {
  expect(of(points)).toEqual(pieces)
})
