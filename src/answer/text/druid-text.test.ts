import { describe, expect, test } from 'vitest'
import type { ColumnVector } from '../../model/column.ts'
import type { DruidLayout } from '../../model/druid-layout.ts'
import type { EntityField } from '../../model/entity.ts'
import { ChunkWriter } from '../chunk-writer.ts'
import { druidEncoder } from './druid-text.ts'

const field = (name: string, type: EntityField['type']): EntityField => ({ name, type, role: 'dimension' })
const fields = [field('__time', 'timestamp'), field('T', 'string'), field('V', 'double'), field('n', 'long')]
const columns: readonly ColumnVector[] = [
  { type: 'timestamp', values: Float64Array.of(Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)) },
  { type: 'string', codes: Int32Array.of(0, -1), dictionary: ['a,"b"'] },
  { type: 'double', values: Float64Array.of(2, Number.NaN) },
  { type: 'long', values: Float64Array.of(3, Number.NaN), exact: null },
]
const types = [
  { type: 'LONG', sqlType: 'TIMESTAMP' },
  { type: 'STRING', sqlType: 'VARCHAR' },
  { type: 'DOUBLE', sqlType: 'DOUBLE' },
  { type: 'LONG', sqlType: 'BIGINT' },
]

function written(layout: Partial<DruidLayout>, { zone = 'UTC', rows = 2 } = {}): string {
  const out = new ChunkWriter(Number.MAX_SAFE_INTEGER)
  const none: DruidLayout = { resultFormat: 'object', header: false, typesHeader: false, sqlTypesHeader: false }
  const encoder = druidEncoder(fields, { ...none, ...layout, types, zone }, out)
  for (let row = 0; row < rows; ) row = encoder.add({ rows: 2, columns }, row, rows)
  encoder.end()
  return Buffer.concat(out.finish()).toString()
}

const all = { header: true, typesHeader: true, sqlTypesHeader: true }
const [january, july] = ['2026-01-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z']

describe('the result formats of Druid', () => {
  test.each<[Partial<DruidLayout>, string]>([
    [{}, `[{"__time":"${january}","T":"a,\\"b\\"","V":2.0,"n":3},{"__time":"${july}","T":null,"V":null,"n":null}]\n`],
    [{ resultFormat: 'array' }, `[["${january}","a,\\"b\\"",2.0,3],["${july}",null,null,null]]\n`],
    [
      { resultFormat: 'array', ...all },
      `[["__time","T","V","n"],["LONG","STRING","DOUBLE","LONG"],["TIMESTAMP","VARCHAR","DOUBLE","BIGINT"],["${january}","a,\\"b\\"",2.0,3],["${july}",null,null,null]]\n`,
    ],
    [
      { resultFormat: 'objectLines', header: true },
      `{"__time":null,"T":null,"V":null,"n":null}\n{"__time":"${january}","T":"a,\\"b\\"","V":2.0,"n":3}\n{"__time":"${july}","T":null,"V":null,"n":null}\n\n`,
    ],
    [
      { resultFormat: 'arrayLines', header: true },
      `["__time","T","V","n"]\n["${january}","a,\\"b\\"",2.0,3]\n["${july}",null,null,null]\n\n`,
    ],
    [
      { resultFormat: 'csv', ...all },
      `__time,T,V,n\nLONG,STRING,DOUBLE,LONG\nTIMESTAMP,VARCHAR,DOUBLE,BIGINT\n${january},"a,""b""",2.0,3\n${july},,,\n\n`,
    ],
  ])('%j', (layout, text) => {
    expect(written(layout)).toBe(text)
  })

  test.each<[Partial<DruidLayout>, string]>([
    [{}, '[]\n'],
    [
      { header: true, typesHeader: true },
      '[{"__time":{"type":"LONG"},"T":{"type":"STRING"},"V":{"type":"DOUBLE"},"n":{"type":"LONG"}}]\n',
    ],
    [{ resultFormat: 'csv', header: true }, '__time,T,V,n\n\n'],
    [{ resultFormat: 'csv' }, '\n'],
    [{ resultFormat: 'objectLines' }, '\n\n'],
    [{ resultFormat: 'arrayLines' }, '\n\n'],
    [{ resultFormat: 'arrayLines', header: true }, '["__time","T","V","n"]\n\n'],
  ])('%j without rows', (layout, text) => {
    expect(written(layout, { rows: 0 })).toBe(text)
  })

  test('timestamps in a time zone', () => {
    const text = written({ resultFormat: 'csv' }, { zone: 'America/New_York' })
    expect(text.split('\n').map((line) => line.split(',')[0])).toEqual([
      '2025-12-31T19:00:00.000-05:00',
      '2026-06-30T20:00:00.000-04:00',
      '',
      '',
    ])
  })
})

test.each([
  [0.5, '0.5'],
  [100, '100.0'],
  [0.001, '0.001'],
  [0.0001, '1.0E-4'],
  [9_999_999, '9999999.0'],
  [10_000_000, '1.0E7'],
  [911_526_338, '9.11526338E8'],
  [-1.7976931348623157e308, '-1.7976931348623157E308'],
])('the double %d is written as in Java', (value, text) => {
  const out = new ChunkWriter(Number.MAX_SAFE_INTEGER)
  const layout = {
    resultFormat: 'csv',
    header: false,
    typesHeader: false,
    sqlTypesHeader: false,
    types,
    zone: 'UTC',
  } as const
  const encoder = druidEncoder([field('v', 'double')], layout, out)
  encoder.add({ rows: 1, columns: [{ type: 'double', values: Float64Array.of(value) }] }, 0, 1)
  encoder.end()
  expect(Buffer.concat(out.finish()).toString()).toBe(`${text}\n\n`)
})
