import { expect, test } from 'vitest'
import { describeName, type FileFormat } from './file-name.ts'

test.each<[string, string, FileFormat | null]>([
  ['readings.csv', 'readings', 'csv'],
  ['readings.v2.CSV.gz', 'readings.v2', 'csv'],
  ['rows.ndjson', 'rows', 'ndjson'],
  ['rows.jsonl.gz', 'rows', 'ndjson'],
  ['rows.json', 'rows', 'json'],
  ['rows.lp.gz', 'rows', 'lp'],
  ['rows.txt', 'rows.txt', null],
  ['rows.gz', 'rows', null],
])('%s', (fileName, name, format) => {
  expect(describeName(fileName)).toEqual({ name, format })
})
