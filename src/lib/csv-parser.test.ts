import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allLines, type CsvCell, CsvError, type CsvLines, CsvParser } from './csv-parser.ts'

const recordCharsMax = 1000

function read(chunks: readonly string[]): (readonly CsvCell[])[] {
  const reader = new CsvParser({ recordCharsMax })
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()].map((record) => record.cells)
}

describe('records', () => {
  test.each<[string, CsvCell[][]]>([
    ['', []],
    ['a', [['a']]],
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,,c', [['a', null, 'c']]],
    ['sep=;\na\n', [['a']]],
    ['"sep=,"\r\na\r\n', [['a']]],
    ['sep=,\r\na,b', [['a', 'b']]],
    ['sep=\t', []],
    ['a\nsep=;\n', [['a'], ['sep=;']]],
    ['sep=ab\n', [['sep=ab']]],
    [',', [[null, null]]],
    ['a,', [['a', null]]],
    ['a,\n', [['a', null]]],
    ['"",x', [['', 'x']]],
    ['x,""', [['x', '']]],
    ['""\n', [['']]],
    ['"a,b","c\nd"', [['a,b', 'c\nd']]],
    ['"a""b",""""', [['a"b', '"']]],
    ['5" pipe,x', [['5" pipe', 'x']]],
    [' a , b ', [[' a ', ' b ']]],
    ['a, "b, c" ,"d" \r\n', [['a', 'b, c', 'd']]],
    ['a\n\n\r\nb\n', [['a'], ['b']]],
    // The line ends of Excel for Mac, and of tools that convert LF to CRLF twice.
    ['a\rb,c\r\r"d"\r', [['a'], ['b', 'c'], ['d']]],
    [
      'a,b\r\r\nc,"d"\r\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a,"b\rc"\r', [['a', 'b\rc']]],
    ['"a"\r\n"b"\r', [['a'], ['b']]],
  ])('%j', (text, records) => {
    expect(read([text])).toEqual(records)
    expect(read([...text])).toEqual(records)
  })

  test.each<[Partial<CsvLines>, string, number[]]>([
    [{ skipLines: 2 }, 'a "b\n\nh\n1\n', [3, 4]],
    [{ headerLine: 2 }, 'a "b\nh\n1\n', [2, 3]],
    [{ headerLine: 2, skipLines: 4 }, 'a\nh\n"b\nc\n1\n', [2, 5]],
    [{ headerLine: 4, skipLines: 1 }, 'a\nb\nc\nh\n1\n', [4, 5]],
    [{ comment: '#' }, '# a "\nh\n#b\n1\n#c', [2, 4]],
    [{ comment: '//', headerLine: 1 }, '// h\n1\n//2\n/3\n', [1, 2, 4]],
    [{ skipLines: 9 }, 'a\nb', []],
    [{ comment: '#', skipLines: 1 }, 'a\r# b\rh\r#c\r1\r', [3, 5]],
  ])('%j skips lines of %j', (lines, text, found) => {
    for (const chunks of [[text], [...text]]) {
      const reader = new CsvParser({ recordCharsMax, lines: { ...allLines, ...lines } })
      const records = [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
      expect(records.map(({ line }) => line)).toEqual(found)
    }
  })

  test('each record has the number of its first line', () => {
    const reader = new CsvParser({ recordCharsMax })
    const records = reader.push('h\n"a\nb"\n\nc\n')
    expect(records.map((record) => record.line)).toEqual([1, 2, 5])
  })

  test.each([
    ['a\n"b', 'line 2: a quote is opened and never closed'],
    ['a\n"b"c\n', 'line 2: after a closing quote comes the next cell or a new line'],
    [`"${'x'.repeat(2000)}`, 'line 1: a record of more than 1000 characters; is a quote left open?'],
  ])('refuses %j', (text, message) => {
    expect(() => read([text])).toThrow(CsvError)
    expect(() => read([text])).toThrow(message)
  })
})

const cell = fc.oneof(
  fc.constant<CsvCell>(null),
  fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'é', ' ') }),
)
const written = (value: CsvCell): string => (value === null ? '' : `"${value.replaceAll('"', '""')}"`)

test('reads back what was written, wherever the text is split', () => {
  const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(
      records,
      fc.constantFrom('\n', '\r\n', '\r', '\r\r\n'),
      fc.array(fc.nat(80), { maxLength: 8 }),
      (rows, ending, cuts) => {
        const text = rows.map((row) => row.map(written).join(',') + ending).join('')
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
        const chunks = places.slice(1).map((place, index) => text.slice(places[index], place))
        expect(read(chunks)).toEqual(rows)
      },
    ),
  )
})
