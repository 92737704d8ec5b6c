import { expect, test } from 'vitest'
import { pinched, stepped, zoomed } from './span.ts'

test('a range is moved by fractions of its length, and zoomed around a point', () => {
  const span = { fromMs: 1000, toMs: 2000 }
  expect([stepped(span, -0.5), stepped(span, 1)]).toEqual([
    { fromMs: 500, toMs: 1500 },
    { fromMs: 2000, toMs: 3000 },
  ])
  expect([zoomed(span, 2), zoomed(span, 0.5, 1200)]).toEqual([
    { fromMs: 500, toMs: 2500 },
    { fromMs: 1100, toMs: 1600 },
  ])
})

test.each([
  // Fingers that move apart zoom in; fingers that move together shift the range.
  [[1200, 1400], [1100, 1500], { fromMs: 1150, toMs: 1650 }],
  [[1200, 1400], [1300, 1500], { fromMs: 900, toMs: 1900 }],
  [[1200, 1400], [1300, 1300], null],
] as const)('a pinch moves the times under the fingers from %j to %j', (touched, moved, expected) => {
  expect(pinched({ fromMs: 1000, toMs: 2000 }, touched, moved)).toEqual(expected)
})
