import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawFrom } from '../../../../test/support/random-rows.ts'
import { WatchedPacer } from '../../../../test/support/watched-pacer.ts'
import { type Chunk, exactOf, newChunk, newColumn } from '../head/chunk.ts'
import { replaceManyRows, replaceRows } from './replace-rows.ts'

/** `value` is absent if the row does not have the property. `origin` is the position of the row that the value came with, if that is another row. */
interface Row {
  readonly ms: number
  readonly position: number
  readonly value?: bigint | null
  readonly origin?: number
}

const columns = [{ index: 0, originIndex: 1 }]

function chunkOf(rows: readonly Row[]): Chunk {
  const chunk = newChunk(rows.length)
  const values = newColumn('long', rows.length, [])
  const origins = newColumn('long', rows.length, [])
  if (values.type !== 'long' || origins.type !== 'long') throw new Error('longs are asked for')
  for (const [index, { ms, position, value, origin }] of rows.entries()) {
    chunk.times[index] = ms
    chunk.positions[index] = position
    if (value !== undefined && value !== null) {
      values.values[index] = Number(value)
      exactOf(values)[index] = value
    }
    if (origin !== undefined) origins.values[index] = origin
    else if (value === null) origins.values[index] = position
  }
  chunk.columns.push(values, origins)
  return chunk
}

function rowsOf(chunk: Chunk, rows: number): Row[] {
  const [values, origins] = chunk.columns
  if (values?.type !== 'long' || origins?.type !== 'long') throw new Error('both are longs')
  return Array.from({ length: rows }, (_, row) => {
    const position = chunk.positions[row]
    const hasOrigin = !Number.isNaN(origins.values[row])
    const isNull = Number.isNaN(values.values[row])
    const origin = hasOrigin && origins.values[row] !== position ? { origin: origins.values[row] } : {}
    const value = isNull ? (hasOrigin ? { value: null } : {}) : { value: exactOf(values)[row] }
    return { ms: chunk.times[row], position, ...value, ...origin }
  })
}

function replaced(rows: readonly Row[]): Row[] {
  const chunk = chunkOf(rows)
  return rowsOf(chunk, replaceRows(chunk, rows.length, columns))
}

test.each<[string, readonly Row[], readonly Row[]]>([
  ['no rows', [], []],
  [
    'rows of different dates',
    [
      { ms: 1, position: 1, value: 1n },
      { ms: 2, position: 2, value: null },
      { ms: 3, position: 3 },
    ],
    [
      { ms: 1, position: 1, value: 1n },
      { ms: 2, position: 2, value: null },
      { ms: 3, position: 3 },
    ],
  ],
  [
    'a newer value',
    [
      { ms: 1, position: 1, value: 1n },
      { ms: 1, position: 2, value: 2n },
    ],
    [{ ms: 1, position: 2, value: 2n }],
  ],
  [
    'a newer value that precedes the older one',
    [
      { ms: 1, position: 2, value: 2n },
      { ms: 1, position: 1, value: 1n },
    ],
    [{ ms: 1, position: 2, value: 2n }],
  ],
  [
    'a newer null',
    [
      { ms: 1, position: 1, value: 1n },
      { ms: 1, position: 2, value: null },
    ],
    [{ ms: 1, position: 2, value: null }],
  ],
  [
    'a newer row without the property',
    [
      { ms: 1, position: 1, value: 1n },
      { ms: 1, position: 2 },
    ],
    [{ ms: 1, position: 2, value: 1n, origin: 1 }],
  ],
  [
    'a row between the newest and the origin of its value',
    [
      { ms: 1, position: 3, value: 1n, origin: 1 },
      { ms: 1, position: 2, value: 2n },
    ],
    [{ ms: 1, position: 3, value: 2n, origin: 2 }],
  ],
  [
    'a row older than the origin',
    [
      { ms: 1, position: 3, value: 2n, origin: 2 },
      { ms: 1, position: 1, value: null },
    ],
    [{ ms: 1, position: 3, value: 2n, origin: 2 }],
  ],
  [
    'adjacent rows, which are moved together',
    [
      { ms: 1, position: 1 },
      { ms: 1, position: 2 },
      { ms: 5, position: 3, value: 2n ** 60n + 1n },
      { ms: 6, position: 4, value: null },
    ],
    [
      { ms: 1, position: 2 },
      { ms: 5, position: 3, value: 2n ** 60n + 1n },
      { ms: 6, position: 4, value: null },
    ],
  ],
])('replaces rows: %s', (_, rows, expected) => {
  expect(replaced(rows)).toEqual(expected)
})

const pushes = fc.uniqueArray(
  fc.record({
    ms: fc.nat(3),
    position: fc.nat(30),
    pushed: fc.constantFrom({}, { value: null }, { value: 7n }, { value: 2n ** 61n + 1n }),
  }),
  { selector: ({ position }) => position, maxLength: 12 },
)

test('the result does not depend on the steps or the order in which rows are combined', () => {
  fc.assert(
    fc.property(pushes, fc.nat(12), (all, cut) => {
      const rows = all.map(({ ms, position, pushed }): Row => ({ ms, position, ...pushed }))
      const byTime = (some: readonly Row[]): Row[] => some.toSorted((left, right) => left.ms - right.ms)
      const parts = [replaced(byTime(rows.slice(cut))), replaced(byTime(rows.slice(0, cut)))]
      expect(replaced(byTime(parts.flat()))).toEqual(replaced(byTime(rows)))
    }),
  )
})

test.each([1, 3, 5000, 100_000])(
  'replacing in slices equals replacing at once, with %i rows of a date',
  async (rowsOfDate) => {
    const draw = drawFrom(rowsOfDate)
    const rows = Array.from({ length: 20_000 }, (_, place): Row => {
      const ms = Math.floor(place / rowsOfDate)
      const pushed = [{}, { value: null }, { value: BigInt(place) }][draw(3)]
      return { ms, position: place ^ 5, ...pushed }
    })
    const atOnce = chunkOf(rows)
    const inSlices = chunkOf(rows)
    const pacer = new WatchedPacer({ sliceMs: 0, signal: new AbortController().signal })
    const left = await replaceManyRows(inSlices, rows.length, columns, pacer)
    expect(rowsOf(inSlices, left)).toEqual(rowsOf(atOnce, replaceRows(atOnce, rows.length, columns)))
    expect(pacer.stepMax).toBeLessThanOrEqual(8192)
    expect(pacer.spent).toBe(rows.length)
  },
)
