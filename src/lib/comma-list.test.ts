import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCommaList, writeCommaLists } from './comma-list.ts'

test.each<[string, readonly string[]]>([
  ['', ['']],
  ['a', ['a']],
  ['a,b', ['a', 'b']],
  [',', ['', '']],
  ['a,,b', ['a', '', 'b']],
  ['a\\,b,c', ['a,b', 'c']],
  ['a\\\\,b', ['a\\,b']],
  ['C:\\a,b\\', ['C:\\a', 'b\\']],
  [' a , b ', [' a ', ' b ']],
])('%j is read as %j', (text, parts) => {
  expect(readCommaList(text)).toEqual(parts)
})

test.each<[readonly string[], readonly string[]]>([
  [[], []],
  [[''], ['']],
  [['a', 'b,c'], ['a,b\\,c']],
  [
    ['a\\', 'b'],
    ['a\\', 'b'],
  ],
  [['a', 'b\\'], ['a,b\\']],
])('%j is written as %j', (parts, lists) => {
  expect(writeCommaLists(parts)).toEqual(lists)
})

test('any parts are read back as they were written', () => {
  const part = fc.string({ unit: fc.constantFrom('a', ',', '\\', ' ', '"', 'é') })
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(writeCommaLists(parts).flatMap(readCommaList)).toEqual(parts)
    }),
  )
})
