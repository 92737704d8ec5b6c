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

test('rows are hidden by a filter, which no null passes by', () => {
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
                { type: 'range', column: ':position', lower: 0, upper: 511 },
                { type: 'range', column: ':position', lower: 2 ** 47, upper: 2 ** 47 + 255 },
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
])('%j goes along with a query of the second: %s', (selection, isNear) => {
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
])('of rows that pass %j a deletion of %j may hide some: %s', (filter, selection, isNear) => {
  const query = { ...body, filter }
  expect(hideRows(query, [hiding(selection)]) === query).toBe(!isNear)
})

test('a deletion whose prefixes are too many to compare with the values that are asked for goes along', () => {
  const prefixes = Array.from({ length: 100 }, (_, one) => `p${one}`)
  const isNear = (values: number): boolean => {
    const query = { ...body, filter: isOneOf('T', ...Array.from({ length: values }, (_, one) => `b${one}`)) }
    return hideRows(query, [hiding({ ids: null, prefixes })]) !== query
  }
  expect([isNear(10), isNear(11)]).toEqual([false, true])
})

describe('a metric that reads as null in some rows', () => {
  const hidden = [hiding({ metrics: [{ name: 'V', type: 'double' }] })]
  const shown = (query: object): object => hideRows({ ...body, ...query }, hidden)

  test('is a column of its own, wherever a query names it', () => {
    const filter = { type: 'not', field: { type: 'null', column: 'V' } }
    const query = {
      columns: ['__time', 'V', 'W'],
      filter,
      aggregations: [{ type: 'filtered', filter, aggregator: { type: 'doubleSum', name: 'V', fieldName: 'V' } }],
      virtualColumns: [{ type: 'expression', name: 'x', expression: `"V" + "W" + strlen('"V"')` }],
    }
    const renamed = { type: 'not', field: { type: 'null', column: ':visible:V' } }
    expect(shown(query)).toMatchObject({
      columns: ['__time', ':visible:V', 'W'],
      filter: renamed,
      aggregations: [{ filter: renamed, aggregator: { name: 'V', fieldName: ':visible:V' } }],
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
})
