import { expect, test } from 'vitest'
import { shifted, withEarlier } from './compared.ts'
import type { Lines } from './lines.ts'

const hour = 3_600_000
const at = (iso: string): number => Date.parse(iso)

test.each([
  ['P1D', 'UTC', '2026-03-29T12:00:00Z', '2026-03-28T12:00:00Z'],
  // The clocks went forward between them.
  ['P1D', 'Europe/Madrid', '2026-03-29T12:00:00Z', '2026-03-28T13:00:00Z'],
  ['P7D', 'Europe/Madrid', '2026-07-08T00:00:00Z', '2026-07-01T00:00:00Z'],
  ['P1Y', 'UTC', '2024-02-29T00:00:00Z', '2023-02-28T00:00:00Z'],
])('%s earlier in %s: %s becomes %s', (shift, zone, from, before) => {
  expect(shifted({ fromMs: at(from), toMs: at(from) + hour }, shift, zone)).toEqual({
    fromMs: at(before),
    toMs: at(before) + hour,
  })
})

test.each(['soon', 'P99999Y'])('%s is not a valid shift', (shift) => {
  expect(shifted({ fromMs: 0, toMs: hour }, shift, 'UTC')).toBe(null)
})

test('earlier lines are drawn after the current ones, dashed, at their own times, with their bands', () => {
  const band = (first: number): Lines => ({
    names: ['a'],
    tags: ['a'],
    metrics: ['V'],
    lines: [
      { name: 'a', color: 0, drawn: 'line' },
      { name: 'a', color: 0, drawn: 'edge' },
      { name: 'a', color: 0, drawn: 'edge' },
    ],
    data: [
      [first, first + 10],
      [1, null],
      [0, undefined],
      [2, 3],
    ],
    bands: [{ low: 1, high: 2 }],
    left: 0,
  })
  const both = withEarlier(band(100), band(5), 100, 'before')
  expect(both.names).toEqual(['a', 'a (before)'])
  expect(both.metrics).toEqual(['V', 'V'])
  expect(both.lines.map(({ name, color, drawn, dashed }) => [name, color, drawn, dashed])).toEqual([
    ['a', 0, 'line', undefined],
    ['a (before)', 1, 'line', true],
    ['a', 0, 'edge', undefined],
    ['a', 0, 'edge', undefined],
    ['a (before)', 1, 'edge', false],
    ['a (before)', 1, 'edge', false],
  ])
  expect(both.data).toEqual([
    [100, 105, 110, 115],
    [1, undefined, null, undefined],
    [undefined, 1, undefined, null],
    [0, undefined, undefined, undefined],
    [2, undefined, 3, undefined],
    [undefined, 0, undefined, undefined],
    [undefined, 2, undefined, 3],
  ])
  expect(both.bands).toEqual([
    { low: 2, high: 3 },
    { low: 4, high: 5 },
  ])
})
