// One SELECT with its ORDER BY: grouping is checked here, so that what is wrong is told in the caller's words.

import { type Sql, sql } from '../../lib/sql-text.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, Grouping, OrderItem, Select } from '../parse/syntax.ts'
import { ordered, orderKey } from './bind-aggregate.ts'
import { type Bound, combine } from './bound.ts'
import { columnName, plainInteger } from './engine-names.ts'
import { bindFilter, type ExpressionContext } from './expression-context.ts'
import type { BoundFrom } from './from-context.ts'
import { type Scope, starColumns, storedParts } from './scope.ts'
import { type Grouped, hasSets, isTopOfOne } from './top-of-one.ts'
import { engineType, string } from './types.ts'

/** A column of a query's result. */
export interface OutputColumn {
  readonly name: string
  readonly bound: Bound
}

export interface SelectParts {
  readonly select: Select
  readonly from: BoundFrom
  readonly context: ExpressionContext
  readonly orderBy: readonly OrderItem[]
  /** Whether the order of the rows is seen: at the top, or beside a LIMIT. */
  readonly orderMatters: boolean
  readonly hasLimit: boolean
  /** Whether there is a LIMIT alone, of so many that Druid makes a topN of one column's groups. */
  readonly isTopped: boolean
}

export interface BoundSelect extends Grouped {
  readonly sql: Sql
  readonly outputs: readonly OutputColumn[]
}

/** Everything but LIMIT. */
export function bindSelect(parts: SelectParts): BoundSelect {
  const { select, from, context } = parts
  const where =
    select.where === null
      ? null
      : bindFilter(select.where, { ...context, ...forbidden('WHERE'), isFilter: true }, 'WHERE')
  const groups = select.groupBy === null ? null : bindGroups(select, select.groupBy, context)
  const inner: ExpressionContext = { ...context, groupKeys: new Set(groups?.keys.map((key) => key.sql.text) ?? []) }
  const outputs = bindItems(select, inner)
  const distinct = [...(groups?.keys ?? []), ...(select.distinct ? outputs.map(({ bound }) => bound) : [])]
  if (hasSets(select) || distinct.some(({ type }) => type.kind === 'array')) context.needsWholeGroups()
  const having =
    select.having === null
      ? null
      : bindFilter(
          select.having,
          { ...inner, aliases: aliasesOf(outputs), noWindows: 'a window function cannot stand in HAVING' },
          'HAVING',
        )
  const order = bindOrder(parts, inner, outputs)
  const all = [
    ...outputs.map((output) => output.bound),
    ...(having === null ? [] : [having]),
    ...order.map((item) => item.bound),
  ]
  const isGrouped = groups !== null || having !== null || all.some((bound) => bound.aggregate !== null)
  if (isGrouped) checkGrouped(all)
  const shape = { ...parts, isGrouped, keys: groups?.keys ?? [], outputs, order }
  const pieces = [
    sql`SELECT${select.distinct ? sql` DISTINCT` : sql``} ${sql.join(
      outputs.map(({ bound }, index) => sql`${shown(bound)} AS ${columnName(index)}`),
      ', ',
    )}`,
    ...(select.from === null ? [] : [sql`FROM ${from.sql}`]),
    ...(where === null ? [] : [sql`WHERE ${where.sql}`]),
    ...(groups === null || groups.sql === null ? [] : [sql`GROUP BY ${groups.sql}`]),
    ...havingClause(groups, having),
    ...orderClause(shape),
  ]
  return { ...shape, sql: sql.join(pieces, ' ') }
}

/** A column that is NULL in all rows has no type of its own. */
function shown(bound: Bound): Sql {
  return bound.type.kind === 'null' ? sql`CAST(NULL AS ${engineType(string)})` : bound.sql
}

function forbidden(clause: string): Pick<ExpressionContext, 'noAggregates' | 'noWindows'> {
  return {
    noAggregates: `an aggregate cannot stand in ${clause}`,
    noWindows: `a window function cannot stand in ${clause}`,
  }
}

function havingClause(groups: Groups | null, having: Bound | null): Sql[] {
  const conditions = [having?.sql, groups?.condition].filter((one) => one !== undefined && one !== null)
  return conditions.length === 0 ? [] : [sql`HAVING ${sql.join(conditions, ' AND ')}`]
}

function checkGrouped(all: readonly Bound[]): void {
  const loose = all.find((bound) => bound.loose !== null)?.loose
  if (loose)
    throw sqlProblem(
      loose.place,
      `column ${quoted(loose.name)} is not grouped by: group by it, or put it into an aggregate`,
    )
}

function bindItems(select: Select, context: ExpressionContext): OutputColumn[] {
  return select.items.flatMap((item, index): OutputColumn[] => {
    if (item.kind === 'star') {
      if (select.from === null) throw sqlProblem(item.place, '* needs a FROM')
      return starColumns(context.scope, item.table, item.place).map((column) => {
        const isKey = context.groupKeys?.has(column.sql.text) ?? false
        const bound = {
          ...combine(item.place, column.type, column.sql, []),
          ...storedParts(column, isKey),
          loose: isKey ? null : { name: column.name, place: item.place },
        }
        return { name: column.name, bound }
      })
    }
    const bound = context.bind(item.expression, context)
    return [{ name: item.alias ?? columnOfExpression(item.expression) ?? `EXPR$${index}`, bound }]
  })
}

function columnOfExpression(expression: Expression): string | null {
  return expression.kind === 'column' ? expression.path.at(-1)! : null
}

interface Groups {
  readonly keys: readonly Bound[]
  /** What stands after GROUP BY; null where all rows are one group. */
  readonly sql: Sql | null
  /** What else holds for a group that is shown. */
  readonly condition: Sql | null
}

function bindGroups(select: Select, groupBy: readonly Grouping[], context: ExpressionContext): Groups {
  const inner = { ...context, ...forbidden('GROUP BY'), groupKeys: null }
  const sets = groupBy.map((grouping) =>
    (grouping.kind === 'expression' ? [[grouping.expression]] : grouping.sets).map((set) =>
      set.map((key) => bindKey(key, select, inner)),
    ),
  )
  // Several groupings beside each other: every set of one with every set of the others.
  if (sets.reduce((count, next) => count * next.length, 1) > 256) {
    throw sqlProblem(select.place, 'GROUP BY comes to more than 256 sets of groups')
  }
  const combined = sets.reduce<Bound[][]>(
    (all, next) => all.flatMap((set) => next.map((other) => [...set, ...other])),
    [[]],
  )
  const keys = [...new Map(combined.flat().map((key) => [key.sql.text, key])).values()]
  if (combined.length === 1) {
    const list = sql.join(
      keys.map((key) => key.sql),
      ', ',
    )
    return { keys, sql: keys.length === 0 ? null : list, condition: null }
  }
  const texts = combined.map(
    (set) =>
      sql`(${sql.join(
        set.map((key) => key.sql),
        ', ',
      )})`,
  )
  const ofSets = (all: readonly Sql[]): Sql => sql`GROUPING SETS (${sql.join(all, ', ')})`
  // Of empty sets alone the engine gives one row for all, where the files' statistics tell it. One more set keeps it from that.
  if (keys.length === 0) return { keys, sql: ofSets([...texts, sql`(TRUE)`]), condition: sql`grouping(TRUE) = 1` }
  // Of no rows at all, Druid makes no totals when they stand beside other sets of groups.
  const hasTotals = combined.some((set) => set.length === 0)
  return { keys, sql: ofSets(texts), condition: hasTotals ? sql`count(*) > 0` : null }
}

/** A key of GROUP BY: an expression, the number of a column of the result, or its name where no column has it. */
function bindKey(key: Expression, select: Select, context: ExpressionContext): Bound {
  if (key.kind === 'number') return context.bind(itemAt(key.digits, key.place, select), context)
  if (key.kind === 'column' && key.path.length === 1) {
    const named = select.items.find((item) => item.kind === 'expression' && item.alias === key.path[0])
    const isColumn = context.scope.relations.some((relation) =>
      relation.columns.some((column) => column.name === key.path[0]),
    )
    if (named?.kind === 'expression' && !isColumn) {
      context.namesKey(key.place)
      return context.bind(named.expression, context)
    }
  }
  return context.bind(key, context)
}

function itemAt(digits: string, place: Place, select: Select): Expression {
  const item = select.items[Number(digits) - 1]
  if (item === undefined)
    throw sqlProblem(place, `there is no column ${digits} in this SELECT: it has ${select.items.length}`)
  if (item.kind === 'star') throw sqlProblem(place, `column ${digits} is *: name the columns to group by them`)
  return item.expression
}

interface BoundOrder {
  readonly bound: Bound
  readonly item: OrderItem
  /** The number of the output that it is, or -1. */
  readonly output: number
}

/** HAVING and ORDER BY know an output by its name, and before a column of that name. */
function aliasesOf(outputs: readonly OutputColumn[]): ReadonlyMap<string, Bound> {
  return new Map(outputs.map(({ name, bound }) => [name, bound]))
}

function bindOrder(
  { orderBy, select }: SelectParts,
  context: ExpressionContext,
  outputs: readonly OutputColumn[],
): BoundOrder[] {
  const inner = { ...context, aliases: aliasesOf(outputs) }
  return orderBy.map((item) => {
    const { expression } = item
    if (expression.kind === 'number') {
      const output = Number(expression.digits) - 1
      const at = outputs[output]
      if (at === undefined)
        throw sqlProblem(
          expression.place,
          `there is no column ${expression.digits} in this SELECT: it has ${outputs.length}`,
        )
      return { bound: at.bound, item, output }
    }
    const bound = inner.bind(expression, inner)
    const output = outputs.findIndex((candidate) => candidate.bound.sql.text === bound.sql.text)
    if (output < 0 && select.distinct)
      throw sqlProblem(expression.place, 'a SELECT DISTINCT is ordered by columns that it selects')
    return { bound, item, output }
  })
}

interface Shape extends SelectParts, Grouped {
  readonly outputs: readonly OutputColumn[]
  readonly order: readonly BoundOrder[]
}

const ascending = { descending: false, nulls: null }

/** What the caller asked for, and where it leaves rows equal, or nothing was asked for, the order in which Druid gives them. */
function orderClause(shape: Shape): Sql[] {
  const { order, select, keys, isGrouped, orderMatters, outputs } = shape
  checkPlainScan(shape)
  if (!orderMatters) return []
  const isTopN = isTopOfOne(shape)
  const items = order.flatMap(({ bound, item, output }) => {
    const key = select.distinct && bound.type.kind !== 'array' ? plainInteger(output + 1) : orderKey(bound)
    const ofTopN = { ...item, nulls: 'FIRST' } as const
    // What is infinite is no number to it, and stands beside null.
    const endless = isTopN && bound.type.kind === 'double' ? [ordered(sql`isfinite(${bound.sql})`, ofTopN)] : []
    return [...endless, ordered(key, isTopN && item.descending ? ofTopN : item)]
  })
  if (select.distinct) {
    const rest = outputs.map((_output, index) => index).filter((index) => !order.some((item) => item.output === index))
    items.push(...rest.map((index) => ordered(plainInteger(index + 1), ascending)))
  } else if (isGrouped) {
    const asked = new Set(order.map(({ bound }) => bound.sql.text))
    items.push(
      ...keys
        .filter((key) => key.constant === undefined && !asked.has(key.sql.text))
        .map((key) => ordered(orderKey(key), ascending)),
    )
  } else if (
    order.length === 0 &&
    shape.hasLimit &&
    shape.from.table !== null &&
    !outputs.some(({ bound }) => bound.window !== null)
  ) {
    items.push(ordered(timeOf(shape.context.scope), ascending))
  }
  return items.length === 0 ? [] : [sql`ORDER BY ${sql.join(items, ', ')}`]
}

function timeOf(scope: Scope): Sql {
  return scope.relations[0]!.columns[0]!.sql
}

/** Druid orders the rows of a table by their time alone. */
function checkPlainScan({ order, from, isGrouped, select, outputs, context }: Shape): void {
  if (from.table === null || isGrouped || select.distinct || outputs.some(({ bound }) => bound.window !== null)) return
  const other = order.find(({ bound }) => bound.sql.text !== timeOf(context.scope).text)
  if (other === undefined) return
  throw sqlProblem(
    other.item.expression.place,
    'the rows of a table are ordered by __time alone: for another order write SELECT * FROM (SELECT ...) ORDER BY ...',
  )
}
