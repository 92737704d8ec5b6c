import { expect, test } from 'vitest'
import type { CellType } from './cells.ts'
import { csvToNdjson } from './csv-rows.ts'

interface Given {
  readonly columns?: Record<string, string>
  readonly constants?: Record<string, string>
  readonly dropped?: string[]
  readonly types?: Record<string, CellType>
}

async function rowsOf(
  csv: string | Uint8Array,
  { columns = {}, constants = {}, dropped = [], types = {} }: Given = {},
) {
  const mapping = {
    columns: new Map(Object.entries(columns)),
    constants: new Map(Object.entries(constants)),
    dropped: new Set(dropped),
    typeOf: (property: string) => types[property] ?? 'guess',
  }
  const bytes = Buffer.from(csv)
  const input = (async function* () {
    for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3)
  })()
  const parts: Uint8Array[] = []
  for await (const part of csvToNdjson(input, mapping, { recordCharsMax: 1000 })) parts.push(part)
  return Buffer.concat(parts).toString().split('\n').slice(0, -1)
}

test.each<[string, string, Given, string[]]>([
  [
    'columns become properties',
    'D,T,V\nx,a,1.50\ny,é,\n',
    {},
    ['{"D":"x","T":"a","V":1.50}', '{"D":"y","T":"é","V":null}'],
  ],
  [
    'renamed columns and a constant',
    'timestamp,value\r\n2014-04-10 00:02:00,91.958\r\n',
    {
      columns: { timestamp: 'D', value: 'V' },
      constants: { T: 'ec2 1' },
      types: { D: 'timestamp', T: 'string', V: 'double' },
    },
    ['{"D":"2014-04-10 00:02:00","V":91.958,"T":"ec2 1"}'],
  ],
  ['a dropped column', ',V\n0,1\n1,2\n', { dropped: [''] }, ['{"V":1}', '{"V":2}']],
  [
    'constants written by their types',
    'V\n1\n',
    { constants: { n: '7', s: '7' }, types: { s: 'string' } },
    ['{"V":1,"n":7,"s":"7"}'],
  ],
  ['only a header', 'D,T,V\n', {}, []],
  ['an empty file', '', {}, []],
])('%s', async (_, csv, given, rows) => {
  expect(await rowsOf(csv, given)).toEqual(rows)
})

test.each<[string, string | Uint8Array, Given, string]>([
  ['too few cells', 'a,b\n1,2\n3\n', {}, 'line 3: there are 1 cells, and the header has 2 columns'],
  [
    'too many cells',
    'a\n1,2\n',
    {},
    'line 2: there are 2 cells, and the header has 1 columns. A cell with the delimiter in it, such as 2,5 in a file with commas, needs double quotes',
  ],
  ['a duplicate column', 'a,a\n', {}, 'line 1: the header has the column "a" twice'],
  ['an unknown column', 'a,b\n', { columns: { c: 'V' } }, 'line 1: the header has no column "c"; there are: a, b'],
  ['an unknown column to drop', 'a,b\n', { dropped: ['c'] }, 'line 1: the header has no column "c"'],
  ['a duplicate property', 'V,value\n', { columns: { value: 'V' } }, 'line 1: "V" is given twice'],
  ['a constant for an existing column', 'V,T\n', { constants: { T: 'x' } }, 'line 1: "T" is given twice'],
  [
    'an encoding other than UTF-8',
    Buffer.from([0x61, 0x0a, 0xe9, 0x0a]),
    {},
    'line 2: the file is not UTF-8: the byte 0xE9 at offset 2 is invalid. It is probably Windows-1252',
  ],
])('%s is refused', async (_, csv, given, message) => {
  await expect(rowsOf(csv, given)).rejects.toThrow(message)
})
