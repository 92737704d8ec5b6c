import { expect, test } from 'vitest'
import { parseLine } from '../../../lib/line-protocol/parse-line.ts'
import type { Field, FieldRole, FieldType } from '../../../model/field.ts'
import type { Ingest } from '../../../model/ingest.ts'
import { FieldColumn } from '../../columns/field-column.ts'
import { FieldScanner } from './field-scanner.ts'

const field = (name: string, type: FieldType, role: FieldRole): Field => ({ name, source: name, type, role })
const fields = [field('D', 'timestamp', 'time'), field('T', 'string', 'tag'), field('V', 'double', 'metric')]
const ingest: Ingest = {
  ...{ id: 1, alias: 'plant', kind: 'series', entity: 'plant', entityId: 1, fields, fieldsVersion: 1 },
  ...{ duplicates: 'keep', state: 'active', reason: null, createdMs: 0, lines: { tag: '{measurement}.{field}' } },
}

/** Reads lines of these series in turns and learns unknown ones, as the validator does; returns the number of known lines per turn. */
function turns(scanner: FieldScanner, names: readonly string[], count: number): number[] {
  return Array.from({ length: count }, () => {
    let known = 0
    for (const name of names) {
      const text = `${name} v=1 1000000`
      const end = scanner.read(Buffer.from(text), 0, 0, 10, 'ns', 0)
      if (end >= 0) known++
      else scanner.learn(parseLine(text))
    }
    return known
  })
}

const series = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`)

function scannerOf(keptBytesMax: number): FieldScanner {
  const columns = fields.map((each) => new FieldColumn(each, 1))
  for (const column of columns) column.begin(10, 1000)
  return new FieldScanner(ingest, columns, keptBytesMax)
}

test('knows all series from the second turn on if they fit', () => {
  expect(turns(scannerOf(1_000_000), series('a', 500), 3)).toEqual([0, 500, 500])
})

test('when more series come than fit, the cached ones stay', () => {
  const scanner = scannerOf(100_000)
  const [, second, third] = turns(scanner, series('a', 500), 3)
  expect(second).toBeGreaterThan(150)
  expect(third).toBe(second)
  expect(scanner.bytes).toBeLessThan(105_000)
})

test('new series replace those that no longer come', () => {
  const scanner = scannerOf(100_000)
  turns(scanner, series('a', 300), 2)
  expect(turns(scanner, series('b', 100), 20).at(-1)).toBe(100)
  expect(scanner.bytes).toBeLessThan(105_000)
})
