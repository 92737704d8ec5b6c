import { expect, test } from 'vitest'
import { describeName, type FileFormat } from './file-name.ts'

test.each<[fileName: string, name: string, format: FileFormat | null, delimiter?: string]>([
  ['readings.csv', 'readings', 'csv'],
  ['readings.v2.CSV.gz', 'readings.v2', 'csv'],
  ['readings.tsv', 'readings', 'csv', '\t'],
  ['readings.TSV.gz', 'readings', 'csv', '\t'],
  ['rows.ndjson', 'rows', 'ndjson'],
  ['rows.jsonl.gz', 'rows', 'ndjson'],
  ['rows.json', 'rows', 'json'],
  ['rows.lp.gz', 'rows', 'lp'],
  ['rows.txt', 'rows.txt', null],
  ['rows.gz', 'rows', null],
])('%s', (fileName, name, format, delimiter = ',') => {
  expect(describeName(fileName)).toEqual({ name, format, delimiter })
})
