// Values computed from random rows, and their simplest evaluation.
import type { ComputedField } from '../../src/algebra/computed-fields.ts'
import type { ScalarType } from '../../src/algebra/functions.ts'
import {
  type CallNode,
  call,
  caseOf,
  computedName,
  fieldNode,
  literal,
  numberType,
  type Scalar,
} from '../../src/algebra/scalar.ts'
import type { EntityField } from '../../src/model/entity.ts'
import type { ModelRow } from './model-store.ts'
import { isNumber, passes, randomFilter } from './random-filters.ts'
import { type Draw, oneOf } from './random-rows.ts'

/** Computed fields of numbers and strings; some are computed from earlier ones. */
export function randomComputed(draw: Draw, fields: readonly EntityField[]): readonly ComputedField[] {
  const computed: ComputedField[] = []
  for (let count = draw(4); count > 0; count--) {
    const known = [...fields, ...computed.map(({ field }) => field)]
    const value = randomValue(draw, known)
    const type = value.type as EntityField['type']
    computed.push({ field: { name: computedName(computed.length), type, role: 'dimension' }, value })
  }
  return computed
}

function randomValue(draw: Draw, fields: readonly EntityField[]): Scalar {
  switch (draw(4)) {
    case 0: {
      const texts = fields.filter(({ type }) => type === 'string')
      return chosen(draw, fields, 'string', () =>
        draw(2) === 0 ? fieldNode(oneOf(draw, texts)) : literal('string', oneOf(draw, ['', 'a', 'x'])),
      )
    }
    case 1:
      return linear(draw, fields)
    default:
      return randomNumber(draw, fields, 0)
  }
}

/** A linear expression of doubles over one field: rollups can compute its result for an hour. */
function linear(draw: Draw, fields: readonly EntityField[]): Scalar {
  let value: Scalar = fieldNode(oneOf(draw, fields.filter(isNumber)))
  for (let step = 1 + draw(3); step > 0; step--) {
    const constant = literal('double', oneOf(draw, [2, -1.5, 32, 0.25, 1e3]))
    const operator = oneOf(draw, ['+', '-', '*', '/'] as const)
    const isFirst = operator !== '/' && draw(2) === 0
    value = call('double', operator, isFirst ? [constant, value] : [value, constant])
  }
  return value
}

function randomNumber(draw: Draw, fields: readonly EntityField[], depth: number): Scalar {
  if (depth > 2 || draw(4) === 0) return fieldNode(oneOf(draw, fields.filter(isNumber)))
  const one = (): Scalar => randomNumber(draw, fields, depth + 1)
  const constant =
    draw(2) === 0 ? literal('long', oneOf(draw, [2n, -7n, 10n])) : literal('double', oneOf(draw, [1.5, -0.25, 3]))
  switch (draw(6)) {
    case 0:
    case 1: {
      const [left, right] = [one(), draw(2) === 0 ? one() : constant]
      const type = numberType(left, right)
      const operator = oneOf(draw, type === 'long' ? (['+', '-', '*', '/', '%'] as const) : (['+', '-', '*'] as const))
      return call(type, operator, [left, right])
    }
    case 2: {
      const operand = one()
      if (operand.type === 'long')
        return draw(2) === 0 ? call('long', 'abs', [operand]) : call('double', 'toDouble', [operand])
      return call('double', oneOf(draw, ['floor', 'ceil', 'abs', 'negate'] as const), [operand])
    }
    case 3:
      return call('long', 'toLong', [call('double', 'toDouble', [one()])])
    case 4: {
      const values = [one(), one()] as const
      return call(numberType(...values), 'coalesce', values)
    }
    default: {
      const values = [one(), one()] as const
      return chosen(draw, fields, numberType(...values), () => oneOf(draw, values))
    }
  }
}

function chosen(draw: Draw, fields: readonly EntityField[], type: ScalarType, result: () => Scalar): Scalar {
  const orNull = (): Scalar => (draw(4) === 0 ? literal(type, null) : result())
  const branches = Array.from({ length: 1 + draw(2) }, () => ({
    when: randomFilter(draw, fields, 1),
    result: orNull(),
  }))
  // A CASE of nulls only has no type.
  return caseOf(branches, orNull()) ?? chosen(draw, fields, type, result)
}

/** Thrown for an expression that the store does not evaluate itself. */
export class Beyond extends Error {}

/** Rows with their computed fields; throws `Beyond`. */
export function withComputed(rows: readonly ModelRow[], computed: readonly ComputedField[]): readonly ModelRow[] {
  return rows.map((row) => {
    const values = { ...row.values }
    for (const { field, value } of computed) values[field.name] = valueIn(value, { ...row, values })
    return { ...row, values }
  })
}

type ModelValue = string | number | bigint | null

function valueIn(value: Scalar, row: ModelRow): ModelValue {
  switch (value.kind) {
    case 'field': {
      const found = row.values[value.field.name] ?? null
      if (typeof found === 'boolean') return null
      return value.type === 'long' && found !== null ? BigInt(found) : found
    }
    case 'literal':
      return value.value as ModelValue
    case 'call':
      return calledIn(value, row)
    case 'case': {
      // Evaluates all branches, so that `Beyond` is thrown for any of them.
      const results = [...value.branches.map(({ result }) => result), value.otherwise].map((one) => valueIn(one, row))
      return asType(value.type, results.at(value.branches.findIndex(({ when }) => passes(when, row)))!)
    }
    case 'cell':
      throw new Error('rows have no cells')
  }
}

const asType = (type: ScalarType, value: ModelValue): ModelValue =>
  type === 'double' && value !== null ? Number(value) : value

function calledIn({ name, type, operands }: CallNode, row: ModelRow): ModelValue {
  const values = operands.map((operand) => valueIn(operand, row))
  if (name === 'coalesce') return asType(type, values.find((value) => value !== null) ?? null)
  const [left, right] = values as [ModelValue, ModelValue]
  if (values.length === 1) return changed(name, left)
  if (type === 'long' && (name === '/' || name === '%') && right === 0n) throw new Beyond()
  if (left === null || right === null) return null
  if (type === 'double') return finite(ofNumbers(name, Number(left), Number(right)))
  return BigInt.asIntN(64, ofLongs(name, BigInt(left), BigInt(right)))
}

function changed(name: CallNode['name'], operand: ModelValue): ModelValue {
  if (operand === null || typeof operand === 'string') return null
  if (typeof operand === 'bigint' && name === 'abs') return BigInt.asIntN(64, operand < 0n ? -operand : operand)
  const number = Number(operand)
  if (name === 'toDouble') return number
  if (name === 'negate') return -number
  if (name !== 'toLong') return Math[name as 'floor' | 'ceil' | 'abs'](number)
  if (Math.abs(number) >= 2 ** 53) throw new Beyond()
  return BigInt(Math.trunc(number))
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Beyond()
  return value
}

function ofNumbers(operator: string, left: number, right: number): number {
  return operator === '+'
    ? left + right
    : operator === '-'
      ? left - right
      : operator === '*'
        ? left * right
        : left / right
}

function ofLongs(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    default:
      return operator === '/' ? left / right : left % right
  }
}
