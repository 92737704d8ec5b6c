import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonRows } from './json-rows.ts'

function split(chunks: readonly string[], rowBytesMax = 1000): string[] {
  const splitter = new JsonRows({ rowBytesMax })
  const rows = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)))
  splitter.end()
  return rows.map((row) => Buffer.from(row).toString())
}

test.each<[string, string[]]>([
  ['[]', []],
  [' [ ]\n', []],
  ['{"V":1.50}', ['{"V":1.50}']],
  [' {"V":{"a":[1]}} \n', ['{"V":{"a":[1]}}']],
  ['[{"V":90071992547409931}]', ['{"V":90071992547409931}']],
  ['[{"a":"]},{"},{"b":"\\"]"}]', ['{"a":"]},{"}', '{"b":"\\"]"}']],
  ['[{"a":"\\\\"},{"b":1}]', ['{"a":"\\\\"}', '{"b":1}']],
  ['[\n  {"a": 1},\n  5,\n  null,\n  [1,2],\n  "x"\n]', ['{"a": 1}', '5', 'null', '[1,2]', '"x"\n']],
])('%j', (text, rows) => {
  expect(split([text])).toEqual(rows)
  expect(split([...text])).toEqual(rows)
})

test.each([
  ['', 'the text is empty'],
  ['  ', 'the text is empty'],
  ['5', 'neither a JSON object nor an array'],
  ['[1,]', 'a row is missing after row 1'],
  ['[,1]', 'a row is missing after row 0'],
  ['[1,,2]', 'a row is missing after row 1'],
  ['[1', 'ends too early, after row 0'],
  ['[{"a":"x', 'ends too early, after row 0'],
  ['[1,2', 'ends too early, after row 1'],
  ['{"a":1', 'ends too early, after row 0'],
  ['[1}', 'a closing brace too many after row 0'],
  ['[1] 2', 'more text after the end of the JSON array'],
  ['{} {}', 'more text after the end of the JSON object'],
])('refuses %j', (text, message) => {
  expect(() => split([text])).toThrow(message)
  expect(() => split([...text])).toThrow(message)
})

test('refuses a row that never ends', () => {
  expect(() => split(['[{"a":"', 'x'.repeat(60), 'x'.repeat(60)], 100)).toThrow('row 1 has more than 100 bytes')
})

test('returns the rows of any array like JSON.parse, wherever the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 6 }),
      fc.constantFrom(0, 2),
      fc.array(fc.nat(300), { maxLength: 8 }),
      (rows, indent, cuts) => {
        const bytes = Buffer.from(JSON.stringify(rows, null, indent))
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const splitter = new JsonRows({ rowBytesMax: 1_000_000 })
        const found = places.slice(1).flatMap((place, index) => splitter.push(bytes.subarray(places[index], place)))
        splitter.end()
        expect(found.map((row) => JSON.parse(Buffer.from(row).toString()))).toEqual(JSON.parse(bytes.toString()))
      },
    ),
  )
})
