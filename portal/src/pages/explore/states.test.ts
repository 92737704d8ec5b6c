import { expect, test } from 'vitest'
import { paintStrips, type Strip, stripsOf } from './states.ts'

const columns = ['D', 'T', 'metric', 'value', 'seconds', 'entries']
const at = (second: number): string => new Date(second * 1000).toISOString()
const rows = [
  [at(0), 'pump', 'on', 'true', 60, 1],
  [at(60), 'pump', 'on', 'true', 15, 0],
  [at(60), 'pump', 'on', 'false', 45, 1],
  [at(60), 'valve', 'on', 'true', 60, 1],
]

function paintedOf(strips: readonly Strip[], bucketSeconds: number) {
  const painted: [number, number, number, number][] = []
  const ctx = {
    save: () => undefined,
    restore: () => undefined,
    fillText: () => undefined,
    fillRect: (...box: [number, number, number, number]) => painted.push(box),
  } as unknown as CanvasRenderingContext2D
  const canvas = { ctx, bbox: { left: 0, top: 0, width: 120, height: 100 }, at: (second: number) => second }
  paintStrips(canvas, strips, {
    colorOf: (state) => state ?? '',
    text: '',
    pixelRatio: 1,
    boundsOf: (second) => [second, second + bucketSeconds],
  })
  return painted
}

test('a strip has the states of each bucket and the total duration of each state', () => {
  const { strips, left } = stripsOf({ columns, rows }, { time: 'D', tags: ['T'] })
  expect(left).toBe(0)
  expect(strips.map(({ name }) => name)).toEqual(['pump', 'valve'])
  expect(strips[0]).toMatchObject({
    pieces: [
      { fromSecond: 0, states: [{ state: 'true', seconds: 60 }] },
      {
        fromSecond: 60,
        states: [
          { state: 'true', seconds: 15 },
          { state: 'false', seconds: 45 },
        ],
      },
    ],
    totals: [
      { state: 'true', seconds: 75, entries: 1 },
      { state: 'false', seconds: 45, entries: 1 },
    ],
  })
  const more = [...rows, [at(0), 'pump', 'mode', '3', 60, 1]]
  expect(stripsOf({ columns, rows: more }, { time: 'D', tags: ['T'] }).strips.map(({ name }) => name)).toEqual([
    'pump · on',
    'valve · on',
    'pump · mode',
  ])
})

test('a state is painted in proportion to its share of a bucket, with a minimum height', () => {
  const { strips } = stripsOf(
    { columns, rows: [...rows.slice(0, 1), [at(60), 'pump', 'on', 'false', 0.001, 1]] },
    { time: 'D', tags: ['T'] },
  )
  const painted = paintedOf(strips, 60)
  expect(painted.map(([x, , width]) => [x, width])).toEqual([
    [0, 60],
    [60, 60],
  ])
  expect(painted[0]![3]).toBeGreaterThan(40)
  expect(painted[1]![3]).toBe(2)
})

test('the 20 longest of many states are separate, and the others are merged into one that fits the strip', () => {
  // Each state lasts a second longer than the previous one. The states of another strip count only there.
  const many = Array.from({ length: 5000 }, (_, place) => [at(0), 'level', 'V', place / 7, place + 1, 1])
  const others = [
    [at(0), 'pump', 'V', 1 / 3, 5, 1],
    [at(0), 'pump', 'V', 2 / 3, 5, 1],
  ]
  const { strips } = stripsOf({ columns, rows: [...many, ...others] }, { time: 'D', tags: ['T'] })
  const { pieces, totals } = strips[0]!
  expect(strips.map(({ totals }) => totals[0])).toMatchObject([
    { state: null, count: 4980 },
    { state: null, count: 2 },
  ])
  expect(totals.map(({ entries }) => entries)).toEqual([4980, ...Array.from({ length: 20 }, () => 1)])
  expect(totals.slice(0, 3).map(({ state, seconds }) => [state, seconds])).toEqual([
    [null, (4980 * 4981) / 2],
    [String(4999 / 7), 5000],
    [String(4998 / 7), 4999],
  ])
  expect(pieces.map(({ states }) => states.length)).toEqual([21])
  const painted = paintedOf(strips.slice(0, 1), 12_502_500)
  const height = painted.reduce((sum, [, , , part]) => sum + part, 0)
  expect(height).toBeCloseTo(50.6)
})
