import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HiddenRows } from '../model/deletion.ts'
import { timeColumn } from '../model/druid-row.ts'
import { type ConditionWords, hiddenBy, hiddenByAny } from './hidden-rows.ts'

interface Row {
  readonly ms: number
  readonly tag: string
  readonly position: number
}

/** Conditions as functions of a row; calls `tried` whenever a range of dates is tested. */
function asking(tried: () => void = () => undefined): ConditionWords<(row: Row) => boolean> {
  const no = (): boolean => false
  return {
    all: (conditions) => (row) => conditions.every((condition) => condition(row)),
    any: (conditions) => (row) => conditions.some((condition) => condition(row)),
    none: no,
    isOneOf: (_, values) => (row) => values.includes(row.tag),
    isNull: () => no,
    startsWith: (_, prefix) => (row) => row.tag.startsWith(prefix),
    isAt:
      (times) =>
      ({ ms }) =>
        times.includes(ms),
    isWithin: (column, from, to) => (row) => {
      if (column === timeColumn) tried()
      const value = column === timeColumn ? row.ms : row.position
      return (from === null || value >= from) && (to === null || value <= to)
    },
    meets: () => no,
  }
}

const hiding = (ids: readonly string[], [fromMs, toMs]: readonly (number | null)[], before: number): HiddenRows => ({
  selection: { tag: 'T', ids, prefixes: null, fromMs: fromMs!, toMs: toMs!, metrics: null, where: null },
  pushed: [{ from: 0, before }],
  items: null,
})

const bound = fc.option(fc.integer({ min: 0, max: 100 }), { nil: null })
const tag = fc.constantFrom('a', 'b')
const anyHidden = fc
  .tuple(fc.subarray(['a', 'b']), bound, bound, fc.integer({ min: 0, max: 3 }))
  .map(([ids, from, to, before]) => hiding(ids, [from, to], before))
const anyRow = fc.record({ ms: fc.integer({ min: 0, max: 100 }), tag, position: fc.integer({ min: 0, max: 3 }) })

test('many deletions together hide exactly the rows that at least one of them hides', () => {
  fc.assert(
    fc.property(
      fc.array(anyHidden, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.array(anyRow, { minLength: 20, maxLength: 20 }),
      (hidden, rows) => {
        const words = asking()
        const [any, each] = [hiddenByAny(hidden, words), hidden.map((one) => hiddenBy(one, words))]
        expect(rows.filter(any)).toEqual(rows.filter((row) => each.some((one) => one(row))))
      },
    ),
  )
})

test.each([[1], [2]])(
  'with 1000 deletions of a tag, pushed before %d positions, only a few are tested per row',
  (positions) => {
    let tried = 0
    const hidden = Array.from({ length: 1000 }, (_, place) =>
      hiding(['a'], [10 * place, 10 * place + 5], 9 + (place % positions)),
    )
    const any = hiddenByAny(
      hidden.toReversed(),
      asking(() => tried++),
    )
    const rows = Array.from({ length: 1000 }, (_, place) => ({ ms: 10 * place + 7, tag: 'a', position: 1 }))
    expect(rows.filter(any)).toEqual([])
    expect(tried).toBeLessThanOrEqual((2 * 7 + 8) * rows.length)
  },
)
