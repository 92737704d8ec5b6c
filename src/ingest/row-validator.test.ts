import { describe, expect, test } from 'vitest'
import type { PlacedEntry } from '../journal/journal.ts'
import { type Value, valueAt } from '../model/column.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import type { RejectCode } from '../model/row-fault.ts'
import { RowValidator } from './row-validator.ts'
import { checkBody } from './scan/check-body.ts'

const fields: readonly Field[] = [
  { name: 'date', source: 'D', type: 'timestamp', role: 'time' },
  { name: 'tag', source: 'T', type: 'string', role: 'tag' },
  { name: 'unit', source: '__proto__', type: 'string', role: 'tag' },
  { name: 'value', source: 'V', type: 'double', role: 'metric' },
  { name: 'count', source: 'N', type: 'long', role: 'metric' },
  { name: 'good', source: 'B', type: 'boolean', role: 'dimension' },
  { name: 'place', source: 'é😀', type: 'string', role: 'dimension' },
  { name: 'since', source: 'S', type: 'timestamp', role: 'dimension' },
]

const ingest: Ingest = {
  id: 7,
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  entityId: 3,
  fields,
  fieldsVersion: 1,
  duplicates: 'keep',
  state: 'active',
  reason: null,
  createdMs: 0,
}

function entry(text: string, position: number, format: 'json' | 'ndjson' = 'json'): PlacedEntry {
  const body = Buffer.from(text)
  const rows = checkBody(body, format)
  const header = { ingestId: ingest.id, fieldsVersion: 1, subscriberId: 5, receivedMs: 99, idempotencyKey: null }
  return { ...header, format, position, rows, body }
}

const rowBytes = 500

/** The stored values by field name, or the reason why the row was rejected. */
function validated(row: string): Record<string, Value> | { code: RejectCode; field: string | null; message: string } {
  // The row is placed between good ones, so that state carried from row to row would show.
  const good = '{"D":1,"T":"x","__proto__":"y"}'
  const validator = new RowValidator({ rowBytes })
  const { batch, rejected } = validator.validate([entry(`[${good}, ${row} ,${good}]`, 10)], ingest)
  if (rejected.length > 0) {
    const [{ code, field, message, row: kept, position, index }] = rejected as [(typeof rejected)[0]]
    expect({ kept, position, index, left: batch?.rows }).toEqual({ kept: row, position: 11, index: 1, left: 2 })
    return { code, field, message }
  }
  expect(batch?.positions).toEqual(Float64Array.of(10, 11, 12))
  return Object.fromEntries(batch!.columns.map((column, i) => [batch!.fields[i]!.name, valueAt(column, 1)]))
}

/** A row with all required fields and the given properties. */
const row = (properties: string): string => `{"D":0,"T":"a","__proto__":"b",${properties}}`

describe('stores the value of', () => {
  const instant = (text: string): number => Date.parse(text)
  test.each<[properties: string, name: string, stored: Value]>([
    ['"V":12.34', 'value', 12.34],
    ['"V":5', 'value', 5],
    ['"V":-0.0', 'value', -0],
    ['"V":1e3', 'value', 1000],
    ['"V":1e-999', 'value', 0],
    ['"V":0.1e1', 'value', 1],
    ['"V":1.7976931348623157e308', 'value', Number.MAX_VALUE],
    ['"V":null', 'value', null],
    ['"N":5', 'count', 5],
    ['"N":5.0', 'count', 5],
    ['"N":1e3', 'count', 1000],
    ['"N":120e-1', 'count', 12],
    ['"N":-0', 'count', 0],
    ['"N":-0.0e99', 'count', 0],
    ['"N":0e999999999999999999999', 'count', 0],
    ['"N":9007199254740991', 'count', 9007199254740991],
    ['"N":9007199254740993', 'count', 9007199254740993n],
    ['"N":9223372036854775807', 'count', 9223372036854775807n],
    ['"N":-9223372036854775808', 'count', -9223372036854775808n],
    ['"N":9.223372036854775807e18', 'count', 9223372036854775807n],
    ['"N":null', 'count', null],
    ['"B":true', 'good', true],
    ['"B":false', 'good', false],
    ['"B":null', 'good', null],
    ['"é😀":""', 'place', ''],
    ['"é😀":"a\\u0000b"', 'place', 'a\u0000b'],
    ['"é😀":"\\ud83d\\ude00 😀"', 'place', '😀 😀'],
    ['"é😀":"\\"\\\\"', 'place', '"\\'],
    ['"\\u00e9\\ud83d\\ude00":"x"', 'place', 'x'],
    ['"é😀":null', 'place', null],
    ['"S":"2026-01-01T01:00:00+02:00"', 'since', instant('2025-12-31T23:00:00Z')],
    ['"S":"2026-01-01T01:00:00.1239-00:30"', 'since', instant('2026-01-01T01:30:00.123Z')],
    ['"S":"20260101T120000Z"', 'since', instant('2026-01-01T12:00:00Z')],
    ['"S":"2026-01-01"', 'since', instant('2026-01-01T00:00:00Z')],
    ['"S":"2026-01-01T00:00:00"', 'since', instant('2026-01-01T00:00:00Z')],
    ['"S":"2026\\u002d01-01T00:00:00,5"', 'since', instant('2026-01-01T00:00:00.5Z')],
    ['"S":1.7e12', 'since', 1.7e12],
    ['"S":-62135596800000', 'since', -62135596800000],
    ['"S":253402300799999', 'since', 253402300799999],
    ['"S":null', 'since', null],
    ['"V":"bad","V":[1],"V":2', 'value', 2],
    ['"V":2,"V":null', 'value', null],
    ['"T":5,"T":"c"', 'tag', 'c'],
    ['"T":""', 'tag', ''],
    [' \n\t\r"V" \n:\t3 \r', 'value', 3],
    ['"\\u0056":4', 'value', 4],
  ])('%s', (properties, name, stored) => {
    expect(validated(row(properties))).toEqual({
      date: 0,
      tag: 'a',
      unit: 'b',
      value: null,
      count: null,
      good: null,
      place: null,
      since: null,
      [name]: stored,
    })
  })
})

test.each<[pushed: string, code: RejectCode, field: string | null, message: string]>([
  ['5', 'not_an_object', null, 'expected an object, got a number'],
  ['"a]b\\""', 'not_an_object', null, 'expected an object, got a string'],
  ['null', 'not_an_object', null, 'expected an object, got null'],
  ['true', 'not_an_object', null, 'expected an object, got a boolean'],
  ['[{"D":0}, "]"]', 'not_an_object', null, 'expected an object, got an array'],
  ['{}', 'missing_time', 'D', 'D: the time is missing'],
  ['{"T":"a","__proto__":"b"}', 'missing_time', 'D', 'D: the time is missing'],
  ['{"D":null,"T":null}', 'missing_time', 'D', 'D: the time is missing'],
  ['{"D":null,"V":"x"}', 'wrong_type', 'V', 'V: expected a number, got "x"'],
  ['{"D":0}', 'missing_tag', 'T', 'T: the tag is missing'],
  ['{"D":0,"__proto__":null,"T":"a"}', 'missing_tag', '__proto__', '__proto__: the tag is missing'],
  ['{"X":1,"V":"x"}', 'unknown_field', 'X', 'X: the ingest has no such field'],
  ['{"V":"x","X":1}', 'wrong_type', 'V', 'V: expected a number, got "x"'],
  ['{"V":"x","X":1,"V":2}', 'unknown_field', 'X', 'X: the ingest has no such field'],
  [row('"X":null'), 'unknown_field', 'X', 'X: the ingest has no such field'],
  [row('"date":1'), 'unknown_field', 'date', 'date: the ingest has no such field'],
  [row('"constructor":1'), 'unknown_field', 'constructor', 'constructor: the ingest has no such field'],
  [row('"\\u0000":1'), 'unknown_field', '\u0000', '\u0000: the ingest has no such field'],
  [row('"V":"1.5"'), 'wrong_type', 'V', 'V: expected a number, got "1.5"'],
  [row('"V":true'), 'wrong_type', 'V', 'V: expected a number, got true'],
  [row('"V":{"a":"}"}'), 'wrong_type', 'V', 'V: expected a number, got an object'],
  [row('"V":1e999'), 'out_of_range', 'V', 'V: 1e999 is beyond the range of a double'],
  [row('"N":1.5'), 'wrong_type', 'N', 'N: expected a whole number, got 1.5'],
  [row('"N":1e-400'), 'wrong_type', 'N', 'N: expected a whole number, got 1e-400'],
  [row('"N":"5"'), 'wrong_type', 'N', 'N: expected a whole number, got "5"'],
  [
    row('"N":9223372036854775808'),
    'out_of_range',
    'N',
    'N: 9223372036854775808 is beyond the range of a 64-bit integer',
  ],
  [
    row('"N":-9223372036854775809'),
    'out_of_range',
    'N',
    'N: -9223372036854775809 is beyond the range of a 64-bit integer',
  ],
  [row('"N":1e999999999'), 'out_of_range', 'N', 'N: 1e999999999 is beyond the range of a 64-bit integer'],
  [row('"B":1'), 'wrong_type', 'B', 'B: expected true or false, got 1'],
  [row('"B":"true"'), 'wrong_type', 'B', 'B: expected true or false, got "true"'],
  [row('"é😀":5'), 'wrong_type', 'é😀', 'é😀: expected a string, got 5'],
  [row('"é😀":["a"]'), 'wrong_type', 'é😀', 'é😀: expected a string, got an array'],
  [row('"é😀":"\\ud800"'), 'wrong_type', 'é😀', 'é😀: expected a string, got one with half a surrogate pair'],
  [row('"T":"\\ude00\\ud83d"'), 'wrong_type', 'T', 'T: expected a string, got one with half a surrogate pair'],
  [
    row('"S":"yesterday"'),
    'wrong_type',
    'S',
    'S: expected an ISO 8601 date-time or whole milliseconds since 1970, got "yesterday"',
  ],
  [row('"S":1.5'), 'wrong_type', 'S', 'S: expected an ISO 8601 date-time or whole milliseconds since 1970, got 1.5'],
  [row('"S":253402300800000'), 'out_of_range', 'S', 'S: 253402300800000 is outside the years 0001 to 9999'],
  ['{"D":"2026-02-29T00:00:00Z"}', 'invalid_time', 'D', 'D: there is no such day: "2026-02-29T00:00:00Z"'],
  ['{"D":"2026-11-31"}', 'invalid_time', 'D', 'D: there is no such day: "2026-11-31"'],
  ['{"D":"2026-13-01T08:00Z"}', 'invalid_time', 'D', 'D: there is no such day: "2026-13-01T08:00Z"'],
  ['{"D":true}', 'invalid_time', 'D', 'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got true'],
  ['{"D":0.5}', 'invalid_time', 'D', 'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got 0.5'],
  [
    '{"D":"1767225600"}',
    'invalid_time',
    'D',
    'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got "1767225600"; it reads as seconds since 1970 (2026-01-01T00:00:00.000Z): say so by --time-format seconds in a push of CSV, or --convert D=seconds in a replay',
  ],
  [
    '{"D":1767225600000000}',
    'out_of_range',
    'D',
    'D: 1767225600000000 is outside the years 0001 to 9999; it reads as microseconds since 1970 (2026-01-01T00:00:00.000Z): say so by --time-format microseconds in a push of CSV, or --convert D=microseconds in a replay',
  ],
  [
    '{"D":"1767225600000"}',
    'invalid_time',
    'D',
    'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got "1767225600000"; it reads as milliseconds since 1970 (2026-01-01T00:00:00.000Z): say so by --time-format milliseconds in a push of CSV, or --convert D=milliseconds in a replay',
  ],
  [
    '{"D":"202601010815"}',
    'invalid_time',
    'D',
    'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got "202601010815"; it reads as a date, yyyyMMddHHmm (2026-01-01T08:15:00.000Z): say so by --time-format yyyyMMddHHmm in a push of CSV, or write ISO 8601',
  ],
  ['{"D":"99999999"}', 'invalid_time', 'D', 'D: there is no such day: "99999999"'],
  ['{"D":1e30}', 'out_of_range', 'D', 'D: 1e30 is outside the years 0001 to 9999'],
  [`"${'é'.repeat(250)}"`, 'too_large', null, 'the row has 502 bytes, the most allowed is 500'],
  [row(`"é😀":"${'x'.repeat(500)}"`), 'too_large', null, 'the row has 543 bytes, the most allowed is 500'],
  [
    row(`"${'😀'.repeat(70)}":1`),
    'unknown_field',
    '😀'.repeat(70),
    `${'😀'.repeat(60)}...: the ingest has no such field`,
  ],
])('%s is rejected', (pushed, code, field, message) => {
  expect(validated(pushed)).toEqual({ code, field, message })
})

describe('a batch', () => {
  const text = (lines: readonly string[]): string => lines.join('\n')

  test('contains the rows of several entries, each at its position', () => {
    const ndjson = text(['', ' {"D":3,"T":"a","__proto__":"u"} ', '\t', '5', '{"D":4,"T":"b","__proto__":"u"}\r', ''])
    const entries = [
      entry('{"D":1,"T":"a","__proto__":"u"}', 1),
      entry('[]', 2),
      entry(' [ ] ', 3),
      entry(' [ {"D":2,"T":"a"} ,{"D":2,"T":"b","__proto__":"u"}] ', 4),
      entry(ndjson, 6, 'ndjson'),
      entry('\n5', 9, 'ndjson'),
    ]
    const { batch, rejected } = new RowValidator({ rowBytes }).validate(entries, ingest)
    expect(batch).toMatchObject({ entityId: 3, rows: 4, positions: Float64Array.of(1, 5, 6, 8), fields })
    expect(batch!.columns[0]).toEqual({ type: 'timestamp', values: Float64Array.of(1, 2, 3, 4) })
    expect(batch!.columns[1]).toEqual({ type: 'string', codes: Int32Array.of(0, 1, 0, 1), dictionary: ['a', 'b'] })
    const whole = { ingestId: 7, subscriberId: 5, receivedMs: 99 }
    expect(rejected).toMatchObject([
      { ...whole, position: 4, batchPosition: 4, batchRows: 2, index: 0, row: '{"D":2,"T":"a"}' },
      { ...whole, position: 7, batchPosition: 6, batchRows: 3, index: 1, row: '5' },
      { ...whole, position: 9, batchPosition: 9, batchRows: 1, index: 0, row: '5' },
    ])
  })

  test('is null without valid rows', () => {
    expect(new RowValidator({ rowBytes }).validate([entry('[1]', 0)], ingest)).toMatchObject({
      batch: null,
      rejected: [{ row: '1' }],
    })
  })

  test('stores longs exactly, with an exact column only where it needs one', () => {
    const validator = new RowValidator({ rowBytes })
    const longs = (...values: string[]) => {
      const body = `[${values.map((value) => row(`"N":${value}`)).join()}]`
      return validator.validate([entry(body, 0)], ingest).batch!.columns[4]
    }
    expect(longs('1', '9007199254740991')).toMatchObject({ exact: null })
    expect(longs('9007199254740993', '-2', 'null')).toEqual({
      type: 'long',
      values: Float64Array.of(9007199254740992, -2, Number.NaN),
      exact: BigInt64Array.of(9007199254740993n, -2n, 0n),
    })
    // The long of a rejected row does not remain in its place.
    expect(longs('9007199254740993,"X":1', '1')).toMatchObject({ values: Float64Array.of(1), exact: null })
    expect(longs('9007199254740993,"X":1', '9007199254740995')).toMatchObject({
      exact: BigInt64Array.of(9007199254740995n),
    })
  })

  test('throws when an entry does not contain its declared number of rows', () => {
    expect(() => new RowValidator({ rowBytes }).validate([{ ...entry('[1,2]', 0), rows: 1 }], ingest)).toThrow(
      'does not hold 1',
    )
  })
})

describe('remembered strings', () => {
  const tagColumn = (validator: RowValidator, tags: readonly string[], of: Ingest = ingest) => {
    const rows = tags.map((tag) => `{"D":0,"T":${JSON.stringify(tag)},"__proto__":"u"}`)
    const column = validator.validate([entry(`[${rows.join()}]`, 0)], of).batch!.columns[1]!
    if (column.type !== 'string') throw new Error('tags are strings')
    return column
  }

  test('keep their codes from batch to batch', () => {
    const validator = new RowValidator({ rowBytes })
    const first = tagColumn(validator, ['a', 'b'])
    const second = tagColumn(validator, ['b', 'c', 'a'])
    expect(second.dictionary).toBe(first.dictionary)
    expect([...first.codes, ...second.codes]).toEqual([0, 1, 1, 2, 0])
  })

  test('restart in a new dictionary when there are too many of them', () => {
    const validator = new RowValidator({ rowBytes, rememberedStringsMax: 2 })
    const first = tagColumn(validator, ['a', 'b', 'c'])
    const second = tagColumn(validator, ['c'])
    expect(first.dictionary).toEqual(['a', 'b', 'c'])
    expect(second.dictionary).toEqual(['c'])
  })

  test('are dropped for the least recently used ingest when they take too much memory', () => {
    const validator = new RowValidator({ rowBytes, rememberedBytesMax: 20_000 })
    const others = [1, 2, 3, 4, 5, 6].map((id) => ({ ...ingest, id }))
    const dictionaries = new Set(others.map((other) => tagColumn(validator, ['a'], other).dictionary))
    expect(dictionaries).toContain(tagColumn(validator, ['a'], others[5]).dictionary)
    expect(dictionaries).not.toContain(tagColumn(validator, ['a'], others[0]).dictionary)
  })

  test('belong to one version of the fields', () => {
    const validator = new RowValidator({ rowBytes })
    tagColumn(validator, ['a'])
    const added: Field = { name: 'more', source: 'X', type: 'long', role: 'metric' }
    const next = { ...ingest, fields: [...fields, added], fieldsVersion: 2 }
    expect(tagColumn(validator, ['b'], next).dictionary).toEqual(['b'])
    const { batch } = validator.validate([entry(row('"X":1'), 0)], next)
    expect(valueAt(batch!.columns[8]!, 0)).toBe(1)
  })
})
