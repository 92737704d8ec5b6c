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
  /** The condition itself and what AND and OR put together of it: a part that is unknown is as good as one that is false. */
  readonly parts: ReadonlySet<Expression>
}

export const noFilters: Filters = { filters: new Set(), amongSeveral: new Set(), parts: new Set() }

/** The filters of a condition. `bind` is asked for columns and constants alone. */
export function filtersOf(condition: Expression, bind: Bind): Filters {
  const groups = groupsOf(condition)
  const workedOut = new Set(groups.filter((group) => isWorkedOut(group, bind)).flatMap(expressionsOf))
  const filters = filtersIn(condition, bind).filter((one) => !workedOut.has(one))
  const amongSeveral = new Set(groups.flatMap((group) => soughtTogether(group, bind)))
  return { filters: new Set(filters), amongSeveral, parts: partsOf(condition) }
}

export const partsOf = (condition: Expression): ReadonlySet<Expression> =>
  new Set(condition.kind === 'logical' ? condition.items.flatMap((item) => [...partsOf(item)]) : [condition])

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

/** A comparison of a CASE is one of each of its results, and so is a call, if nothing but constants stands in it. */
function filtersOfLeaf(expression: Expression, bind: Bind): readonly Expression[] {
  const operands = operandsOf(expression)
  const [first, ...others] = operands.filter((operand) => operand.kind === 'case')
  if (first === undefined || others.length > 0) return [expression]
  const beside = expression.kind === 'call' ? [...operands.filter((one) => one !== first), ...resultsOf(first)] : []
  return beside.every(isOfConstants) ? [expression, ...filtersOfCase(first, bind)] : [expression]
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
    case 'call':
      return expression.operands
    default:
      return []
  }
}

type Case = Extract<Expression, { kind: 'case' }>

const resultsOf = ({ branches, otherwise }: Case): readonly Expression[] => [
  ...branches.map(({ result }) => result),
  ...(otherwise === null ? [] : [otherwise]),
]

/** The planner makes AND and OR of a CASE, unless anything but its first condition may fail, and a CAST may. */
function filtersOfCase(expression: Case, bind: Bind): readonly Expression[] {
  const [first, ...others] = expression.branches
  const results = resultsOf(expression)
  const isSafe = [...others.map(({ when }) => when), ...results].every((one) => cannotFail(one, bind))
  if (!isSafe || isCastWithin(results, bind)) return []
  if (expression.operand === null) return filtersIn(first!.when, bind)
  // `CASE x WHEN TRUE THEN ...` is one of the condition x.
  return expression.branches.every(({ when }) => when.kind === 'boolean') ? filtersIn(expression.operand, bind) : []
}

/** Whether whole numbers of a column are cast, because another result is a double. Constants are cast beforehand. */
function isCastWithin(results: readonly Expression[], bind: Bind): boolean {
  const plain = results.filter(isPlain)
  const ofKind = (kind: 'long' | 'double'): readonly Expression[] => plain.filter((one) => bind(one).type.kind === kind)
  return ofKind('double').length > 0 && ofKind('long').some(({ kind }) => kind === 'column')
}

/** Whether the planner works it out beforehand. */
function isOfConstants(expression: Expression): boolean {
  switch (expression.kind) {
    case 'text':
    case 'number':
    case 'boolean':
    case 'null':
    case 'time':
    case 'interval':
      return true
    case 'negate':
    case 'cast':
      return isOfConstants(expression.operand)
    case 'arithmetic':
      return isOfConstants(expression.left) && isOfConstants(expression.right)
    case 'array':
      return expression.items.every(isOfConstants)
    case 'call':
      return expression.over === null && expression.operands.length > 0 && expression.operands.every(isOfConstants)
    default:
      return false
  }
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
    default:
      return isPlain(expression) || isOfConstants(expression)
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
