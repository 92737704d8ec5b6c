import { describe, expect, test } from 'vitest'
import type { DeletionSelection, HiddenRows } from '../../model/deletion.ts'
import { hideRows } from './hide-rows.ts'

const all: DeletionSelection = {
  tag: 'T',
  ids: ['a'],
  prefixes: null,
  fromMs: null,
  toMs: null,
  metrics: null,
  where: null,
}
const hiding = (selection: Partial<DeletionSelection>): HiddenRows => ({
  selection: { ...all, ...selection },
  pushed: [
    { from: 0, before: 512 },
    { from: 2 ** 47, before: 2 ** 47 + 256 },
  ],
  items: null,
})
const body = { intervals: ['2026-01-02T00:00:00.000Z/2026-01-03T00:00:00.000Z'], filter: null }
const day = (number: number): number => Date.UTC(2026, 0, number)

test('hides rows by a filter under istrue, so that comparisons with null hide nothing', () => {
  expect(hideRows(body, [hiding({})])).toMatchObject({
    filter: {
      type: 'not',
      field: {
        type: 'istrue',
        field: {
          type: 'and',
          fields: [
            { type: 'in', dimension: 'T', values: ['a'] },
            {
              type: 'or',
              fields: [
                { type: 'range', column: ':position', matchValueType: 'LONG', lower: 0, upper: 511 },
                { type: 'range', column: ':position', matchValueType: 'LONG', lower: 2 ** 47, upper: 2 ** 47 + 255 },
              ],
            },
          ],
        },
      },
    },
  })
})

test.each<[selection: Partial<DeletionSelection>, isNear: boolean]>([
  [{}, true],
  [{ toMs: day(2) - 1 }, false],
  [{ toMs: day(2) }, true],
  [{ fromMs: day(3) - 1 }, true],
  [{ fromMs: day(3) }, false],
])('the deletion %j is added to a query of 2 January: %s', (selection, isNear) => {
  expect(hideRows(body, [hiding(selection)]) === body).toBe(!isNear)
})

const isOneOf = (dimension: string, ...values: readonly (string | null)[]) => ({ type: 'in', dimension, values })
const any = (...fields: readonly object[]) => ({ type: 'or', fields })
const both = (...fields: readonly object[]) => ({ type: 'and', fields })
const notNull = { type: 'not', field: { type: 'null', column: 'V' } }

test.each<[filter: object, selection: Partial<DeletionSelection>, isNear: boolean]>([
  [isOneOf('T', 'a', 'b'), {}, true],
  [isOneOf('T', 'b', null), {}, false],
  [isOneOf('U', 'b'), {}, true],
  [both(notNull, isOneOf('T', 'b')), {}, false],
  [both(notNull, isOneOf('U', 'b')), {}, true],
  [any(isOneOf('T', 'b'), both(isOneOf('U', 'a'), isOneOf('T', 'c'))), {}, false],
  [any(isOneOf('T', 'b'), isOneOf('T', 'a')), {}, true],
  [any(isOneOf('T', 'b'), isOneOf('U', 'c')), {}, true],
  [{ type: 'not', field: isOneOf('T', 'b') }, {}, true],
  [{ type: 'like', dimension: 'T', pattern: 'b%' }, {}, true],
  [isOneOf('T', 'b'), { ids: null }, true],
  [isOneOf('T', 'b1', null), { ids: null, prefixes: ['a', 'b'] }, true],
  [isOneOf('T', 'cb', null), { ids: null, prefixes: ['a', 'b'] }, false],
  [isOneOf('T', 'a', 'b1'), { ids: ['a'], prefixes: ['b'] }, true],
])('a query filtered by %j needs the deletion %j: %s', (filter, selection, isNear) => {
  const query = { ...body, filter }
  expect(hideRows(query, [hiding(selection)]) === query).toBe(!isNear)
})

test('a deletion with too many prefixes to compare with the filter values is always added', () => {
  const prefixes = Array.from({ length: 100 }, (_, one) => `p${one}`)
  const isNear = (values: number): boolean => {
    const query = { ...body, filter: isOneOf('T', ...Array.from({ length: values }, (_, one) => `b${one}`)) }
    return hideRows(query, [hiding({ ids: null, prefixes })]) !== query
  }
  expect([isNear(10), isNear(11)]).toEqual([false, true])
})

describe('a metric that is deleted in some rows', () => {
  const hidden = [hiding({ metrics: [{ name: 'V', type: 'double' }] })]
  const shown = (query: object): object => hideRows({ ...body, ...query }, hidden)

  const hidingFilter = {
    type: 'and',
    fields: [
      { type: 'in', dimension: 'T', values: ['a'] },
      {
        type: 'or',
        fields: [
          { type: 'range', column: ':position', matchValueType: 'LONG', lower: 0, upper: 511 },
          { type: 'range', column: ':position', matchValueType: 'LONG', lower: 2 ** 47, upper: 2 ** 47 + 255 },
        ],
      },
    ],
  }
  const isVisible = { type: 'not', field: { type: 'istrue', field: hidingFilter } }
  const isNull = { type: 'null', column: 'V' }
  const sum = { type: 'doubleSum', name: ':sum', fieldName: 'V' }
  const hasAny = any({ type: 'not', field: isNull }, { type: 'not', field: { type: 'null', column: 'W' } })

  test('becomes a virtual column where a query selects it or computes with it', () => {
    const query = {
      columns: ['__time', 'V', 'W'],
      virtualColumns: [{ type: 'expression', name: 'x', expression: `"V" + "W" + strlen('"V"')` }],
    }
    expect(shown(query)).toMatchObject({
      columns: ['__time', ':visible:V', 'W'],
      virtualColumns: [
        {
          name: ':visible:V',
          expression:
            `case_searched(((("T" == 'a') && ((":position" >= 0 && ":position" <= 511) || ` +
            `(":position" >= 140737488355328 && ":position" <= 140737488355583)))),null,"V")`,
          outputType: 'DOUBLE',
        },
        { expression: `":visible:V" + "W" + strlen('"V"')` },
      ],
    })
  })

  test('is ignored by not-null filters and aggregations where it is deleted', () => {
    const isNullNow = any(isNull, { type: 'not', field: isVisible })
    expect(shown({ filter: hasAny, aggregations: [sum] })).toEqual({
      ...body,
      filter: any({ type: 'not', field: isNullNow }, { type: 'not', field: { type: 'null', column: 'W' } }),
      aggregations: [{ type: 'filtered', filter: isVisible, aggregator: sum }],
      virtualColumns: undefined,
    })
  })

  test('hides its rows when the query requires the metric in every row', () => {
    const filter = { type: 'and', fields: [isOneOf('T', 'a'), { type: 'not', field: isNull }] }
    const query = { columns: ['V'], filter, aggregations: [sum] }
    expect(shown(query)).toEqual({
      ...{ ...body, ...query, virtualColumns: undefined },
      filter: { type: 'and', fields: [isVisible, filter] },
    })
  })

  test('adds no virtual column when the query does not use it', () => {
    expect(shown({ columns: ['W'], virtualColumns: [] })).toMatchObject({ columns: ['W'], virtualColumns: [] })
  })
})
