import { expect, test } from 'vitest'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { Lines } from './lines.ts'
import { slid, slidByKey, stripAreas, stripGranularity, wholeSpan } from './strip.ts'

const whole = { fromMs: 0, toMs: 100_000 }
const span = { fromMs: 40_000, toMs: 60_000 }

test('the complete range covers the items and hours of the entity and the range shown', () => {
  const dates = (first_date: string | null, last_date: string | null) =>
    ({ first_date, last_date }) as EntityDescription
  const [first, last] = ['1970-01-01T00:00:10.000Z', '1970-01-01T00:00:50.000Z']
  expect(wholeSpan(dates(first, last), span)).toEqual({ fromMs: 10_000, toMs: 60_000 })
  const kept = { ...dates(last, last), hours_from: first } as EntityDescription
  expect(wholeSpan(kept, span)).toEqual({ fromMs: 10_000, toMs: 60_000 })
  expect(wholeSpan(dates(null, null), span)).toBe(null)
})

test('a window moves only within the complete range', () => {
  expect(slid(span, -10_000, whole)).toEqual({ fromMs: 30_000, toMs: 50_000 })
  expect(slid(span, 90_000, whole)).toEqual({ fromMs: 80_000, toMs: 100_000 })
})

test.each([
  ['ArrowLeft', 35_000],
  ['ArrowRight', 45_000],
  ['PageUp', 60_000],
  ['PageDown', 20_000],
  ['Home', 0],
  ['End', 80_000],
])('%s moves the start of the window to %d', (key, fromMs) => {
  expect(slidByKey(span, key, whole)).toEqual({ fromMs, toMs: fromMs + 20_000 })
})

test('other keys do not move the window', () => {
  expect(slidByKey(span, 'a', whole)).toBe(null)
})

test.each([
  [100, 'PT1S'],
  [86_400, 'PT288S'],
  [300 * 3600, 'PT3600S'],
  [30 * 86_400, 'PT3H'],
  [3650 * 86_400, 'PT292H'],
])('a strip of %d seconds uses granularity %s', (seconds, granularity) => {
  expect(stripGranularity({ fromMs: 0, toMs: 1000 * seconds }, 300)).toBe(granularity)
})

test('draws a line as an area from minimum to maximum, over the full width of each bucket, with gaps', () => {
  const lines = [{ color: 0 }, { color: 0 }, { color: 0 }].map((line) => ({ ...line, name: 'a' }))
  // The first bucket starts before the strip, the last one ends after it.
  const data: Lines['data'] = [
    [-10, 10, 50, 90],
    [1, 2, null, 5],
    [0, 1, null, 5],
    [2, 3, null, 10],
  ]
  const drawn: Lines = { names: ['a'], tags: ['a'], metrics: ['V'], lines, data, bands: [{ low: 1, high: 2 }], left: 0 }
  expect(stripAreas(drawn, whole, 20_000)).toEqual([
    {
      color: 0,
      areas: [
        '0.0,39.0 100.0,39.0 100.0,35.2 300.0,35.2 300.0,27.6 100.0,27.6 100.0,31.4 0.0,31.4',
        '900.0,20.0 1000.0,20.0 1000.0,1.0 900.0,1.0',
      ],
    },
  ])
  const flat = { ...drawn, data: [[0], [7], [7], [7]] as Lines['data'] }
  expect(stripAreas(flat, whole, 20_000)[0]?.areas).toEqual(['0.0,20.0 200.0,20.0 200.0,20.0 0.0,20.0'])
})
