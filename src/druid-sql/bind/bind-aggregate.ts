// Calls of aggregates, within groups and over windows.

import { type Sql, sql } from '../../lib/sql-text.ts'
import type { AggregateCall } from '../functions/aggregate-signature.ts'
import { aggregates } from '../functions/aggregates.ts'
import { checkCount } from '../functions/signature.ts'
import { windowAggregates, windowFunctions } from '../functions/windows.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Call, FrameBound, OrderItem, Window } from '../parse/syntax.ts'
import { type Bound, combine, storedColumn } from './bound.ts'
import { plainInteger } from './engine-names.ts'
import { bindFilter, type ExpressionContext } from './expression-context.ts'
import { filtersOfAggregated } from './filters.ts'
import { columnIn, pushedIn } from './scope.ts'
import { long } from './types.ts'

/** An aggregate of a group. */
export function bindAggregate(call: Call, context: ExpressionContext): Bound {
  const { name, place } = call
  if (context.noAggregates !== null) throw sqlProblem(place, context.noAggregates)
  if (name === 'GROUPING') return bindGrouping(call, context)
  const inner: ExpressionContext = {
    ...context,
    noAggregates: `${name} is already an aggregate: another one cannot stand within it`,
    noWindows: 'a window function cannot stand within an aggregate',
    groupKeys: null,
  }
  const { result } = aggregateCall(call, inner)
  const filter = call.filter === null ? null : bindFilter(call.filter, inner, 'FILTER')
  const filtered = (called: Sql): Sql => (filter === null ? called : sql`${called} FILTER (WHERE ${filter.sql})`)
  const finished = result.finish(filtered(result.call), filtered(result.also ?? result.call))
  return {
    ...combine(place, result.type, finished, []),
    aggregate: place,
    stored: storedColumn(finished, result.type),
  }
}

function aggregateCall(call: Call, context: ExpressionContext) {
  const { name, place } = call
  const entry = aggregates.get(name)!
  if (call.star && name !== 'COUNT') throw sqlProblem(place, `only COUNT takes *`)
  checkCount(name, place, entry.count, call.operands.length)
  if (call.distinct && !entry.takesDistinct) throw sqlProblem(place, `${name} does not take DISTINCT`)
  // What an output is named is no column that an aggregate reads.
  const inside = { ...context, aliases: null }
  const filters = filtersOfAggregated(call, (inner) => context.bind(inner, inside))
  const operands = call.operands.map((operand) => context.bind(operand, { ...inside, ...filters }))
  const order = call.orderBy.length === 0 ? sql`` : sql` ORDER BY ${orderText(call.orderBy, context)}`
  const aggregateCall: AggregateCall = {
    name,
    place,
    operands,
    unit: null,
    unitPlace: null,
    returning: null,
    wraps: context.wraps,
    zone: context.zone,
    distinct: call.distinct,
    star: call.star,
    order,
    time: () => timeOf(name, place, context),
    pushed: pushedIn(context.scope),
  }
  return { result: entry.bind(aggregateCall), operands }
}

/** The rows' own time. */
function timeOf(name: string, place: Place, { scope }: ExpressionContext): Bound {
  const hasTime = scope.relations.some((relation) => relation.columns.some((column) => column.name === '__time'))
  if (!hasTime) throw sqlProblem(place, `${name} goes by __time, which is not in this FROM: use ${name}_BY(x, time)`)
  return columnIn(scope, ['__time'], place)
}

function bindGrouping(call: Call, context: ExpressionContext): Bound {
  const { place } = call
  checkCount('GROUPING', place, [1, 30], call.operands.length)
  const operands = call.operands.map((operand) => context.bind(operand, context))
  const other = operands.find((operand) => !context.groupKeys?.has(operand.sql.text))
  if (other !== undefined) throw sqlProblem(other.place, 'GROUPING takes what the query groups by')
  const text = sql`CAST(grouping(${sql.join(
    operands.map((operand) => operand.sql),
    ', ',
  )}) AS BIGINT)`
  return { ...combine(place, long, text, []), aggregate: place }
}

/** `f(...) OVER (...)`. */
export function bindWindowCall(call: Call, context: ExpressionContext): Bound {
  const { name, place } = call
  if (context.noWindows !== null) throw sqlProblem(place, context.noWindows)
  if (call.distinct) throw sqlProblem(place, 'DISTINCT is not taken by window functions')
  const window = windowOf(call.over!, context)
  const inner: ExpressionContext = { ...context, noWindows: 'a window function cannot stand within another one' }
  const isEdge = name === 'FIRST_VALUE' || name === 'LAST_VALUE'
  const over = windowText(isEdge ? countedByRows(window) : window, inner)
  const entry = windowFunctions.get(name)
  if (entry !== undefined) {
    if (call.filter !== null) throw sqlProblem(place, `${name} does not take FILTER`)
    if (entry.needsOrder && window.orderBy.length === 0)
      throw sqlProblem(place, `${name} needs an ORDER BY in its window`)
    checkCount(name, place, entry.count, call.operands.length)
    const operands = call.operands.map((operand) => inner.bind(operand, inner))
    const { call: text, type } = entry.bind({
      name,
      place,
      operands,
      unit: null,
      unitPlace: null,
      returning: null,
      wraps: context.wraps,
      zone: context.zone,
    })
    const windowed = sql`${text} OVER (${over.sql})`
    return {
      ...combine(place, type, windowed, [...operands, ...over.parts]),
      window: place,
      stored: storedColumn(windowed, type),
    }
  }
  if (!windowAggregates.has(name))
    throw sqlProblem(
      place,
      `${quoted(name)} is no window function: aggregate in a subquery, or use ${[...windowAggregates].join(', ')}`,
    )
  const { result, operands } = aggregateCall(call, inner)
  const filter = call.filter === null ? [] : [bindFilter(call.filter, inner, 'FILTER')]
  const overAll = (called: Sql): Sql =>
    filter[0] === undefined
      ? sql`${called} OVER (${over.sql})`
      : sql`${called} FILTER (WHERE ${filter[0].sql}) OVER (${over.sql})`
  const text = result.finish(overAll(result.call), overAll(result.also ?? result.call))
  return {
    ...combine(place, result.type, text, [...operands, ...filter, ...over.parts]),
    window: place,
    stored: storedColumn(text, result.type),
  }
}

function windowOf(over: NonNullable<Call['over']>, context: ExpressionContext): Window {
  if (!('name' in over)) return over
  const window = context.windows.get(over.name)
  if (window === undefined)
    throw sqlProblem(over.place, `there is no window ${quoted(over.name)}: define it by WINDOW ${over.name} AS (...)`)
  return window
}

/** To the first and last value the current row is itself alone, also in a RANGE, where it is all rows of its place to the aggregates. */
function countedByRows(window: Window): Window {
  const { start, end } = window.frame ?? { start: { kind: 'unboundedPreceding' }, end: { kind: 'currentRow' } }
  return { ...window, frame: { unit: 'ROWS', start, end } }
}

function windowText(window: Window, context: ExpressionContext): { sql: Sql; parts: readonly Bound[] } {
  const keys = window.partitionBy.map((expression) => context.bind(expression, context))
  // The engine takes `T, T` for the keys `T, s` of another window (duckdb#24780).
  const partition = [...new Map(keys.map((key) => [key.sql.text, key])).values()]
  const order = window.orderBy.map(({ expression }) => context.bind(expression, context))
  const pieces = [
    ...(partition.length === 0
      ? []
      : [
          sql`PARTITION BY ${sql.join(
            partition.map((part) => part.sql),
            ', ',
          )}`,
        ]),
    ...(order.length === 0 ? [] : [sql`ORDER BY ${orderText(window.orderBy, context)}`]),
    // Where nothing is before or after anything, Druid takes all rows.
    ...(window.frame === null || order.length === 0 ? [] : [frameText(window.frame)]),
  ]
  return { sql: sql.join(pieces, ' '), parts: [...partition, ...order] }
}

function frameText({ unit, start, end }: NonNullable<Window['frame']>): Sql {
  const units = { ROWS: sql`ROWS`, RANGE: sql`RANGE` }
  return sql`${units[unit]} BETWEEN ${boundText(start)} AND ${boundText(end)}`
}

function boundText(bound: FrameBound): Sql {
  switch (bound.kind) {
    case 'unboundedPreceding':
      return sql`UNBOUNDED PRECEDING`
    case 'unboundedFollowing':
      return sql`UNBOUNDED FOLLOWING`
    case 'currentRow':
      return sql`CURRENT ROW`
    case 'preceding':
      return sql`${plainInteger(bound.rows)} PRECEDING`
    case 'following':
      return sql`${plainInteger(bound.rows)} FOLLOWING`
  }
}

function orderText(items: readonly OrderItem[], context: ExpressionContext): Sql {
  return sql.join(
    items.map((item) => ordered(context.bind(item.expression, context).sql, item)),
    ', ',
  )
}

/** What a value is ordered by: nulls in arrays come first too. */
export function orderKey({ sql: x, type }: Bound): Sql {
  return type.kind === 'array' ? sql`list_transform(${x}, lambda e: row(e IS NOT NULL, e))` : x
}

/** Nulls are low, as they are to Druid. */
export function ordered(expression: Sql, { descending, nulls }: Pick<OrderItem, 'descending' | 'nulls'>): Sql {
  const isFirst = nulls === null ? !descending : nulls === 'FIRST'
  return sql`${expression} ${descending ? sql`DESC` : sql`ASC`} NULLS ${isFirst ? sql`FIRST` : sql`LAST`}`
}
