// Random filters of rows, and their simplest evaluation.
import { call, fieldNode, isNull, literal, not, type Scalar } from '../../src/algebra/scalar.ts'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { EntityField } from '../../src/model/entity.ts'
import type { ModelRow } from './model-store.ts'
import { type Draw, oneOf } from './random-rows.ts'

const texts = ['', 'a', 'ab', 'a%', 'é', '\uffff', '\u{1f600}']
const numbers = [0, -1, 7, 1.5, 100, 1e300]
const operators = ['=', '<>', '<', '<=', '>', '>='] as const
export const isNumber = ({ type }: EntityField): boolean => type === 'double' || type === 'long'

export function randomFilter(draw: Draw, fields: readonly EntityField[], depth = 0): Scalar {
  const filter = randomCondition(draw, fields, depth)
  return draw(2) === 0 ? filter : not(filter)
}

function randomCondition(draw: Draw, fields: readonly EntityField[], depth: number): Scalar {
  if (depth < 2 && draw(3) === 0) {
    const filters = Array.from({ length: draw(3) }, () => randomFilter(draw, fields, depth + 1))
    return call('boolean', draw(2) === 0 ? 'and' : 'or', filters)
  }
  const usable = fields.filter((field) => field.type === 'string' || isNumber(field))
  const field = oneOf(draw, usable)
  if (draw(6) === 0) return isNull(fieldNode(field))
  if (draw(12) === 0) return literal('boolean', draw(2) === 0)
  const isText = field.type === 'string'
  const constants = isText
    ? texts.map((text) => literal('string', text))
    : numbers.map((number) => literal('double', number))
  const one = (): Scalar => oneOf(draw, constants)
  const compared = (): Scalar => call('boolean', oneOf(draw, operators), [fieldNode(field), one()])
  switch (draw(3)) {
    case 0:
      return call('boolean', 'in', [fieldNode(field), ...constants.filter(() => draw(2) === 0)])
    case 1:
      return draw(2) === 0 ? compared() : call('boolean', 'and', [compared(), compared()])
    default: {
      const pattern = literal('string', oneOf(draw, ['a%', '%b', '_', '%', 'a_', '%é%', '']))
      return isText ? call('boolean', 'like', [fieldNode(field), pattern]) : compared()
    }
  }
}

export const passes = (filter: Scalar, row: ModelRow): boolean => holds(filter, row) === true

/** Null where the result is unknown. */
function holds(filter: Scalar, row: ModelRow): boolean | null {
  if (filter.kind === 'literal') return filter.value as boolean
  if (filter.kind !== 'call') throw new Error('a filter is made of conditions')
  const { name, operands } = filter
  const [first, ...others] = operands
  if (name === 'not') {
    const is = holds(first!, row)
    return is === null ? null : !is
  }
  if (name === 'and' || name === 'or') {
    const parts = operands.map((part) => holds(part, row))
    const decides = name === 'or'
    return parts.includes(decides) ? decides : parts.includes(null) ? null : !decides
  }
  if (first?.kind !== 'field') throw new Error('a condition is of a field')
  const value = row.values[first.field.name] ?? null
  if (name === 'isNull') return value === null
  if (value === null) return null
  const constants = others.map((other) => (other.kind === 'literal' ? other.value : null))
  const orders = constants.map((constant) =>
    first.type === 'string' ? compareCodePoints(String(value), String(constant)) : Number(value) - Number(constant),
  )
  if (name === 'in') return orders.includes(0)
  if (name === 'like') return isLike(String(constants[0]), String(value))
  const [order] = orders as [number]
  const met = {
    '=': order === 0,
    '<>': order !== 0,
    '<': order < 0,
    '<=': order <= 0,
    '>': order > 0,
    '>=': order >= 0,
  }
  return met[name as keyof typeof met]
}

/** Implemented with a regular expression. */
function isLike(pattern: string, text: string): boolean {
  const regex = pattern.replaceAll('%', '.*').replaceAll('_', '.')
  return new RegExp(`^${regex}$`, 'su').test(text)
}
