import { expect, test } from 'vitest'
import { collectColumns, collectList } from './option-values.ts'

test.each([
  ['a', ['a']],
  ['a,b', ['a', 'b']],
  ['a,,b,', ['a', 'b']],
  ['a\\,b,c', ['a,b', 'c']],
  ['', []],
])('the list %j is split into %j', (text, parts) => {
  expect(collectList(text)).toEqual(parts)
})

test('the values of a repeated option are appended', () => {
  expect(collectList('b,c', collectList('a'))).toEqual(['a', 'b', 'c'])
})

test.each([
  ['', ['']],
  [',x', ['', 'x']],
  ['a\\,b,c', ['a,b', 'c']],
])('the columns %j are split into %j', (text, columns) => {
  expect(collectColumns(text)).toEqual(columns)
})
