import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passes as passesRow } from '../../../../test/support/random-filters.ts'
import { call, fieldNode, literal, not, type Scalar } from '../../../algebra/scalar.ts'
import type { BoundedRollups } from '../reading/sealed-source.ts'
import { HourRanges, type HourVerdict, partsOfFilter } from './hour-ranges.ts'

const field = { name: 'V', type: 'double', role: 'metric' } as const
const accessor = { kind: 'column', index: 0, type: 'double', dictionary: null as never } as const
const few = fc.integer({ min: 0, max: 4 })
const anyComparison: fc.Arbitrary<Scalar> = fc
  .tuple(fc.constantFrom('=', '<>', '<', '<=', '>', '>='), few)
  .map(([operator, constant]) => call('boolean', operator, [fieldNode(field), literal('double', constant)]))
const anyRange: fc.Arbitrary<Scalar> = fc.oneof(
  anyComparison,
  anyComparison.map(not),
  fc
    .tuple(fc.constantFrom('and', 'or'), anyComparison, anyComparison, fc.boolean())
    .map(([name, one, other, isNegated]) => {
      const both = call('boolean', name, [one, other])
      return isNegated ? not(both) : both
    }),
)
const anyRows = fc.array(fc.option(few), { minLength: 1, maxLength: 4 })

const passes = (range: Scalar, value: number | null): boolean =>
  passesRow(range, { entityId: 1, position: 0, values: { V: value } })

/** The rollups of one hour with these rows. */
function rollupsOf(rows: readonly (number | null)[]): BoundedRollups {
  const values = rows.filter((value) => value !== null)
  const sum = values.reduce((total, value) => total + value, 0)
  const bound = (pick: (...values: number[]) => number) =>
    Float64Array.of(values.length === 0 ? Number.NaN : pick(...values))
  return {
    length: 1,
    hoursMs: Float64Array.of(0),
    column: () => ({ counts: Float64Array.of(values.length), sums: Float64Array.of(sum), errors: null }),
    bounds: () => ({ least: bound(Math.min), greatest: bound(Math.max) }),
  }
}

test('an hour with the verdict "all" or "none" has only rows that pass, or none', () => {
  const seen = new Set<HourVerdict>()
  fc.assert(
    fc.property(fc.array(anyRange, { minLength: 1, maxLength: 2 }), anyRows, (ranges, rows) => {
      const hours = new HourRanges(ranges, () => accessor)
      const verdict = hours.verdict(hours.columnsOf(rollupsOf(rows)), 0, rows.length)
      seen.add(verdict)
      const passing = rows.filter((value) => ranges.every((range) => passes(range, value))).length
      if (verdict === 'all') expect(passing).toBe(rows.length)
      if (verdict === 'none') expect(passing).toBe(0)
      // Exact for a single range only: the result at the bounds of one range is not used for the others.
      const [range] = ranges
      const isSame = rows.every((value) => value === rows[0] && value !== null)
      if (ranges.length === 1 && isSame) expect(verdict).toBe(passes(range!, rows[0]!) ? 'all' : 'none')
    }),
    { numRuns: 2000 },
  )
  expect([...seen].sort()).toEqual(['all', 'none', 'some'])
})

test('numeric ranges joined by AND are separated from the rest of a filter', () => {
  const range = call('boolean', '>=', [fieldNode(field), literal('double', 1)])
  const text = call('boolean', 'in', [fieldNode({ ...field, type: 'string' }), literal('string', 'a')])
  const either = call('boolean', 'or', [range, text])
  const parts = (filter: Scalar | null, isComputed = false) =>
    partsOfFilter(
      filter,
      () => accessor,
      () => isComputed,
    )
  expect(parts(null)).toEqual({ ranges: [], others: null })
  expect(parts(range)).toEqual({ ranges: [range], others: null })
  expect(parts(call('boolean', 'and', [range, text, either]))).toEqual({
    ranges: [range],
    others: call('boolean', 'and', [text, either]),
  })
  expect(parts(either)).toEqual({ ranges: [], others: either })
  expect(parts(range, true)).toEqual({ ranges: [], others: range })
})
