import { expect, test } from 'vitest'
import { type Draw, drawFrom, oneOf } from '../../../test/support/random-rows.ts'
import type { EntityField } from '../../model/entity.ts'
import type { ValueBounds } from '../../model/row-condition.ts'
import type { RowValue } from '../../model/row-value.ts'
import { baseBounds } from './base-bounds.ts'

const field: EntityField = { name: 'V', type: 'double', role: 'metric' }
const constants = [1.8, 32, -0.1, 1e-3, 1e300, -7, 3, 1 / 3, 5e-324, -1e-300]
const numbers = [...constants, 0, 140, -2.5, 1e18, 59.99999999999999, 60.00000000000001]

const number = (value: number): RowValue => ({ kind: 'number', type: 'double', value })

function chain(draw: Draw, depth = 0): RowValue {
  if (depth > 3 || (depth > 0 && draw(3) === 0)) return { kind: 'field', field }
  const [inner, constant] = [chain(draw, depth + 1), number(oneOf(draw, constants))]
  const operator = oneOf(draw, ['+', '-', '*', '/'] as const)
  const [left, right] = operator !== '/' && draw(3) === 0 ? [constant, inner] : [inner, constant]
  return { kind: 'arithmetic', type: 'double', operator, left, right }
}

function computedOf(value: RowValue, base: number): number {
  if (value.kind === 'number') return value.value
  if (value.kind !== 'arithmetic') return base
  const [left, right] = [computedOf(value.left, base), computedOf(value.right, base)]
  const results = { '+': left + right, '-': left - right, '*': left * right, '/': left / right, '%': left % right }
  return results[value.operator]
}

function isWithin(value: number, { lower, upper, isLowerOpen, isUpperOpen }: ValueBounds<number>): boolean {
  const isAbove = lower === null || (isLowerOpen ? value > lower : value >= lower)
  return isAbove && (upper === null || (isUpperOpen ? value < upper : value <= upper))
}

const bits = new DataView(new ArrayBuffer(8))

/** The doubles beside a number. */
function near(value: number): number[] {
  bits.setFloat64(0, value)
  const place = bits.getBigInt64(0)
  return [-2n, -1n, 0n, 1n, 2n].map((step) => {
    bits.setBigInt64(0, place + step)
    return bits.getFloat64(0)
  })
}

test('say the same of each number as those of what is computed from it', () => {
  let found = 0
  for (let seed = 0; seed < 2000; seed++) {
    const draw = drawFrom(seed)
    const value = chain(draw)
    const one = (): number | null => (draw(3) === 0 ? null : oneOf(draw, numbers))
    const bounds = { lower: one(), upper: one(), isLowerOpen: draw(2) === 0, isUpperOpen: draw(2) === 0 }
    const base = baseBounds(value, bounds)
    if (base === null) continue
    found++
    const { lower, upper } = base.bounds
    const tried = [
      ...numbers,
      0,
      -0,
      1e308,
      -1e308,
      ...[lower, upper].flatMap((edge) => (edge === null ? [] : near(edge))),
    ]
    for (const number of tried.filter(Number.isFinite)) {
      const [isIn, expected] = [isWithin(number, base.bounds), isWithin(computedOf(value, number), bounds)]
      if (isIn !== expected) expect({ seed, value, bounds, base, number, isIn }).toEqual({ isIn: expected })
    }
  }
  expect(found).toBeGreaterThan(1850)
})

const times = (value: RowValue, by: number): RowValue => {
  return { kind: 'arithmetic', type: 'double', operator: '*', left: value, right: number(by) }
}
const whole: EntityField = { ...field, type: 'long' }
const computed: EntityField = { ...field, name: '@0' }
const above = { lower: 1, upper: null, isLowerOpen: true, isUpperOpen: false }

test.each<[string, RowValue]>([
  ['the column itself', { kind: 'field', field }],
  ['by nothing', times({ kind: 'field', field }, 0)],
  ['of longs', times({ kind: 'field', field: whole }, 2)],
  ['of what is computed', times({ kind: 'field', field: computed }, 2)],
  ['of two columns', { ...times({ kind: 'field', field }, 2), right: { kind: 'field', field } } as RowValue],
  ['rounded', times({ kind: 'rounded', places: 1, operand: { kind: 'field', field } }, 2)],
  [
    'divided by it',
    { kind: 'arithmetic', type: 'double', operator: '/', left: number(1), right: { kind: 'field', field } },
  ],
])('%s: none are found', (_, value) => {
  expect(baseBounds(value, above)).toBeNull()
})
