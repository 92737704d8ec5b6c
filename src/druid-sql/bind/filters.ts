// Which parts of a condition Druid makes filters of, where rows or groups are chosen.
import type { Call, Expression } from '../parse/syntax.ts'
import type { SoughtNumbers } from './column-filters.ts'
import { type Bind, type Group, groupsOf, isPlain, type Leaf, soughtIn } from './condition-leaves.ts'
import { isWorkedOut } from './worked-out-conditions.ts'

export interface Filters {
  /** The conditions that Druid makes filters of: what WHERE, HAVING, FILTER and ON of an inner join put together of them by AND, OR, NOT, IS and CASE. */
  readonly filters: ReadonlySet<Expression>
  /** Of them, those that look for whole numbers in a column of texts together with others. */
  readonly amongSeveral: ReadonlySet<Expression>
}

export const noFilters: Filters = { filters: new Set(), amongSeveral: new Set() }

/** The filters of a condition. `bind` is asked for columns and constants alone. */
export function filtersOf(condition: Expression, bind: Bind): Filters {
  const groups = groupsOf(condition)
  const workedOut = new Set(groups.filter((group) => isWorkedOut(group, bind)).flatMap(expressionsOf))
  const filters = filtersIn(condition, bind).filter((one) => !workedOut.has(one))
  return { filters: new Set(filters), amongSeveral: new Set(groups.flatMap((group) => soughtTogether(group, bind))) }
}

const expressionsOf = ({ leaves }: Group): readonly Expression[] => leaves.map(({ expression }) => expression)

/** An aggregate of a CASE of one condition, with a value where it holds alone or where it does not, is one with a FILTER. */
export function filtersOfAggregated({ name, distinct, over, operands }: Call, bind: Bind): Filters {
  const [operand] = operands
  if (operand?.kind !== 'case' || operand.operand !== null) return noFilters
  if (!filtered.has(name) || distinct || over !== null) return noFilters
  const [branch, ...others] = operand.branches
  const isHalf = operand.otherwise === null || operand.otherwise.kind === 'null' || branch!.result.kind === 'null'
  return others.length === 0 && isHalf ? filtersOf(branch!.when, bind) : noFilters
}

const filtered: ReadonlySet<string> = new Set(['COUNT', 'SUM', 'AVG', 'MIN', 'MAX'])

function filtersIn(expression: Expression, bind: Bind): readonly Expression[] {
  switch (expression.kind) {
    case 'logical':
      return expression.items.flatMap((item) => filtersIn(item, bind))
    case 'not':
      return filtersIn(expression.operand, bind)
    case 'is': {
      const isTold = expression.what !== 'NULL' && expression.what !== 'UNKNOWN'
      return isTold ? filtersIn(expression.operand, bind) : filtersOfLeaf(expression, bind)
    }
    case 'case':
      return filtersOfCase(expression, bind)
    default:
      return filtersOfLeaf(expression, bind)
  }
}

/** A comparison of a CASE is one of each of its results. */
function filtersOfLeaf(expression: Expression, bind: Bind): readonly Expression[] {
  const [first, ...others] = operandsOf(expression).filter(({ kind }) => kind === 'case')
  return first === undefined || others.length > 0 ? [expression] : [expression, ...filtersOfCase(first, bind)]
}

function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'comparison':
    case 'distinctFrom':
      return [expression.left, expression.right]
    case 'between':
      return [expression.operand, expression.low, expression.high]
    case 'inList':
      return [expression.operand, ...expression.items]
    case 'is':
    case 'like':
      return [expression.operand]
    default:
      return []
  }
}

/** The planner makes AND and OR of a CASE, unless anything but its first condition may fail, and a CAST may. */
function filtersOfCase(expression: Expression, bind: Bind): readonly Expression[] {
  if (expression.kind !== 'case' || expression.operand !== null) return []
  const [first, ...others] = expression.branches
  const rest = [first!.result, ...others.flatMap(({ when, result }) => [when, result])]
  const isSafe = [...rest, ...(expression.otherwise === null ? [] : [expression.otherwise])].every((one) =>
    cannotFail(one, bind),
  )
  return isSafe ? filtersIn(first!.when, bind) : []
}

/** Whether it is made of columns, constants, and what compares them as they are. */
function cannotFail(expression: Expression, bind: Bind): boolean {
  switch (expression.kind) {
    case 'comparison':
      return (
        isPlain(expression.left) && isPlain(expression.right) && !castsText(expression.left, expression.right, bind)
      )
    case 'logical':
      return expression.items.every((item) => cannotFail(item, bind))
    case 'not':
    case 'is':
      return cannotFail(expression.operand, bind)
    case 'boolean':
    case 'null':
      return true
    default:
      return isPlain(expression)
  }
}

function castsText(left: Expression, right: Expression, bind: Bind): boolean {
  const kinds = [bind(left).type.kind, bind(right).type.kind]
  return kinds.includes('string') && kinds.some((kind) => kind !== 'string')
}

/** `s = 7 OR s = 1000` is one list to Druid, as `s IN (7, 1000)` is, and so is `s <> 7 AND s <> 1000`. */
function soughtTogether({ leaves, isAny }: Group, bind: Bind): readonly Expression[] {
  const sought = leaves.flatMap((leaf) => {
    const wholes = isEquality(leaf) === isAny ? wholesOf(leaf.expression, bind) : null
    return wholes === null ? [] : [{ ...wholes, expression: leaf.expression }]
  })
  const ofColumn = new Map(sought.map(({ column }) => [column, new Set<number | bigint>()]))
  for (const { column, numbers } of sought) for (const whole of numbers) ofColumn.get(column)!.add(whole)
  return sought.filter(({ column }) => ofColumn.get(column)!.size > 1).map(({ expression }) => expression)
}

function isEquality({ expression, isNegated }: Leaf): boolean | null {
  if (expression.kind === 'comparison' && expression.operator === '=') return !isNegated
  if (expression.kind === 'comparison' && expression.operator === '<>') return isNegated
  return expression.kind === 'inList' ? expression.negated === isNegated : null
}

function wholesOf(expression: Expression, bind: Bind): SoughtNumbers | null {
  if (expression.kind === 'inList') return wholesAmong(expression.operand, expression.items, bind)
  if (expression.kind !== 'comparison') return null
  const { left, right } = expression
  return wholesAmong(left, [right], bind) ?? wholesAmong(right, [left], bind)
}

function wholesAmong(operand: Expression, items: readonly Expression[], bind: Bind): SoughtNumbers | null {
  const sought = soughtIn(operand, items, bind)
  return sought?.numbers.every((number) => typeof number === 'bigint') === true ? sought : null
}
