// Values that are worked out of random rows, and the plainest way to do it.
import type { EntityField } from '../../src/model/entity.ts'
import { type ComputedField, type RowValue, typeOfValue } from '../../src/model/row-value.ts'
import type { ModelRow } from './model-store.ts'
import { isNumber, passes, randomFilter } from './random-filters.ts'
import { type Draw, oneOf } from './random-rows.ts'

/** Computed fields, of numbers and of texts; some are computed from those before them. */
export function randomComputed(draw: Draw, fields: readonly EntityField[]): readonly ComputedField[] {
  const computed: ComputedField[] = []
  for (let count = draw(4); count > 0; count--) {
    const known = [...fields, ...computed.map(({ field }) => field)]
    const value = randomValue(draw, known)
    computed.push({ field: { name: `@${computed.length}`, type: typeOfValue(value), role: 'dimension' }, value })
  }
  return computed
}

function randomValue(draw: Draw, fields: readonly EntityField[]): RowValue {
  switch (draw(4)) {
    case 0: {
      const texts = fields.filter(({ type }) => type === 'string')
      return choice(draw, fields, 'string', () =>
        draw(2) === 0
          ? { kind: 'field', field: oneOf(draw, texts) }
          : { kind: 'text', value: oneOf(draw, ['', 'a', 'x']) },
      )
    }
    case 1:
      return linear(draw, fields)
    default:
      return randomNumber(draw, fields, 0)
  }
}

/** Of doubles, with one field: rollups say what it is of an hour. */
function linear(draw: Draw, fields: readonly EntityField[]): RowValue {
  let value: RowValue = { kind: 'field', field: oneOf(draw, fields.filter(isNumber)) }
  for (let step = 1 + draw(3); step > 0; step--) {
    const constant: RowValue = { kind: 'number', type: 'double', value: oneOf(draw, [2, -1.5, 32, 0.25, 1e3]) }
    const operator = oneOf(draw, ['+', '-', '*', '/'] as const)
    const isFirst = operator !== '/' && draw(2) === 0
    value = {
      kind: 'arithmetic',
      type: 'double',
      operator,
      left: isFirst ? constant : value,
      right: isFirst ? value : constant,
    }
  }
  return value
}

function randomNumber(draw: Draw, fields: readonly EntityField[], depth: number): RowValue {
  if (depth > 2 || draw(4) === 0) return { kind: 'field', field: oneOf(draw, fields.filter(isNumber)) }
  const one = (): RowValue => randomNumber(draw, fields, depth + 1)
  const constant: RowValue =
    draw(2) === 0
      ? { kind: 'number', type: 'long', value: oneOf(draw, [2, -7, 10]) }
      : { kind: 'number', type: 'double', value: oneOf(draw, [1.5, -0.25, 3]) }
  switch (draw(5)) {
    case 0:
    case 1: {
      const [left, right] = [one(), draw(2) === 0 ? one() : constant]
      const isLong = typeOfValue(left) === 'long' && typeOfValue(right) === 'long'
      const operator = oneOf(draw, isLong ? (['+', '-', '*', '/', '%'] as const) : (['+', '-', '*'] as const))
      return { kind: 'arithmetic', type: isLong ? 'long' : 'double', operator, left, right }
    }
    case 2: {
      const operand = one()
      const type = typeOfValue(operand) === 'long' ? 'long' : 'double'
      if (type === 'long')
        return {
          kind: 'unary',
          ...oneOf(draw, [
            { operator: 'abs', type },
            { operator: 'double', type: 'double' },
          ] as const),
          operand,
        }
      return { kind: 'unary', type, operator: oneOf(draw, ['floor', 'ceil', 'abs'] as const), operand }
    }
    case 3:
      return {
        kind: 'unary',
        type: 'long',
        operator: 'long',
        operand: { kind: 'unary', type: 'double', operator: 'double', operand: one() },
      }
    default: {
      const values = [one(), one()]
      const type = values.every((value) => typeOfValue(value) === 'long') ? 'long' : 'double'
      return choice(draw, fields, type, () => oneOf(draw, values))
    }
  }
}

function choice(
  draw: Draw,
  fields: readonly EntityField[],
  type: 'string' | 'long' | 'double',
  result: () => RowValue,
): RowValue {
  const orNull = (): RowValue | null => (draw(4) === 0 ? null : result())
  const branches = Array.from({ length: 1 + draw(2) }, () => ({
    passes: randomFilter(draw, fields, 1),
    value: orNull(),
  }))
  return { kind: 'choice', type, branches, otherwise: orNull() }
}

/** Something that the store leaves to others. */
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

function valueIn(value: RowValue, row: ModelRow): ModelValue {
  switch (value.kind) {
    case 'field': {
      const found = row.values[value.field.name] ?? null
      if (typeof found === 'boolean') return null
      return typeOfValue(value) === 'long' && found !== null ? BigInt(found) : found
    }
    case 'number':
      return value.type === 'long' ? BigInt(value.value) : value.value
    case 'text':
      return value.value
    case 'arithmetic': {
      const [left, right] = [valueIn(value.left, row), valueIn(value.right, row)]
      const divides = value.operator === '/' || value.operator === '%'
      if (value.type === 'long' && divides && right === 0n) throw new Beyond()
      if (left === null || right === null) return null
      if (value.type === 'double') return finite(ofNumbers(value.operator, Number(left), Number(right)))
      return BigInt.asIntN(64, ofLongs(value.operator, BigInt(left), BigInt(right)))
    }
    case 'unary':
      return unary(value, valueIn(value.operand, row))
    case 'rounded':
      throw new Error('rounding has a test of its own')
    case 'choice': {
      // All of them are worked out, and what is beyond shows.
      const results = [...value.branches.map((branch) => branch.value), value.otherwise].map((one) =>
        one === null ? null : valueIn(one, row),
      )
      const at = value.branches.findIndex((branch) => passes(branch.passes, row))
      const found = results.at(at)!
      return value.type === 'double' && found !== null ? Number(found) : found
    }
  }
}

function unary({ operator }: Extract<RowValue, { kind: 'unary' }>, operand: ModelValue): ModelValue {
  if (operand === null || typeof operand === 'string') return null
  if (typeof operand === 'bigint' && operator === 'abs') return BigInt.asIntN(64, operand < 0n ? -operand : operand)
  const number = Number(operand)
  if (operator === 'double') return number
  if (operator !== 'long') return Math[operator](number)
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
