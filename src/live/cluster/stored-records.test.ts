import { expect, test } from 'vitest'
import { nullCode, valueAt } from '../../model/column.ts'
import type { EntityField } from '../../model/entity.ts'
import type { RowBatch } from '../../model/row-batch.ts'
import { RowJson } from '../../partitions/row-json.ts'
import { lastRowOf, storedRows } from './stored-records.ts'

const fields: readonly EntityField[] = [
  { name: 'D', role: 'time', type: 'timestamp' },
  { name: 'T', role: 'tag', type: 'string' },
  { name: 'X', role: 'metric', type: 'double' },
  { name: 'N', role: 'metric', type: 'long' },
  { name: 'OK', role: 'dimension', type: 'boolean' },
  { name: 'At', role: 'dimension', type: 'timestamp' },
]
const batch: RowBatch = {
  entityId: 3,
  rows: 3,
  positions: Float64Array.of(512, 513, 515),
  fields,
  columns: [
    { type: 'timestamp', values: Float64Array.of(1_700_000_000_000, -1, 0) },
    { type: 'string', codes: Int32Array.of(0, 1, nullCode), dictionary: ['a 12345678901234567', 'ü\n"'] },
    { type: 'double', values: Float64Array.of(0.1, Number.NaN, 12345678901234567000) },
    {
      type: 'long',
      values: Float64Array.of(5, Number.NaN, 2 ** 60),
      exact: BigInt64Array.of(5n, 0n, 2n ** 60n + 1n),
    },
    { type: 'boolean', values: Uint8Array.of(1, 0, 2) },
    { type: 'timestamp', values: Float64Array.of(Number.NaN, 1, 2) },
  ],
}

test('a record is read back as the rows that were written', () => {
  const [value] = new RowJson(fields).records(batch)
  const { batch: read, replayPosition } = storedRows({ id: 3, fields }, { offset: 40, value: value! })
  const valuesOf = ({ columns }: RowBatch) => columns.map((column) => [0, 1, 2].map((row) => valueAt(column, row)))
  expect(valuesOf(read)).toEqual(valuesOf(batch))
  expect(read).toMatchObject({ entityId: 3, rows: 3, positions: batch.positions })
  expect(replayPosition).toBe(40)
  expect(lastRowOf({ offset: 40, value: value! })).toEqual({ position: 515, ms: 0 })
})

test('a field missing from the rows is null, a field unknown to the entity is ignored', () => {
  const value = Buffer.from('{"__time":1,"Y":2,":position":9}\n')
  const { batch: read } = storedRows({ id: 3, fields: fields.slice(0, 3) }, { offset: 1, value })
  expect(read.columns.map((column) => valueAt(column, 0))).toEqual([1, null, null])
  expect(lastRowOf({ offset: 1, value })).toEqual({ position: 9, ms: 1 })
})
