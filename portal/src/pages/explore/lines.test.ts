import { expect, test } from 'vitest'
import { joined, linesOf, newestMs } from './lines.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()
const names = { time: 'D', tags: ['T'], fields: ['V', 'W'] }

test('each tag and field is a line; a bucket without a row is a gap', () => {
  const table = {
    columns: ['D', 'T', 'V', 'W'],
    rows: [
      [at(0), 'a', 1, 2],
      [at(60), 'b', 3, null],
    ],
  }
  expect(linesOf(table, names, null)).toEqual({
    names: ['a · V', 'a · W', 'b · V', 'b · W'],
    data: [
      [0, 60],
      [1, null],
      [2, null],
      [null, 3],
      [null, null],
    ],
    left: 0,
  })
})

test('a tag that has no item where another has one is no gap in raw items', () => {
  const table = {
    columns: ['D', 'T', 'V'],
    rows: [
      [at(1), 'a', 1],
      [at(2), 'b', 2],
    ],
  }
  expect(linesOf(table, { ...names, fields: ['V'] }, undefined)).toMatchObject({
    names: ['a', 'b'],
    data: [
      [1, 2],
      [1, undefined],
      [undefined, 2],
    ],
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
  expect(linesOf(table, { time: 'D', tags: ['site', 'sensor'], fields: ['V'] }, undefined)).toEqual({
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
  const { names, data } = linesOf(table, { time: 'D', tags: ['site', 'sensor'], fields: ['V'] }, undefined)
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
  expect(linesOf(table, { ...names, fields: ['V'] }, undefined)).toMatchObject({
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
