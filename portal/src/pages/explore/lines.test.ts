import { expect, test } from 'vitest'
import { joined, linesOf, merged, newestMs } from './lines.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()
const names = { time: 'D', tags: ['T'], fields: ['V', 'W'] }

test('each tag and field is a line, and what it has no item for is passed over', () => {
  const table = {
    columns: ['D', 'T', 'V', 'W'],
    rows: [
      [at(0), 'a', 1, 2],
      [at(30), 'a', null, 5],
      [at(60), 'b', 3, null],
      [at(60), 'a', 2, 9007199254740993n],
    ],
  }
  expect(linesOf(table, names)).toEqual({
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

test('each combination of several tags is a line', () => {
  const table = {
    columns: ['D', 'site', 'sensor', 'V'],
    rows: [
      [at(0), 'north', 'flow', 1],
      [at(0), 'north', 'temp', 2],
      [at(60), 'north', null, 3],
    ],
  }
  expect(linesOf(table, { time: 'D', tags: ['site', 'sensor'], fields: ['V'] })).toEqual({
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

test('combinations of one name are lines of their own', () => {
  const table = {
    columns: ['D', 'site', 'sensor', 'V'],
    rows: [
      [at(0), 'a / b', 'c', 1],
      [at(0), 'a', 'b / c', 2],
      [at(0), null, 'x', 3],
      [at(0), '–', 'x', 4],
    ],
  }
  const { names, data } = linesOf(table, { time: 'D', tags: ['site', 'sensor'], fields: ['V'] })
  expect(names).toEqual(['a / b / c', 'a / b / c', '– / x', '– / x'])
  expect(data).toEqual([[0], [1], [2], [3], [4]])
})

test('a tag that is null is no empty text', () => {
  const table = {
    columns: ['D', 'T', 'V'],
    rows: [
      [at(0), null, 1],
      [at(0), '', 2],
    ],
  }
  expect(linesOf(table, { ...names, fields: ['V'] })).toMatchObject({
    names: ['', '–'],
    data: [[0], [2], [1]],
  })
})

test('what is new takes the place of what it begins with', () => {
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

test('the rows of several answers come in the order of their times', () => {
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
