import { expect, test } from 'vitest'
import { type Draw, drawFrom, oneOf } from '../../test/support/random-rows.ts'
import type { EntityField } from '../model/entity.ts'
import { baseBound } from './base-bounds.ts'
import { call, fieldNode, literal, type Scalar } from './scalar.ts'

const field: EntityField = { name: 'V', type: 'double', role: 'metric' }
const constants = [1.8, 32, -0.1, 1e-3, 1e300, -7, 3, 1 / 3, 5e-324, -1e-300]
const numbers = [...constants, 0, 140, -2.5, 1e18, 59.99999999999999, 60.00000000000001]

const number = (value: number): Scalar => literal('double', value)

function chain(draw: Draw, depth = 0): Scalar {
  if (depth > 3 || (depth > 0 && draw(3) === 0)) return fieldNode(field)
  const [inner, constant] = [chain(draw, depth + 1), number(oneOf(draw, constants))]
  const operator = oneOf(draw, ['+', '-', '*', '/'] as const)
  return call('double', operator, operator !== '/' && draw(3) === 0 ? [constant, inner] : [inner, constant])
}

function computedOf(value: Scalar, base: number): number {
  if (value.kind === 'literal') return Number(value.value)
  if (value.kind !== 'call') return base
  const [left, right] = value.operands.map((operand) => computedOf(operand, base)) as [number, number]
  const results: Record<string, number> = { '+': left + right, '-': left - right, '*': left * right, '/': left / right }
  return results[value.name]!
}

type Bound = '<' | '<=' | '>' | '>='

const isMet = (value: number, operator: string, bound: number): boolean =>
  operator === '<'
    ? value < bound
    : operator === '<='
      ? value <= bound
      : operator === '>'
        ? value > bound
        : value >= bound

const bits = new DataView(new ArrayBuffer(8))

/** A number and the two doubles on each side of it. */
function near(value: number): number[] {
  bits.setFloat64(0, value)
  const place = bits.getBigInt64(0)
  return [-2n, -1n, 0n, 1n, 2n].map((step) => {
    bits.setBigInt64(0, place + step)
    return bits.getFloat64(0)
  })
}

test('a bound on the column selects the same numbers as the bound on the value computed from it', () => {
  let found = 0
  for (let seed = 0; seed < 3000; seed++) {
    const draw = drawFrom(seed)
    const value = chain(draw)
    const [operator, bound] = [oneOf<Bound>(draw, ['<', '<=', '>', '>=']), oneOf(draw, numbers)]
    const base = baseBound(value, operator, literal('double', bound))
    if (base?.kind !== 'call') continue
    found++
    const edge = base.operands[1]!
    if (edge.kind !== 'literal') throw new Error('a bound is a constant')
    for (const number of [...numbers, 0, -0, 1e308, -1e308, ...near(Number(edge.value))].filter(Number.isFinite)) {
      const [isIn, expected] = [
        isMet(number, base.name, Number(edge.value)),
        isMet(computedOf(value, number), operator, bound),
      ]
      if (isIn !== expected) expect({ seed, value, operator, bound, base, number, isIn }).toEqual({ isIn: expected })
    }
  }
  expect(found).toBeGreaterThan(2700)
})

const times = (value: Scalar, by: number): Scalar => call('double', '*', [value, number(by)])
const whole: EntityField = { ...field, type: 'long' }
const computed: EntityField = { ...field, name: '@0' }

test.each<[string, Scalar]>([
  ['the column itself', fieldNode(field)],
  ['multiplied by zero', times(fieldNode(field), 0)],
  ['a column of longs', times(fieldNode(whole), 2)],
  ['a computed column', times(fieldNode(computed), 2)],
  ['the product of two columns', call('double', '*', [fieldNode(field), fieldNode(field)])],
  ['a rounded column', times(call('double', 'round', [fieldNode(field), literal('long', 1n)]), 2)],
  ['a number divided by the column', call('double', '/', [number(1), fieldNode(field)])],
])('%s: no bound is found', (_, value) => {
  expect(baseBound(value, '>', literal('double', 1))).toBeNull()
})
