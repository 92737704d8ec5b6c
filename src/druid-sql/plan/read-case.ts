// `CASE WHEN x THEN v ELSE 0 END` within an aggregate: which rows have which value.
import type { RowFilter } from '../../model/row-condition.ts'
import type { Expression } from '../parse/syntax.ts'
import { numberConstant } from './read-constants.ts'
import { rowFilter, type TableNames } from './read-where.ts'

/** One value for the rows that pass, and one for those that do not, or may not. */
export interface SplitRows {
  readonly passes: RowFilter
  readonly result: Expression
  /** Null where they have none. */
  readonly otherwise: Expression | null
}

/** A CASE of one condition; null for other expressions. */
export function splitRows(expression: Expression, names: TableNames): SplitRows | null {
  if (expression.kind !== 'case') return null
  const { operand, otherwise } = expression
  const [branch, ...others] = expression.branches
  if (branch === undefined || others.length > 0) return null
  const { when, result } = branch
  const condition: Expression =
    operand === null ? when : { kind: 'comparison', operator: '=', left: operand, right: when, place: when.place }
  const passes = rowFilter(condition, names, false)
  return passes === null ? null : { passes, result, otherwise: otherwise?.kind === 'null' ? null : otherwise }
}

/** Whose sums are exact, however many rows there are. */
const wholeMax = 2 ** 20

export interface WholeConstant {
  readonly type: 'long' | 'double'
  readonly value: number
}

/** A whole number that is not large. */
export function wholeConstant(expression: Expression): WholeConstant | null {
  const constant = numberConstant(expression)
  if (constant === null) return null
  const value = Number(constant.value)
  return Number.isInteger(value) && Math.abs(value) <= wholeMax ? { type: constant.type, value } : null
}

/** Whether it is the same for all rows, and not null. */
export function isConstant(expression: Expression): boolean {
  return expression.kind === 'text' || expression.kind === 'boolean' || numberConstant(expression) !== null
}

/** Of rows, and of those of them that pass a condition. */
export interface SplitFilters {
  readonly where: RowFilter | null
  readonly passed: RowFilter
}

/** What says the same of no value as of no row. */
export const splitNames: ReadonlySet<string> = new Set(['COUNT', 'SUM', 'AVG', 'MIN', 'MAX'])

export const both = (where: RowFilter | null, filter: RowFilter): RowFilter =>
  where === null ? filter : { kind: 'and', filters: [where, filter] }
