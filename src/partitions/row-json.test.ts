import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ColumnVector } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import type { RowBatch } from '../model/row-batch.ts'
import { RowJson } from './row-json.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T.a-b', type: 'string', role: 'tag' },
  { name: 'd', type: 'double', role: 'metric' },
  { name: 'l', type: 'long', role: 'metric' },
  { name: 'b', type: 'boolean', role: 'dimension' },
  { name: 't', type: 'timestamp', role: 'dimension' },
]

interface Row {
  readonly D: number
  readonly T: string
  readonly d: number | null
  readonly l: bigint | null
  readonly b: boolean | null
  readonly t: number | null
}

const long = (values: readonly (bigint | null)[]): ColumnVector => ({
  type: 'long',
  values: Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value))),
  exact: BigInt64Array.from(values, (value) => value ?? 0n),
})

function batchOf(rows: readonly Row[], firstPosition: number): RowBatch {
  const numbers = (values: readonly (number | null)[]): Float64Array =>
    Float64Array.from(values, (one) => one ?? Number.NaN)
  const dictionary = [...new Set(rows.map(({ T }) => T))]
  return {
    entityId: 1,
    rows: rows.length,
    positions: Float64Array.from(rows, (_, index) => firstPosition + index),
    fields,
    columns: [
      { type: 'timestamp', values: numbers(rows.map(({ D }) => D)) },
      { type: 'string', codes: Int32Array.from(rows, ({ T }) => dictionary.indexOf(T)), dictionary },
      { type: 'double', values: numbers(rows.map(({ d }) => d)) },
      long(rows.map(({ l }) => l)),
      { type: 'boolean', values: Uint8Array.from(rows, ({ b }) => (b === null ? 2 : Number(b))) },
      { type: 'timestamp', values: numbers(rows.map(({ t }) => t)) },
    ],
  }
}

const linesOf = (records: readonly Buffer[]): string[] =>
  records.flatMap((record) => record.toString().slice(0, -1).split('\n'))

describe('rows as lines of JSON', () => {
  test.each<[string, Row, number, string]>([
    [
      'values of every type',
      { D: 0, T: 'a', d: 1.5, l: 7n, b: true, t: -1 },
      0,
      '{"__time":0,"T.a-b":"a","d":1.5,"l":7,"b":1,"t":-1,":position":0}',
    ],
    [
      'nulls',
      { D: -5, T: '', d: null, l: null, b: null, t: null },
      1,
      '{"__time":-5,"T.a-b":"","d":null,"l":null,"b":null,"t":null,":position":1}',
    ],
    [
      'the largest and smallest numbers, digit for digit',
      { D: 253_402_300_799_999, T: 'a', d: -1.7976931348623157e308, l: -(2n ** 63n), b: false, t: -62_135_596_800_000 },
      2 ** 53 - 1,
      '{"__time":253402300799999,"T.a-b":"a","d":-1.7976931348623157e+308,"l":-9223372036854775808,"b":0,"t":-62135596800000,":position":9007199254740991}',
    ],
    [
      'strings that JSON must escape',
      { D: 0, T: '"\n\u0000\ud800 é😀', d: 0, l: 0n, b: false, t: 0 },
      3,
      '{"__time":0,"T.a-b":"\\"\\n\\u0000\\ud800 é😀","d":0.0,"l":0,"b":0,"t":0,":position":3}',
    ],
    ...[
      [3, '3.0'],
      [-1e20, '-100000000000000000000.0'],
      [1e21, '1e+21'],
      [1e-7, '1e-7'],
    ].map(([d, text]): [string, Row, number, string] => [
      `the double ${text}, which cannot be read as a long`,
      { D: 0, T: 'a', d: Number(d), l: null, b: null, t: null },
      4,
      `{"__time":0,"T.a-b":"a","d":${text},"l":null,"b":null,"t":null,":position":4}`,
    ]),
  ])('%s', (_, row, position, line) => {
    expect(linesOf(new RowJson(fields).records(batchOf([row], position)))).toEqual([line])
  })

  test('lists fields pushed as null where newer rows replace older ones', () => {
    const row: Row = { D: 0, T: 'a', d: null, l: null, b: null, t: null }
    const pushedNulls = [null, null, Uint8Array.of(1, 0), null, Uint8Array.of(1, 0), null]
    const lines = linesOf(new RowJson(fields).records({ ...batchOf([row, row], 8), pushedNulls }))
    expect(lines.map((line) => JSON.parse(line)[':nulls'])).toEqual(['d,b', undefined])
  })

  test('JSON.parse reads back any number of random rows', () => {
    const nullable = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null })
    const row: fc.Arbitrary<Row> = fc.record({
      D: fc.integer(),
      T: fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', 'é', '😀', '\ud800'), maxLength: 12 }),
      d: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
      l: nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      b: nullable(fc.boolean()),
      t: nullable(fc.integer()),
    })
    const json = new RowJson(fields)
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
        const found = linesOf(json.records(batchOf(rows, 100))).map((line) => JSON.parse(line))
        const wanted = rows.map(({ D, T, d, l, b, t }, index) => ({
          __time: D,
          'T.a-b': T,
          d: d === 0 ? 0 : d,
          l: l === null ? null : Number(l),
          b: b === null ? null : Number(b),
          t,
          ':position': 100 + index,
        }))
        expect(found).toEqual(wanted)
      }),
      { numRuns: 30 },
    )
    const many = Array.from({ length: 5000 }, (_, index) => ({
      D: index,
      T: `tag ${index}`,
      d: 1,
      l: 1n,
      b: true,
      t: 1,
    }))
    const records = json.records(batchOf(many, 0))
    expect(records.length).toBeGreaterThan(1)
    expect(linesOf(records).map((line) => JSON.parse(line).__time)).toEqual(many.map(({ D }) => D))
  })
})
