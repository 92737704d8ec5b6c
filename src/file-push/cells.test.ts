import { expect, test } from 'vitest'
import type { CsvCell } from '../lib/csv-parser.ts'
import { type CellConversion, type CellType, cellEncoder } from './cells.ts'
import { type DecimalMark, usualWriting } from './csv-writing.ts'

test.each<[CellType, CsvCell, string]>([
  ['double', '1.50', '1.50'],
  ['double', '-0', '-0'],
  ['double', '1e-7', '1e-7'],
  ['double', '007', '"007"'],
  ['double', '1.', '"1."'],
  ['double', '.5', '".5"'],
  ['double', '+1', '"+1"'],
  ['double', ' 1', '" 1"'],
  ['double', 'NaN', '"NaN"'],
  ['double', 'true', '"true"'],
  ['double', null, 'null'],
  ['double', '', 'null'],
  ['long', '9223372036854775807', '9223372036854775807'],
  ['long', 'x', '"x"'],
  ['boolean', 'true', 'true'],
  ['boolean', 'false', 'false'],
  ['boolean', 'True', '"True"'],
  ['boolean', '1', '"1"'],
  ['string', '12', '"12"'],
  ['string', 'true', '"true"'],
  ['string', 'a"b', '"a\\"b"'],
  ['string', '', '""'],
  ['string', null, 'null'],
  ['timestamp', '2014-04-10 00:02:00', '"2014-04-10 00:02:00"'],
  ['timestamp', '2014-04-10 00:02', '"2014-04-10 00:02"'],
  ['timestamp', '2014-04-10 00:02:00.125', '"2014-04-10 00:02:00.125"'],
  ['timestamp', '2026-10-25 00:00:00+02:00', '"2026-10-25 00:00:00+02:00"'],
  ['timestamp', '2026-10-25 00:00:00Z', '"2026-10-25 00:00:00Z"'],
  ['timestamp', '2026-10-25 00:00-05', '"2026-10-25 00:00-05"'],
  ['timestamp', '2026-10-25 00:00 CET', '"2026-10-25 00:00 CET"'],
  ['timestamp', '2014-04-10T00:02:00Z', '"2014-04-10T00:02:00Z"'],
  ['timestamp', '2014-04-10  00:02', '"2014-04-10  00:02"'],
  ['timestamp', '10.04.2014 00:02', '"10.04.2014 00:02"'],
  ['timestamp', '1397088120000', '1397088120000'],
  ['timestamp', '1397088120', '"1397088120"'],
  ['timestamp', '20140410', '"20140410"'],
  ['timestamp', '01397088120000', '"01397088120000"'],
  ['timestamp', ' 1397088120000 ', '1397088120000'],
  ['timestamp', null, 'null'],
  ['guess', '1.5', '1.5'],
  ['guess', 'true', 'true'],
  ['guess', 'a', '"a"'],
  ['guess', '2014-04-10 00:02', '"2014-04-10 00:02"'],
  ['guess', null, 'null'],
])('as %s, %j becomes %s', (type, cell, json) => {
  expect(cellEncoder(type)(cell)).toBe(json)
})

test.each<[CellType, CsvCell, string]>([
  ['double', '1,50', '1.50'],
  ['double', '-1,5e-7', '-1.5e-7'],
  ['double', '7', '7'],
  ['double', '1.500', '"1.500"'],
  ['double', '1.500,25', '1500.25'],
  ['long', '1.500.000', '1500000'],
  ['guess', '1.500,25', '"1.500,25"'],
  ['double', '1,500,000', '"1,500,000"'],
  ['long', '7', '7'],
  ['guess', '1,5', '1.5'],
  ['guess', 'true', 'true'],
  ['string', '1,5', '"1,5"'],
])('as %s with a decimal comma, %j becomes %s', (type, cell, json) => {
  expect(cellEncoder(type, { ...usualWriting, decimal: 'comma' })(cell)).toBe(json)
})

test.each<[CellConversion, DecimalMark, CsvCell, string]>([
  ['number', 'point', '+1.50', '1.50'],
  ['number', 'point', '.5', '0.5'],
  ['number', 'point', ' 7 ', '7'],
  ['number', 'point', '  ', 'null'],
  ['number', 'point', ' 1,081.5', '1081.5'],
  ['number', 'point', 'n/a', '"n/a"'],
  ['number', 'point', null, 'null'],
  ['number', 'comma', '+1,5 ', '1.5'],
  ['number', 'comma', '+1.5', '"+1.5"'],
  ['boolean', 'point', 'TRUE', 'true'],
  ['boolean', 'point', ' False', 'false'],
  ['boolean', 'point', '0', 'false'],
  ['boolean', 'point', 'on', '"on"'],
])('converted to a %s with a decimal %s, %j becomes %s', (conversion, decimal, cell, json) => {
  const type = conversion === 'number' ? 'double' : conversion
  expect(cellEncoder(type, { ...usualWriting, decimal }, conversion)(cell)).toBe(json)
})
