import { expect, test } from 'vitest'
import { usualGaps } from '../../parts/line-data.ts'
import { type DrawnField, joined, type Lines, linesOf, merged, newestMs } from './lines.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()
const line = (name: string): DrawnField => ({
  name,
  value: name,
  drawn: 'line',
  gapsOf: (seconds) => usualGaps(seconds),
})
const names = { time: 'D', tags: ['T'], fields: [line('V'), line('W')], untilSecond: 3600 }
/** The lines without the way in which each is drawn. */
const plain = ({ names, data, left }: Lines) => ({ names, data, left })

test('each tag and field is a line, which skips times without an item of its own', () => {
  const table = {
    columns: ['D', 'T', 'V', 'W'],
    rows: [
      [at(0), 'a', 1, 2],
      [at(30), 'a', null, 5],
      [at(60), 'b', 3, null],
      [at(60), 'a', 2, 9007199254740993n],
    ],
  }
  expect(plain(linesOf(table, names))).toEqual({
    names: ['a · V', 'a · W', 'b · V', 'b · W'],
    data: [
      [0, 30, 60],
      [1, undefined, 2],
      [2, 5, 9007199254740992],
      [undefined, undefined, 3],
      [undefined, undefined, undefined],
    ],
    left: 0,
  })
})

test('each line carries its tag and metric', () => {
  const table = { columns: ['D', 'T', 'V', 'W'], rows: [['2026-01-01T00:00:00.000Z', 'a', 1, 2]] }
  expect(linesOf(table, names)).toMatchObject({ names: ['a · V', 'a · W'], tags: ['a', 'a'], metrics: ['V', 'W'] })
})

test('each combination of several tags is a line', () => {
  const table = {
    columns: ['D', 'site', 'sensor', 'V'],
    rows: [
      [at(0), 'north', 'flow', 1],
      [at(0), 'north', 'temp', 2],
      [at(60), 'north', null, 3],
    ],
  }
  expect(plain(linesOf(table, { ...names, tags: ['site', 'sensor'], fields: [line('V')] }))).toEqual({
    names: ['north / flow', 'north / temp', 'north / –'],
    data: [
      [0, 60],
      [1, undefined],
      [2, undefined],
      [undefined, 3],
    ],
    left: 0,
  })
})

test('combinations with the same displayed name are separate lines', () => {
  const table = {
    columns: ['D', 'site', 'sensor', 'V'],
    rows: [
      [at(0), 'a / b', 'c', 1],
      [at(0), 'a', 'b / c', 2],
      [at(0), null, 'x', 3],
      [at(0), '–', 'x', 4],
    ],
  }
  const made = linesOf(table, { ...names, tags: ['site', 'sensor'], fields: [line('V')] })
  expect(made.names).toEqual(['a / b / c', 'a / b / c', '– / x', '– / x'])
  expect(made.data).toEqual([[0], [1], [2], [3], [4]])
})

test('a null tag differs from an empty string', () => {
  const table = {
    columns: ['D', 'T', 'V'],
    rows: [
      [at(0), null, 1],
      [at(0), '', 2],
    ],
  }
  expect(linesOf(table, { ...names, fields: [line('V')] })).toMatchObject({
    names: ['', '–'],
    data: [[0], [2], [1]],
  })
})

test('new rows replace old rows from their first date on, and rows before the range are dropped', () => {
  const old = {
    columns: ['D', 'V'],
    rows: [
      [at(0), 1],
      [at(60), 2],
    ],
  }
  const fresh = {
    columns: ['D', 'V'],
    rows: [
      [at(60), 3],
      [at(120), 4],
    ],
  }
  expect(newestMs(old, 'D')).toBe(60_000)
  expect(joined(old, fresh, 'D', 60_000, 30_000).rows).toEqual([
    [at(60), 3],
    [at(120), 4],
  ])
})

test('the rows of several answers are merged in order of time', () => {
  const columns = ['T', 'D', 'V']
  const one = { columns, rows: [at(0), at(60)].map((date) => ['a', date, 1]) }
  const other = { columns, rows: [at(0), at(30)].map((date) => ['b', date, 2]) }
  expect(merged([{ columns: [], rows: [] }, one, other], 'D')).toEqual({
    columns,
    rows: [
      ['a', at(0), 1],
      ['b', at(0), 2],
      ['b', at(30), 2],
      ['a', at(60), 1],
    ],
  })
})

const table = (...rows: readonly (readonly [second: number, ...values: (number | null)[]])[]) => ({
  columns: ['D', 'T', 'V', 'V.min', 'V.max'],
  rows: rows.map(([second, ...values]) => [at(second), 'a', ...values]),
})
const one = { ...names, fields: [line('V')] }

test('a line is extended to the last item before the range and the next one after it', () => {
  const { data } = linesOf(table([10, 1], [20, 2]), one, [table([-5, 0]), table([30, 3])])
  expect(data).toEqual([
    [-5, 10, 20, 30],
    [0, 1, 2, 3],
  ])
})

test.each([
  ['until the current time', Number.POSITIVE_INFINITY, [10, 20, 100], [1, 0, 0]],
  ['for at most holdsSeconds, and is unknown after that', 5, [10, 15, 17.5, 20, 25], [1, 1, null, 0, 0]],
])('a step extends %s', (_, holdsSeconds, times, values) => {
  const step: DrawnField = { ...line('V'), drawn: 'step', holdsSeconds }
  const columns = { ...names, fields: [step], untilSecond: 100 }
  expect(linesOf(table([10, 1], [20, 0]), columns).data).toEqual([times, values])
  expect(linesOf(table(), columns, [table([-5, 7])]).data[1]).toEqual([7, 7])
})

test('a bucket cut by the range is drawn dashed, from the start of the range', () => {
  const isPartial = (second: number): boolean => second === 10 || second === 100
  const columns = { ...one, bucketsFrom: 10, isPartial }
  const { data, lines } = linesOf(table([0, 1], [40, 2], [70, 3], [100, 4]), columns)
  expect(data).toEqual([
    [10, 40, 55, 70, 100],
    [undefined, 2, undefined, 3, undefined],
    [1, 2, null, 3, 4],
  ])
  expect(lines).toMatchObject([{ drawn: 'line' }, { drawn: 'line', dashed: true, color: 0 }])
  // A single bucket draws no dashed line.
  expect(linesOf(table([0, 1]), columns).data).toEqual([[10], [1]])
})

test('a band has the minimum and maximum of each bucket', () => {
  const band: DrawnField = { ...line('V'), band: { low: 'V.min', high: 'V.max' } }
  const { data, lines, bands } = linesOf(table([0, 2, 1, 3], [60, 5, 4, 6]), { ...names, fields: [band] })
  expect(data.slice(1)).toEqual([
    [2, 5],
    [1, 4],
    [3, 6],
  ])
  expect(bands).toEqual([{ low: 1, high: 2 }])
  expect(lines.map(({ drawn, color }) => [drawn, color])).toEqual([
    ['line', 0],
    ['edge', 0],
    ['edge', 0],
  ])
})
