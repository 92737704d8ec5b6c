import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Conversion, conversions } from '../../model/row-mapping.ts'
import { mendRow } from './mend-row.ts'
import { UnusedNames } from './unused-names.ts'

const noMapping = {
  drop: new Set<string>(),
  rename: new Map(),
  set: new Map(),
  setMissing: new Map(),
  convert: new Map(),
}

const mended = (
  row: string,
  rename: Readonly<Record<string, string>> = {},
  set: Readonly<Record<string, string>> = {},
  convert: Readonly<Record<string, Conversion>> = {},
): string => {
  const mapping = {
    ...noMapping,
    rename: new Map(Object.entries(rename)),
    set: new Map(Object.entries(set)),
    convert: new Map(Object.entries(convert)),
  }
  return Buffer.from(mendRow({ text: Buffer.from(row) }, mapping).text).toString()
}

describe('a row', () => {
  test.each<[row: string, what: Parameters<typeof mended> extends [string, ...infer Rest] ? Rest : never, is: string]>([
    ['{ "a" : 1, "b": [1, "}"] }', [{ a: 'c' }], '{"c":1,"b":[1, "}"]}'],
    ['{"a":1,"c":2}', [{ a: 'c' }], '{"a":1,"c":2}'],
    ['{"a":1,"b":2}', [{ a: 'c', b: 'c' }], '{"c":1,"b":2}'],
    ['{"\\u0061":90071992547409931234567890}', [{ a: 'b' }], '{"b":90071992547409931234567890}'],
    ['{"a":1}', [{}, { a: 'null', b: '"x"' }], '{"a":null,"b":"x"}'],
    ['{}', [{}, { a: '1' }], '{"a":1}'],
    ['{"a":"90071992547409931"}', [{ a: 'n' }, {}, { n: 'number' }], '{"n":90071992547409931}'],
    ['{"n":0}', [{}, { n: '"007"' }, { n: 'number' }], '{"n":7}'],
    ['[1]', [{ a: 'b' }, { a: '1' }], '[1]'],
    [' 7 ', [{}, { a: '1' }], ' 7 '],
    ['{"__proto__":1}', [{}, {}, { ['__proto__']: 'text' }], '{"__proto__":"1"}'],
  ])('%s mapped by %j becomes %s', (row, what, is) => {
    expect(mended(row, ...what)).toBe(is)
  })
})

test('properties are dropped before others are renamed, and missing ones are set before conversion', () => {
  const mapping = {
    drop: new Set(['V', 'comment']),
    rename: new Map([['value', 'V']]),
    set: new Map([['unit', '"bar"']]),
    setMissing: new Map([
      ['T', '"pump"'],
      ['n', '"5"'],
      ['unit', '"none"'],
    ]),
    convert: new Map<string, Conversion>([['n', 'number']]),
  }
  const unused = new UnusedNames(mapping)
  const after = (row: string) => Buffer.from(mendRow({ text: Buffer.from(row) }, mapping, unused).text).toString()
  expect(after('{"V":"n/a","value":1.50,"T":"a","n":null}')).toBe('{"V":1.50,"T":"a","unit":"bar","n":5}')
  expect(unused.list()).toEqual([{ of: 'drop', name: 'comment', likely: null }])
  expect(after('{"vlaue":1,"comment":"x"}')).toBe('{"vlaue":1,"unit":"bar","T":"pump","n":5}')
  expect(unused.list()).toEqual([])
})

test('reports names that occur in no row, with the name probably meant', () => {
  const names = {
    drop: new Set(['coment']),
    rename: new Map([['vlaue', 'V']]),
    convert: new Map<string, Conversion>([['X', 'number']]),
  }
  const unused = new UnusedNames(names)
  mendRow({ text: Buffer.from('{"comment":1,"value":2}') }, { ...noMapping, ...names }, unused)
  mendRow({ text: Buffer.from('7') }, { ...noMapping, ...names }, unused)
  expect(unused.list()).toEqual([
    { of: 'drop', name: 'coment', likely: 'comment' },
    { of: 'rename', name: 'vlaue', likely: 'value' },
    { of: 'convert', name: 'X', likely: null },
  ])
})

test.each<[Conversion | 'rename' | 'set', is: readonly string[]]>([
  ['rename', ['c', 'b']],
  ['set', ['b']],
  ['text', ['a', 'b']],
])('the row still lists its longs after: %s', (what, is) => {
  const mapping = {
    ...noMapping,
    rename: new Map(what === 'rename' ? [['a', 'c']] : []),
    set: new Map(what === 'set' ? [['a', '5']] : []),
    convert: new Map<string, Conversion>(what === 'text' ? [['x', what]] : []),
  }
  expect(mendRow({ text: Buffer.from('{"a":1,"x":1,"b":2}'), longs: ['a', 'b'] }, mapping).longs).toEqual(is)
})

test.each<[Conversion, value: string, is: string]>([
  ['number', '" 81.50 "', '81.50'],
  ['number', '"+.5"', '0.5'],
  ['number', '"-5."', '-5'],
  ['number', '"1e3"', '1e3'],
  ['number', '"."', '"."'],
  ['number', '"e5"', '"e5"'],
  ['number', '""', '""'],
  ['number', '"n/a"', '"n/a"'],
  ['number', '"81,5"', '"81,5"'],
  ['number', '" 1,081.50 "', '1081.50'],
  ['number', '"1,081"', '"1,081"'],
  ['number', 'null', 'null'],
  ['number', 'true', 'true'],
  ['number', '7', '7'],
  ['decimal_comma', '"-81,5"', '-81.5'],
  ['decimal_comma', '"81"', '81'],
  ['decimal_comma', '"1.081,5"', '1081.5'],
  ['decimal_comma', '"1.081"', '"1.081"'],
  ['decimal_comma', '81.5', '81.5'],
  ['text', '81.50', '"81.50"'],
  ['text', 'true', '"true"'],
  ['text', 'null', 'null'],
  ['text', '[1]', '[1]'],
  ['text', '"a"', '"a"'],
  ['boolean', '"True"', 'true'],
  ['boolean', '0', 'false'],
  ['boolean', '"1"', 'true'],
  ['boolean', '2', '2'],
  ['boolean', '"yes"', '"yes"'],
  ['boolean', '{}', '{}'],
  ['seconds', '1767225600', '"2026-01-01T00:00:00.000Z"'],
  ['seconds', '" 1767225600.25 "', '"2026-01-01T00:00:00.250Z"'],
  ['seconds', '-0.001', '"1969-12-31T23:59:59.999Z"'],
  ['seconds', '"2026-01-01"', '"2026-01-01"'],
  ['seconds', '1e99', '1e99'],
  ['seconds', '99999999999999', '99999999999999'],
  ['seconds', 'null', 'null'],
  ['seconds', '[1]', '[1]'],
  ['milliseconds', '"1767225600000"', '"2026-01-01T00:00:00.000Z"'],
  ['microseconds', '1767225600000999', '"2026-01-01T00:00:00.000Z"'],
  ['nanoseconds', '1767225600001000000', '"2026-01-01T00:00:00.001Z"'],
  ['iso', '"2026-01-01 08:00"', '"2026-01-01T08:00:00.000Z"'],
  ['iso', '" 2026-01-01 08:00:00.5+02:00"', '"2026-01-01T06:00:00.500Z"'],
  ['iso', '"01/02/2026"', '"01/02/2026"'],
  ['iso', '1767225600', '1767225600'],
])('conversion %s of %s gives %s', (conversion, value, is) => {
  expect(mended(`{"a":${value}}`, {}, {}, { a: conversion })).toBe(`{"a":${is}}`)
})

test('a mapped row remains JSON, and properties that are not named stay unchanged', () => {
  const anyMapping = fc.record({
    rename: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('a', 'b', 'd')),
    convert: fc.dictionary(fc.constantFrom('a', 'b', 'd'), fc.constantFrom<Conversion>(...conversions)),
  })
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'z', ' "\\'), fc.jsonValue()),
      anyMapping,
      (row, { rename, convert }) => {
        const text = JSON.stringify(row)
        const after: Record<string, unknown> = JSON.parse(mended(text, rename, {}, convert))
        expect(Object.keys(after)).toHaveLength(Object.keys(row).length)
        const kept = Object.keys(row).filter((key) => !['a', 'b', 'c'].includes(key))
        for (const key of kept) expect(after[key]).toEqual(JSON.parse(text)[key])
      },
    ),
  )
})
