import { describe, expect, test } from 'vitest'
import type { FieldType } from '../model/field.ts'
import { identifierJson, isEmptyRange } from '../model/item-key.ts'
import { itemQuery } from './item-query.ts'

const indexOf = (type: FieldType) => ({
  name: 'pumps',
  fields: [
    { name: 'my.id', type, role: 'index' as const },
    ...(['string', 'long', 'boolean', 'json'] as const).map((of) => ({
      name: `a ${of}`,
      type: of,
      role: 'attribute' as const,
    })),
  ],
})

function rangeOf(query: string): readonly [string, string | null] {
  const { range } = itemQuery(query, indexOf('string'))
  const text = (key: Uint8Array): string => Buffer.from(key).toString()
  return [text(range.from), range.to === null ? null : text(range.to)]
}

describe('string filters become ranges of keys', () => {
  test.each<[string, string, string | null]>([
    ['', '', null],
    ['my.id[gt]=a', 'a\0', null],
    ['my.id[gte]=a', 'a', null],
    ['my.id[lt]=a', '', 'a'],
    ['my.id[lte]=a', '', 'a\0'],
    ['my.id[bw]=ab', 'ab', 'ac'],
    ['my.id[bw]=', '', null],
    ['my.id=a', 'a', 'a\0'],
    ['my.id[be]=a,c', 'a', 'c\0'],
    ['my.id[be]=a&my.id[be]=c', 'a', 'c\0'],
    ['my.id[be]=a,b&my.id[be]=a,c', 'a,b', 'a,c\0'],
    ['my.id[be]=,c', '', 'c\0'],
    ['my.id%5Bgt%5D=a', 'a\0', null],
    ['my%2Eid%5bgt%5d=%61', 'a\0', null],
    ['my.id[gte]=a+b%2Bc', 'a b+c', null],
    ['my.id[gte]=%C3%A9%F0%9F%98%80', 'é😀', null],
    ['my.id[gte]=a=b', 'a=b', null],
    ['my.id[gte]=%26', '&', null],
    ["my.id[gte]='; DROP TABLE items; --", "'; DROP TABLE items; --", null],
    ['my.id[gte]=a&my.id[lt]=c', 'a', 'c'],
    ['my.id[gt]=a&my.id[gt]=b', 'b\0', null],
    ['my.id[gt]=b&my.id[gt]=a', 'b\0', null],
    ['my.id[lte]=b&my.id[lte]=a', '', 'a\0'],
    ['my.id[bw]=a&my.id[gte]=ab&my.id[lt]=ad', 'ab', 'ad'],
    ['&&my.id[gte]=a&', 'a', null],
  ])('%s', (query, from, to) => {
    expect(rangeOf(query)).toEqual([from, to])
  })

  test.each(['my.id[gt]=b&my.id[lt]=b', 'my.id=a&my.id=b', 'my.id[bw]=a&my.id[bw]=b'])(
    '%s matches no item',
    (query) => {
      expect(isEmptyRange(itemQuery(query, indexOf('string')).range)).toBe(true)
    },
  )
})

describe('values are parsed by the type of the index field', () => {
  test.each<[FieldType, string, string]>([
    ['long', '5', '5'],
    ['long', '5.0', '5'],
    ['long', '1e3', '1000'],
    ['long', '-9223372036854775808', '-9223372036854775808'],
    ['long', '9007199254740993', '9007199254740993'],
    ['double', '-0', '0'],
    ['double', '1.50', '1.5'],
    ['double', '1e-3', '0.001'],
    ['timestamp', '2026-01-01', '"2026-01-01T00:00:00.000Z"'],
    ['timestamp', '20260101T000000Z', '"2026-01-01T00:00:00.000Z"'],
    ['timestamp', '2026-01-01T02:00:00%2B02:00', '"2026-01-01T00:00:00.000Z"'],
    ['timestamp', '1767225600000', '"2026-01-01T00:00:00.000Z"'],
    ['timestamp', '-1', '"1969-12-31T23:59:59.999Z"'],
    ['string', '5', '"5"'],
  ])('%s %s', (type, value, json) => {
    expect(identifierJson(type, itemQuery(`my.id[gte]=${value}`, indexOf(type)).range.from)).toBe(json)
  })
})

describe('an invalid filter is refused with the name of the index field', () => {
  test.each<[string, FieldType, string]>([
    ['id=a', 'string', 'id'],
    ['colour=red', 'string', 'colour'],
    ['my.id[eq]=a', 'string', 'my.id[eq]'],
    ['my.id[GT]=a', 'string', 'my.id[GT]'],
    ['my.id[]=a', 'string', 'my.id[]'],
    ['my.id[gt][lt]=a', 'string', 'my.id[gt][lt]'],
    ['MY.ID=a', 'string', 'MY.ID'],
    ['my.id [gt]=a', 'string', 'my.id [gt]'],
    ['offset=1', 'string', 'offset'],
    ['=a', 'string', ''],
    ['my.id[bw]=1', 'long', 'my.id[bw]'],
    ['my.id[bw]=1', 'double', 'my.id[bw]'],
    ['my.id[bw]=2026', 'timestamp', 'my.id[bw]'],
    ['my.id[gt]=a', 'long', 'my.id[gt]'],
    ['my.id[gt]=', 'long', 'my.id[gt]'],
    ['my.id[gt]=1.5', 'long', 'my.id[gt]'],
    ['my.id[gt]=+5', 'long', 'my.id[gt]'],
    ['my.id[gt]=0x10', 'long', 'my.id[gt]'],
    ['my.id[gt]=9223372036854775808', 'long', 'my.id[gt]'],
    ['my.id[gt]=1e999', 'double', 'my.id[gt]'],
    ['my.id[gt]=NaN', 'double', 'my.id[gt]'],
    ['my.id[gt]=Infinity', 'double', 'my.id[gt]'],
    ['my.id=2026-13-01', 'timestamp', 'my.id'],
    ['my.id=PT1H', 'timestamp', 'my.id'],
    ['my.id=253402300800000', 'timestamp', 'my.id'],
    ['my.id[be]=a', 'string', 'my.id[be]'],
    ['my.id[be]=a,b,c', 'string', 'my.id[be]'],
    ['my.id[be]=a&my.id[be]=b&my.id[be]=c', 'string', 'my.id[be]'],
    ['my.id[be]=b,a', 'string', 'my.id[be]'],
    ['my.id[be]=b&my.id[be]=a', 'string', 'my.id[be]'],
    ['my.id[be]=10,9', 'long', 'my.id[be]'],
    ['my.id[be]=1,x', 'long', 'my.id[be]'],
    ['my.id[be]=%F0%9F%98%80,%EF%BD%9E', 'string', 'my.id[be]'],
  ])('%s for a %s', (query, type, path) => {
    expect(() => itemQuery(query, indexOf(type))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        errors: [{ path, message: expect.stringContaining('my.id') }],
      }),
    )
  })
})

describe('limit, NextToken and escapes', () => {
  test.each<[string, number]>([
    ['', 1000],
    ['limit=1', 1],
    ['limit=10000', 10_000],
  ])('%s', (query, limit) => expect(itemQuery(query, indexOf('string')).limit).toBe(limit))

  test.each<[string, string]>([
    ['limit=0', 'limit'],
    ['limit=10001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['NextToken=a&NextToken=b', 'NextToken'],
    ['my.id=%', 'my.id=%'],
    ['my.id=%zz', 'my.id=%zz'],
    ['my.id=%C3', 'my.id=%C3'],
    ['my.id=%ED%A0%80', 'my.id=%ED%A0%80'],
  ])('%s', (query, path) => {
    expect(() => itemQuery(query, indexOf('string'))).toThrow(
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ path })] }),
    )
  })

  test('a NextToken is passed on unchanged', () => {
    expect(itemQuery('NextToken=a%2Bb', indexOf('string')).token).toBe('a+b')
  })
})

describe('a filter by an attribute is refused with the SQL condition to use instead', () => {
  test.each([
    ['a string=Boll', `WHERE "a string" = 'Boll'`],
    ["a string[gt]=O'Neill", `WHERE "a string" > 'O''Neill'`],
    ['a string[bw]=B', `WHERE "a string" LIKE 'B%'`],
    ['a string[bw]=B%25', `WHERE LEFT("a string", 2) = 'B%'`],
    ['a string[be]=a,c', `WHERE "a string" BETWEEN 'a' AND 'c'`],
    [`a string=${'x'.repeat(101)}`, `WHERE "a string" = '...'`],
    ['a long[lte]=-5', 'WHERE "a long" <= -5'],
    ['a long=1; DROP', 'WHERE "a long" = 0'],
    ['a boolean=true', 'WHERE "a boolean" = 1'],
    ['a json=x', `WHERE JSON_VALUE("a json", '$.name') = 'x'`],
  ])('%s', (query, condition) => {
    expect(() => itemQuery(query, indexOf('string'))).toThrow(
      `this list is filtered by the index field "my.id" only. Use my.id, my.id[bw], my.id[gt], my.id[gte], my.id[lt], my.id[lte], my.id[be], limit or NextToken. SQL filters by any attribute: SELECT * FROM metadata."pumps" ${condition}`,
    )
  })

  test('a filter by an unknown field is refused without a hint of SQL', () => {
    expect(() => itemQuery('nothing=1', indexOf('string'))).toThrow(/limit or NextToken$/)
  })
})
