import { expect, test } from 'vitest'
import { drawnFields } from './drawn-fields.ts'
import { viewOf } from './view.ts'

const entity = { fields: [{ name: 'V', type: 'double', role: 'metric' }] } as const
const at = (iso: string): number => Date.parse(iso) / 1000

test.each([
  ['day', '2026-01-01T18:00Z', ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-05'], 1],
  ['month', '2026-01-31T18:00Z', ['2026-01-01', '2026-02-01', '2026-03-01', '2026-05-01'], 1],
  ['year', '2023-07-01T18:00Z', ['2023-01-01', '2024-01-01', '2025-01-01', '2027-01-01'], 1],
  ['P2D', '2026-01-01T18:00Z', ['2026-01-01', '2026-01-03', '2026-01-07'], 0],
])(
  'with granularity %s, a time-weighted mean has a gap at a missing bucket, wherever the range begins',
  (granularity, from, starts, count) => {
    const view = viewOf(new URLSearchParams('field=V&how=time_mean&zone=UTC'))
    const span = { fromMs: Date.parse(from), toMs: Date.parse('2028-01-01') }
    const seconds = starts.map(at)
    const gaps = drawnFields(entity, { view, span, pixels: 600, granularity })[0]!.gapsOf(seconds)
    expect(gaps).toEqual(count === 0 ? [] : [{ from: seconds.at(-2), to: seconds.at(-1) }])
  },
)

test.each([
  ['PT12H', 12 * 3600],
  ['P1M', 31 * 86_400],
])('with max_gaps of %s, a longer silence is a gap and a step extends by at most that duration', (gap, longest) => {
  const drawn = (shape: 'line' | 'step') => {
    const view = viewOf(new URLSearchParams('field=V&zone=UTC'))
    const span = { fromMs: Date.parse('2026-01-01'), toMs: Date.parse('2027-01-01') }
    const reading = { ...entity, shapes: { V: shape }, max_gaps: { V: gap } }
    return drawnFields(reading, { view, span, pixels: 600, granularity: undefined })[0]!
  }
  expect(drawn('line').gapsOf([0, longest, 2 * longest + 1])).toEqual([{ from: longest, to: 2 * longest + 1 }])
  expect(drawn('step').holdsSeconds).toBe(longest)
})
