import { expect, test } from 'vitest'
import { collectColumns, collectList } from './option-values.ts'

test.each([
  ['a', ['a']],
  ['a,b', ['a', 'b']],
  ['a,,b,', ['a', 'b']],
  ['a\\,b,c', ['a,b', 'c']],
  ['', []],
])('%j is %j', (text, parts) => {
  expect(collectList(text)).toEqual(parts)
})

test('a repeated option adds up', () => {
  expect(collectList('b,c', collectList('a'))).toEqual(['a', 'b', 'c'])
})

test.each([
  ['', ['']],
  [',x', ['', 'x']],
  ['a\\,b,c', ['a,b', 'c']],
])('the columns %j are %j', (text, columns) => {
  expect(collectColumns(text)).toEqual(columns)
})
