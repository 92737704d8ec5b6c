import { compareCodePoints } from './compare-code-points.ts'

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>='

/** The operator with its operands exchanged. */
export const swapped: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** The negation of each operator. */
export const negated: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

/** Whether two values satisfy the operator, given their order as the result of a `sort` comparison. */
export function satisfies(operator: ComparisonOperator, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0
    case '<>':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

/** Whether two values of one type satisfy the operator: numbers and bigints by size, strings by code point. */
export function isMetByValues(
  operator: ComparisonOperator,
  left: number | bigint | string | boolean,
  right: number | bigint | string | boolean,
): boolean {
  if (typeof left === 'string') return satisfies(operator, compareCodePoints(left, String(right)))
  return satisfies(operator, left < right ? -1 : left > right ? 1 : 0)
}
