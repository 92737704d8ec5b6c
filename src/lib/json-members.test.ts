import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonMembers } from './json-members.ts'

const pairs = (text: string): string[][] => jsonMembers(text).map(({ name, value }) => [name, value])

test.each([
  ['{}', []],
  ['{"V":90071992547409931}', [['V', '90071992547409931']]],
  [
    ' { "a" : 1.50 , "b" : null } ',
    [
      ['a', '1.50'],
      ['b', 'null'],
    ],
  ],
  [
    '{"a\\"":"x,}","b":[1,{"c":2}],"d":true}',
    [
      ['a"', '"x,}"'],
      ['b', '[1,{"c":2}]'],
      ['d', 'true'],
    ],
  ],
])('%s', (text, expected) => {
  expect(pairs(text)).toEqual(expected)
})

test('refuses an array', () => {
  expect(() => jsonMembers('[1]')).toThrow('not a JSON object')
})

test('agrees with JSON.parse', () => {
  const values = fc.oneof(
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), values)), (members) => {
      const object = Object.fromEntries(members)
      const read = jsonMembers(JSON.stringify(object)).map(({ name, value }) => [name, JSON.parse(value)])
      expect(read).toEqual(Object.entries(JSON.parse(JSON.stringify(object))))
    }),
  )
})
