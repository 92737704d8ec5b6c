// `src/ingest/line-validator.test.ts` tests the parsed values; this file tests which lines the fast path reads.
import { expect, test } from 'vitest'
import type { Field, FieldRole, FieldType } from '../../../model/field.ts'
import { FieldColumn } from '../../columns/field-column.ts'
import { LineScanner } from './line-scanner.ts'

const field = (name: string, type: FieldType, role: FieldRole): Field => ({ name, source: name, type, role })
const fields = [
  field('time', 'timestamp', 'time'),
  field('measurement', 'string', 'tag'),
  field('host', 'string', 'dimension'),
  field('v', 'double', 'metric'),
  field('s', 'string', 'metric'),
]
const sources = new Map(fields.map(({ name }, index) => [name, index]))

/** The texts of the line's row; null where the line needs the slow path. */
function read(line: string): readonly (string | null)[] | null {
  const columns = fields.map((each) => new FieldColumn(each, 1))
  for (const column of columns) column.begin(1, 1000)
  const end = new LineScanner(columns, sources).read(Buffer.from(line), 0, 0, 'ns', 0)
  if (end < 0) return null
  expect(end).toBe(line.length)
  return columns
    .filter(({ type }) => type === 'string')
    .map(({ strings, codes }) => strings.dictionary[codes[0]!] ?? null)
}

test.each<[string, readonly (string | null)[]]>([
  ['cpu,host=a v=1', ['cpu', 'a', null]],
  ['disk\\ io\\,sda,host=area\\ 7\\=b v=1', ['disk io,sda', 'area 7=b', null]],
  ['cpu,host=a\\  v=1', ['cpu', 'a ', null]],
  ['log,host=a s="said \\"no\\", C:\\\\x"', ['log', 'a', 'said "no", C:\\x']],
])('the fast path reads %s', (line, texts) => {
  expect(read(line)).toEqual(texts)
})

test.each([
  'cpu,host=a\\b v=1',
  'cpu,host=a\\\\ v=1',
  'cpu,host=a" v=1',
  'cpu,host=a\\',
  'cpu\\=a\\n v=1',
  'log s="a\\nb"',
  'log s="a\\"',
  'log s="a',
  'cpu,host=a\\ b',
])('the fast path refuses %s', (line) => {
  expect(read(line)).toBeNull()
})
