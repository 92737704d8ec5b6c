// WHERE as the store asks it: bounds of the time, and a filter of tags, dimensions and numbers. Null is what the store does not know to ask.

import type { AskedRows } from '../../algebra/aggregation.ts'
import { allOf, type Scalar } from '../../algebra/scalar.ts'
import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import type { Range } from '../../model/plan.ts'
import { readInterval } from '../bind/intervals.ts'
import type { Expression } from '../parse/syntax.ts'
import { instantConstant, type QueryClock } from './read-constants.ts'
import type { TableExpressions } from './table-expressions.ts'

export type PlannedWhere = Pick<AskedRows, 'ranges' | 'filter'>

/** Bounds of the time stand at the top, joined by AND. */
export function plannedWhere(
  where: Expression | null,
  names: TableExpressions,
  clock: QueryClock,
): PlannedWhere | null {
  let range: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const filters: Scalar[] = []
  for (const part of where === null ? [] : conjuncts(where)) {
    const bounds = timeBounds(part, names, clock)
    const filter = bounds === null ? names.filterOf(part) : null
    if (bounds !== null) {
      range = { fromMs: Math.max(range.fromMs, bounds.fromMs), toMs: Math.min(range.toMs, bounds.toMs) }
    } else if (filter === null) return null
    else filters.push(filter)
  }
  const ranges = range.fromMs <= range.toMs ? [range] : []
  return { ranges, filter: allOf(filters) }
}

function conjuncts(expression: Expression): readonly Expression[] {
  return expression.kind === 'logical' && expression.operator === 'AND'
    ? expression.items.flatMap(conjuncts)
    : [expression]
}

/** Null where it is no bound of the time that is known now. */
function timeBounds(part: Expression, { isTime }: TableExpressions, clock: QueryClock): Range | null {
  if (part.kind === 'comparison') {
    const isTurned = isTime(part.right)
    if (!isTurned && !isTime(part.left)) return null
    const ms = instantConstant(isTurned ? part.left : part.right, clock)
    return ms === null ? null : boundsBy(isTurned ? turnedRound[part.operator] : part.operator, ms)
  }
  if (part.kind === 'between' && !part.negated && !part.symmetric && isTime(part.operand)) {
    const [fromMs, toMs] = [instantConstant(part.low, clock), instantConstant(part.high, clock)]
    return fromMs === null || toMs === null ? null : { fromMs, toMs }
  }
  if (part.kind === 'call' && part.name === 'TIME_IN_INTERVAL') {
    const [time, interval] = part.operands
    if (time === undefined || !isTime(time) || interval?.kind !== 'text') return null
    const [fromMs, endMs] = readInterval(interval.value, clock.zone, interval.place)
    return { fromMs, toMs: endMs - 1 }
  }
  return null
}

function boundsBy(operator: ComparisonOperator, ms: number): Range | null {
  const all = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  switch (operator) {
    case '=':
      return { fromMs: ms, toMs: ms }
    case '<':
      return { ...all, toMs: ms - 1 }
    case '<=':
      return { ...all, toMs: ms }
    case '>':
      return { ...all, fromMs: ms + 1 }
    case '>=':
      return { ...all, fromMs: ms }
    case '<>':
      return null
  }
}
