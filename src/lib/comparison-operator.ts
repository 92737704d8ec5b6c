import { compareCodePoints } from './compare-code-points.ts'

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>='

/** With its sides exchanged. */
export const turnedRound: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** What holds where it does not. */
export const negated: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

/** Whether two values meet it that are in this order, as `sort` takes it. */
export function isMetBy(operator: ComparisonOperator, order: number): boolean {
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

/** Whether two values of one type meet it: numbers and bigints by their size, texts by code points. */
export function isMetByValues(
  operator: ComparisonOperator,
  left: number | bigint | string | boolean,
  right: number | bigint | string | boolean,
): boolean {
  if (typeof left === 'string') return isMetBy(operator, compareCodePoints(left, String(right)))
  return isMetBy(operator, left < right ? -1 : left > right ? 1 : 0)
}
