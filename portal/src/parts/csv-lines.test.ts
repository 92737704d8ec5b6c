import { expect, test } from 'vitest'
import { csvLines } from './csv-lines.ts'
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

test('rows that end early have cells that are nothing, and names of columns are texts', () => {
  expect(csvLines({ columns: ['D', '=x'], rows: [['a'], ['b', 1]] })).toEqual(["D,'=x\r\n", 'a,\r\n', 'b,1\r\n'])
})

test.each([
  [['plant', '01PHD.OSP101.PV', 'average'], 'plant 01PHD.OSP101.PV average'],
  [['SELECT *\n  FROM "plant"\r\n'], 'SELECT - FROM -plant-'],
  [['../..\\x'], '-..-x'],
  [['a'.repeat(300)], 'a'.repeat(120)],
])('%j is the name of a file', (words, name) => {
  expect(fileNameOf(...words)).toBe(name)
})
