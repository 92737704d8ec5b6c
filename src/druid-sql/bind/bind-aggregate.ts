// Aggregate calls, within groups and over windows.

import { sql } from '../../lib/sql-text.ts'
import type { AggregateCall, AggregateResult } from '../functions/aggregate-signature.ts'
import { aggregates } from '../functions/aggregates.ts'
import { checkCount } from '../functions/signature.ts'
import { windowAggregates, windowFunctions } from '../functions/windows.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Call, OrderItem, Window } from '../parse/syntax.ts'
import { bindFilter, type ExpressionContext } from './expression-context.ts'
import { columnIn, pushedIn } from './scope.ts'
import {
  type AggregateNode,
  type Bound,
  engineAggregate,
  keyOf,
  type OrderKey,
  storedColumn,
  type WindowNode,
} from './tree.ts'
import { long } from './types.ts'

/** An aggregate of a group. */
export function bindAggregate(call: Call, context: ExpressionContext): Bound {
  const { name, place } = call
  if (context.noAggregates !== null) throw sqlProblem(place, context.noAggregates)
  if (name === 'GROUPING') return bindGrouping(call, context)
  const inner: ExpressionContext = {
    ...context,
    noAggregates: `an aggregate is not allowed within another one, ${name}`,
    noWindows: 'a window function is not allowed within an aggregate',
    groupKeys: null,
  }
  return bindAggregated(call, inner, null)
}

/** The result counts as a stored column of its own. */
function aggregateNode(
  { fn, type, operands, options }: AggregateResult,
  parts: Pick<AggregateNode, 'place' | 'over'> & Partial<AggregateNode>,
): Bound {
  const plain = { distinct: false, orderBy: [], filter: null }
  const node: Bound = { kind: 'aggregate', fn, type, operands, options, ...plain, ...parts }
  return { ...node, stored: storedColumn(node) }
}

function bindAggregated(call: Call, context: ExpressionContext, over: WindowNode | null): Bound {
  const { name, place, star, distinct } = call
  const entry = aggregates.get(name)!
  if (star && name !== 'COUNT') throw sqlProblem(place, `${name} does not accept *: only COUNT does`)
  checkCount(name, place, entry.count, call.operands.length)
  if (distinct && !entry.takesDistinct) throw sqlProblem(place, `${name} does not accept DISTINCT`)
  // An aggregate never reads the name of an output.
  const inside = { ...context, aliases: null }
  const operands = call.operands.map((operand) => context.bind(operand, inside))
  const orderBy = orderKeys(call.orderBy, context)
  const aggregateCall: AggregateCall = {
    ...plainCall(call, operands, context),
    star,
    time: () => timeOf(name, place, context),
    pushed: pushedIn(context.scope),
  }
  const result = entry.bind(aggregateCall)
  const filter = call.filter === null ? null : bindFilter(call.filter, context, 'FILTER')
  return aggregateNode(result, { place, distinct, orderBy, filter, over })
}

const plainCall = ({ name, place }: Call, operands: readonly Bound[], { zone }: ExpressionContext) => ({
  name,
  place,
  operands,
  unit: null,
  unitPlace: null,
  returning: null,
  zone,
})

/** The time of the rows themselves. */
function timeOf(name: string, place: Place, { scope }: ExpressionContext): Bound {
  const hasTime = scope.relations.some((relation) => relation.columns.some((column) => column.name === '__time'))
  if (!hasTime) throw sqlProblem(place, `${name} needs __time, which is not in this FROM: use ${name}_BY(x, time)`)
  return columnIn(scope, ['__time'], place)
}

const grouping = engineAggregate((keys) => ({ call: sql`CAST(grouping(${sql.list(keys)}) AS BIGINT)` }))

function bindGrouping(call: Call, context: ExpressionContext): Bound {
  const { place } = call
  checkCount('GROUPING', place, [1, 30], call.operands.length)
  const operands = call.operands.map((operand) => context.bind(operand, context))
  const other = operands.find((operand) => !context.groupKeys?.has(keyOf(operand)))
  if (other !== undefined) throw sqlProblem(other.place, 'GROUPING accepts only expressions of the GROUP BY')
  const plain = { distinct: false, orderBy: [], filter: null, over: null, options: null }
  return { kind: 'aggregate', fn: grouping, type: long, place, operands, ...plain }
}

/** `f(...) OVER (...)`. */
export function bindWindowCall(call: Call, context: ExpressionContext): Bound {
  const { name, place } = call
  if (context.noWindows !== null) throw sqlProblem(place, context.noWindows)
  if (call.distinct) throw sqlProblem(place, 'DISTINCT is not supported in window functions')
  const window = windowOf(call.over!, context)
  const inner: ExpressionContext = { ...context, noWindows: 'a window function is not allowed within another one' }
  const isEdge = name === 'FIRST_VALUE' || name === 'LAST_VALUE'
  const over = bindWindow(isEdge ? countedByRows(window) : window, inner)
  const entry = windowFunctions.get(name)
  if (entry !== undefined) {
    if (call.filter !== null) throw sqlProblem(place, `${name} does not accept FILTER`)
    if (entry.needsOrder && window.orderBy.length === 0)
      throw sqlProblem(place, `${name} needs an ORDER BY in its window`)
    checkCount(name, place, entry.count, call.operands.length)
    const operands = call.operands.map((operand) => inner.bind(operand, inner))
    return aggregateNode(entry.bind(plainCall(call, operands, context)), { place, over })
  }
  if (!windowAggregates.has(name))
    throw sqlProblem(
      place,
      `${quoted(name)} is not a window function: aggregate in a subquery, or use ${[...windowAggregates].join(', ')}`,
    )
  return bindAggregated(call, inner, over)
}

function windowOf(over: NonNullable<Call['over']>, context: ExpressionContext): Window {
  if (!('name' in over)) return over
  const window = context.windows.get(over.name)
  if (window === undefined)
    throw sqlProblem(over.place, `there is no window ${quoted(over.name)}: define it by WINDOW ${over.name} AS (...)`)
  return window
}

/** For FIRST_VALUE and LAST_VALUE the current row is a single row, even in a RANGE, where it means all its peers to the aggregates. */
function countedByRows(window: Window): Window {
  const { start, end } = window.frame ?? { start: { kind: 'unboundedPreceding' }, end: { kind: 'currentRow' } }
  return { ...window, frame: { unit: 'ROWS', start, end } }
}

function bindWindow(window: Window, context: ExpressionContext): WindowNode {
  const keys = window.partitionBy.map((expression) => context.bind(expression, context))
  // The engine confuses the keys `T, T` with the keys `T, s` of another window (duckdb#24780).
  const partitionBy = [...new Map(keys.map((key) => [keyOf(key), key])).values()]
  const orderBy = orderKeys(window.orderBy, context)
  // Without an order no row is before or after another, and Druid uses all rows.
  return { partitionBy, orderBy, frame: orderBy.length === 0 ? null : window.frame }
}

const orderKeys = (items: readonly OrderItem[], context: ExpressionContext): readonly OrderKey[] =>
  items.map(({ expression, descending, nulls }) => ({ key: context.bind(expression, context), descending, nulls }))
