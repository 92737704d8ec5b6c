import { expect, test } from 'vitest'
import { csvLines, wideTable } from './csv-lines.ts'
import { fileNameOf } from './save-file.ts'

test.each<[unknown, string]>([
  ['=1+1', "'=1+1"],
  ['+34 600', "'+34 600"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ['a=1', 'a=1'],
  [' =1', ' =1'],
  [-1.5, '-1.5'],
  [-1e-7, '-1e-7'],
  [1 / 3, '0.3333333333333333'],
  [-9223372036854775808n, '-9223372036854775808'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  ['', '""'],
  ['a,"b"\r\nc', '"a,""b""\r\nc"'],
  [[9007199254740993n, 'x'], '"[9007199254740993,""x""]"'],
])('%s is written as %s', (value, text) => {
  expect(csvLines({ columns: ['V'], rows: [[value]] })).toEqual(['V\r\n', `${text}\r\n`])
})

test('short rows are padded with empty cells, and formulas in column names are escaped', () => {
  expect(csvLines({ columns: ['D', '=x'], rows: [['a'], ['b', 1]] })).toEqual(["D,'=x\r\n", 'a,\r\n', 'b,1\r\n'])
})

test.each([
  [['plant', '01PHD.OSP101.PV', 'average'], 'plant 01PHD.OSP101.PV average'],
  [['SELECT *\n  FROM "plant"\r\n'], 'SELECT - FROM -plant-'],
  [['../..\\x'], '-..-x'],
  [['a'.repeat(300)], 'a'.repeat(120)],
])('%j becomes a safe file name', (words, name) => {
  expect(fileNameOf(...words)).toBe(name)
})

test('a decimal comma makes the delimiter a semicolon, and chosen time columns are written in local time', () => {
  const clock = { columns: ['D'], zone: 'Europe/Madrid' }
  const table = { columns: ['D', 'T', 'V'], rows: [['2026-07-01T10:00:00.000Z', '2026-07-01T10:00:00.000Z', -1.5e-7]] }
  expect(csvLines(table, { decimal: ',', clock })).toEqual([
    'D;T;V\r\n',
    '2026-07-01 12:00:00;2026-07-01T10:00:00.000Z;-1,5e-7\r\n',
  ])
  expect(csvLines({ columns: ['T'], rows: [['a;b']] })).toEqual(['T\r\n', '"a;b"\r\n'])
})

test('a wide table has a row for each time and a column for each line', () => {
  const rows = [
    [1, 'b', 20],
    [1, 'a', 10],
    [2, 'b', 21],
  ]
  expect(wideTable({ columns: ['D', 'T', 'V'], rows }, 'D', ['T'])).toEqual({
    columns: ['D', 'a', 'b'],
    rows: [
      [1, 10, 20],
      [2, undefined, 21],
    ],
  })
  const two = [[1, 'a', 'x', 5, 6]]
  expect(wideTable({ columns: ['D', 'T', 'S', 'V', 'W'], rows: two }, 'D', ['T', 'S'])).toEqual({
    columns: ['D', 'a / x V', 'a / x W'],
    rows: [[1, 5, 6]],
  })
})
