import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnOf } from '../../../test/support/random-rows.ts'
import type { Value } from '../../model/column.ts'
import type { EntityField } from '../../model/entity.ts'
import { ChunkWriter } from '../chunk-writer.ts'
import { ArrowEncoder } from './encode-arrow.ts'

type Type = 'timestamp' | 'string' | 'double' | 'long' | 'boolean'
type Column = readonly [name: string, type: Type, values: readonly Value[]]

const field = (name: string, type: EntityField['type']): EntityField => ({ name, type, role: 'metric' })

/** The Arrow stream of rows that arrive in batches of `batchRows`. */
function stream(columns: readonly Column[], batchRows = 1000): Buffer {
  const out = new ChunkWriter(Number.MAX_SAFE_INTEGER)
  const encoder = new ArrowEncoder(
    columns.map(([name, type]) => field(name, type)),
    out,
  )
  const rows = columns[0]?.[2].length ?? 0
  for (let from = 0; from < rows; from += batchRows) {
    const vectors = columns.map(([, type, values]) => columnOf(type, values.slice(from, from + batchRows)))
    const batch = { rows: Math.min(batchRows, rows - from), columns: vectors }
    for (let row = 0; row < batch.rows; row = encoder.add(batch, row, batch.rows));
  }
  encoder.end()
  return Buffer.concat(out.finish())
}

/** The columns as another implementation reads them. */
function read(bytes: Uint8Array): unknown[][] {
  const table = tableFromIPC(bytes)
  return table.schema.fields.map((_, index) => {
    const column = table.getChildAt(index)
    return Array.from({ length: table.numRows }, (_unused, row) => column?.get(row))
  })
}

const day = Date.UTC(2026, 0, 1)
const columns: readonly Column[] = [
  ['D', 'timestamp', [day, -1, null, -62_135_596_800_000, 253_402_300_799_999]],
  ['T', 'string', ['a.b', '', null, 'é😀\0', 'a.b']],
  ['V', 'double', [1.5, -0, null, 5e-324, 1.7976931348623157e308]],
  ['count', 'long', [1, -1, null, 2 ** 52, -(2 ** 53)]],
  ['large', 'long', [9223372036854775807n, -9223372036854775808n, null, 9007199254740993n, 0n]],
  ['on', 'boolean', [true, false, null, true, false]],
]

describe('read back by Apache Arrow', () => {
  test('each type, with its bounds and nulls', () => {
    const large = [9223372036854775807n, -9223372036854775808n, null, 9007199254740993n, 0n]
    const count = [1n, -1n, null, BigInt(2 ** 52), -BigInt(2 ** 53)]
    const expected = columns.map(([, , values]) => [...values])
    expect(read(stream(columns))).toEqual([...expected.slice(0, 3), count, large, expected[5]])
  })

  test('the schema', () => {
    const { schema } = tableFromIPC(stream(columns))
    expect(schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`)).toEqual([
      'D Timestamp<MILLISECOND, UTC> true',
      'T Utf8 true',
      'V Float64 true',
      'count Int64 true',
      'large Int64 true',
      'on Bool true',
    ])
  })

  test('no rows, as only a schema', () => {
    const table = tableFromIPC(stream(columns.map(([name, type]) => [name, type, []])))
    expect([table.numRows, table.schema.names]).toEqual([0, ['D', 'T', 'V', 'count', 'large', 'on']])
  })

  test('several batches, of any length', () => {
    const values = fc.array(
      fc.tuple(fc.option(fc.string()), fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))),
    )
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 20 }), (rows, batchRows) => {
        const texts = rows.map(([text]) => text)
        const doubles = rows.map(([, double]) => double)
        const bytes = stream(
          [
            ['t', 'string', texts],
            ['v', 'double', doubles],
          ],
          batchRows,
        )
        expect(read(bytes)).toEqual([texts, doubles])
      }),
    )
  })

  test('non-ASCII names, and very many columns', () => {
    const many = Array.from({ length: 500 }, (_, index): Column => [`field ${index} ü`, 'double', [index, null]])
    const table = tableFromIPC(stream(many))
    expect(table.schema.names).toEqual(many.map(([name]) => name))
    expect(table.getChildAt(499)?.toJSON()).toEqual([499, null])
  })
})

test('many long strings are split over several record batches', () => {
  const long = 'x'.repeat(400_000)
  const texts = Array.from({ length: 40 }, (_, row) => (row % 2 === 0 ? long : `${row}${long}`))
  const bytes = stream([['t', 'string', texts]])
  expect(tableFromIPC(bytes).batches.length).toBeGreaterThan(10)
  expect(read(bytes)).toEqual([texts])
})

test('a column of another type than in the plan is a broken invariant', () => {
  const encoder = new ArrowEncoder([field('v', 'double')], new ChunkWriter(1000))
  expect(() => encoder.add({ rows: 1, columns: [columnOf('string', ['a'])] }, 0, 1)).toThrow(
    'v: a column of type string came where the plan has one of type double',
  )
})
