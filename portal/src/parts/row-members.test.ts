import { expect, test } from 'vitest'
import { faultIn, membersOf, oneLine } from './row-members.ts'

test.each<[string, string | null, string | null]>([
  ['{"D":"x","V":"warm"}', 'V', '"V":"warm"'],
  ['{ "a" : {"V": 1, "b": [1,{"V":2}]}, "V" : [1, 2] }', 'V', '"V" : [1, 2]'],
  ['{"V":1,"V":"twice"}', 'V', '"V":"twice"'],
  ['{"a\\"b":1}', 'a"b', '"a\\"b":1'],
  ['{"<script>":"</script>"}', '<script>', '"<script>":"</script>"'],
  ['{"\\u0056":2}', 'V', '"\\u0056":2'],
  ['{"D":1}', 'V', null],
  ['[1]', 'V', null],
  ['{"D":', 'D', null],
  ['not json', null, null],
  ['{"D":1}', null, null],
])('in %s the fault in field %j is marked as %j', (row, field, marked) => {
  const fault = faultIn(row, field)
  expect(fault && row.slice(fault.start, fault.end)).toBe(marked)
})

test('finds members with their names and values', () => {
  expect(membersOf('{"T":"a","V":-1.5e3,"x":null}')?.map(({ name, value }) => [name, value])).toEqual([
    ['T', '"a"'],
    ['V', '-1.5e3'],
    ['x', 'null'],
  ])
})

test('a row becomes one line of NDJSON', () => {
  expect(oneLine('{\n  "a": "x\\n"\r\n}')).toBe('{   "a": "x\\n" }')
})
