// Tested by `test/druid-native/planned.test.ts`.

// Native expressions to values that the store computes from each row: arithmetic of fields of numbers and constants. Null is what it cannot compute.
import { type RowOperator, type RowValue, typeOfValue } from '../../model/row-value.ts'
import type { BinaryOperator, Expression } from '../expression/syntax.ts'
import type { FieldOf } from './row-filter.ts'

export function readRowValue(expression: Expression, fieldOf: FieldOf): RowValue | null {
  switch (expression.kind) {
    case 'long':
    case 'double':
      return constant(expression)
    case 'unary': {
      const { operator, operand } = expression
      const value =
        operator === '-' && (operand.kind === 'long' || operand.kind === 'double') ? constant(operand) : null
      return value && { ...value, value: -value.value }
    }
    case 'name': {
      const field = fieldOf(expression.name)
      return field === null || field.type === 'string' ? null : { kind: 'field', field }
    }
    case 'binary': {
      const [left, right] = [readRowValue(expression.left, fieldOf), readRowValue(expression.right, fieldOf)]
      return left && right && arithmetic(expression.operator, left, right)
    }
    default:
      return null
  }
}

type Constant = Extract<Expression, { kind: 'long' | 'double' }>

function constant({ kind, value }: Constant): Extract<RowValue, { kind: 'number' }> | null {
  const number = Number(value)
  const isExact = kind === 'long' ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isExact ? { kind: 'number', type: kind, value: number } : null
}

const operators: ReadonlyMap<BinaryOperator, RowOperator> = new Map(
  (['+', '-', '*', '/', '%'] as const).map((operator) => [operator, operator]),
)

function arithmetic(named: BinaryOperator, left: RowValue, right: RowValue): RowValue | null {
  const operator = operators.get(named)
  const isDouble = typeOfValue(left) === 'double' || typeOfValue(right) === 'double'
  if (operator === undefined || (isDouble && operator === '%')) return null
  return { kind: 'arithmetic', type: isDouble ? 'double' : 'long', operator, left, right }
}
