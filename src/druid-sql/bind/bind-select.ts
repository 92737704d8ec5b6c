// Binds one SELECT with its ORDER BY. Grouping is checked here, so that errors use the caller's names.

import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, Grouping, OrderItem, Select } from '../parse/syntax.ts'
import { constantOf } from './conversions.ts'
import { bindFilter, type ExpressionContext, forbidden } from './expression-context.ts'
import type { SelectFrom } from './from-context.ts'
import { hasEnd, orderKey } from './order.ts'
import { asKey, reference, type Scope, starColumns } from './scope.ts'
import { type Grouped, hasSets, isTopOfOne } from './top-of-one.ts'
import {
  type Bound,
  columnsIn,
  type GroupsNode,
  hasAggregate,
  hasWindow,
  keyOf,
  looseColumn,
  type OrderKey,
  type SelectNode,
} from './tree.ts'

/** A column of a query's result. */
export interface OutputColumn {
  readonly name: string
  readonly bound: Bound
}

export interface SelectParts {
  readonly select: Select
  readonly from: SelectFrom
  readonly context: ExpressionContext
  readonly orderBy: readonly OrderItem[]
  /** Whether the order of the rows is visible: at the top level, or with a LIMIT. */
  readonly orderMatters: boolean
  readonly hasLimit: boolean
  /** Whether there is a LIMIT without OFFSET, small enough for Druid to make a topN of groups by one column. */
  readonly isTopped: boolean
}

export interface BoundSelect extends Grouped {
  readonly node: Omit<SelectNode, 'columns'>
  readonly outputs: readonly OutputColumn[]
}

/** Binds everything but LIMIT. */
export function bindSelect(parts: SelectParts): BoundSelect {
  const { select, from, context } = parts
  const where =
    select.where === null
      ? null
      : bindFilter(select.where, { ...context, ...forbidden('WHERE'), isFilter: true }, 'WHERE')
  const groups = select.groupBy === null ? null : bindGroups(select, select.groupBy, context)
  const groupKeys = new Set(groups?.keys.map(keyOf) ?? [])
  const inner: ExpressionContext = { ...context, groupKeys }
  const outputs = bindItems(select, inner)
  const having =
    select.having === null
      ? null
      : bindFilter(
          select.having,
          { ...inner, aliases: aliasesOf(outputs), noWindows: 'a window function is not allowed in HAVING' },
          'HAVING',
        )
  const order = bindOrder(parts, inner, outputs)
  const all = [
    ...outputs.map((output) => output.bound),
    ...(having === null ? [] : [having]),
    ...order.map((item) => item.bound),
  ]
  const isGrouped = groups !== null || having !== null || all.some(hasAggregate)
  if (isGrouped) checkGrouped(all, from, groupKeys)
  const shape = { ...parts, isGrouped, keys: groups?.keys ?? [], outputs, order }
  const node: BoundSelect['node'] = {
    kind: 'select',
    distinct: select.distinct,
    outputs: outputs.map(({ bound }) => bound),
    from: from.node,
    where,
    groups,
    having,
    orderBy: orderBy(shape),
  }
  return { ...shape, node }
}

function checkGrouped(all: readonly Bound[], { relations }: SelectFrom, keys: ReadonlySet<string>): void {
  const firsts = relations.flatMap(({ columns: [first] }) => (first === undefined ? [] : columnsIn(first.value)))
  const own = new Set(firsts.map(({ at }) => at.relation))
  for (const bound of all) {
    const loose = looseColumn(bound, own, keys)
    if (loose === null) continue
    throw sqlProblem(
      loose.place,
      `column ${quoted(loose.name)} is not in GROUP BY: add it there, or use it in an aggregate`,
    )
  }
}

function bindItems(select: Select, context: ExpressionContext): OutputColumn[] {
  return select.items.flatMap((item, index): OutputColumn[] => {
    if (item.kind === 'star') {
      if (select.from === null) throw sqlProblem(item.place, '* needs a FROM')
      return starColumns(context.scope, item.table, item.place).map((column) => {
        const bound = asKey(reference(column, column.name, item.place), context.groupKeys)
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

function bindGroups(select: Select, groupBy: readonly Grouping[], context: ExpressionContext): GroupsNode {
  const named: Place[] = []
  const inner = { ...context, ...forbidden('GROUP BY'), groupKeys: null }
  const sets = groupBy.map((grouping) =>
    (grouping.kind === 'expression' ? [[grouping.expression]] : grouping.sets).map((set) =>
      set.map((key) => bindKey(key, select, inner, named)),
    ),
  )
  // Several groupings in one GROUP BY: every set of one is combined with every set of the others.
  if (sets.reduce((count, next) => count * next.length, 1) > 256) {
    throw sqlProblem(select.place, 'GROUP BY makes more than 256 grouping sets')
  }
  const combined = sets.reduce<Bound[][]>(
    (all, next) => all.flatMap((set) => next.map((other) => [...set, ...other])),
    [[]],
  )
  const keys = [...new Map(combined.flat().map((key) => [keyOf(key), key])).values()]
  return { keys, sets: combined, areSets: hasSets(select), named }
}

/** A key of GROUP BY: an expression, the number of an output, or the alias of an output where no column has that name. */
function bindKey(key: Expression, select: Select, context: ExpressionContext, places: Place[]): Bound {
  if (key.kind === 'number') return context.bind(itemAt(key.digits, key.place, select), context)
  if (key.kind === 'column' && key.path.length === 1) {
    const named = select.items.find((item) => item.kind === 'expression' && item.alias === key.path[0])
    const isColumn = context.scope.relations.some((relation) =>
      relation.columns.some((column) => column.name === key.path[0]),
    )
    if (named?.kind === 'expression' && !isColumn) {
      places.push(key.place)
      return context.bind(named.expression, context)
    }
  }
  return context.bind(key, context)
}

function itemAt(digits: string, place: Place, select: Select): Expression {
  const item = select.items[Number(digits) - 1]
  if (item === undefined)
    throw sqlProblem(place, `there is no column ${digits} in this SELECT: it has ${select.items.length}`)
  if (item.kind === 'star') throw sqlProblem(place, `column ${digits} is *: name the columns to group by`)
  return item.expression
}

interface BoundOrder {
  readonly bound: Bound
  readonly item: OrderItem
  /** The index of the output with the same value, or -1. */
  readonly output: number
}

/** HAVING and ORDER BY resolve a name to an output first, then to a column. */
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
    const output = outputs.findIndex((candidate) => keyOf(candidate.bound) === keyOf(bound))
    if (output < 0 && select.distinct)
      throw sqlProblem(expression.place, 'SELECT DISTINCT can be ordered only by columns that it selects')
    return { bound, item, output }
  })
}

interface Shape extends SelectParts, Grouped {
  readonly outputs: readonly OutputColumn[]
  readonly order: readonly BoundOrder[]
}

const ascending = { descending: false, nulls: null }

/** The requested order. Rows that it leaves equal, and all rows if none is requested, are in the order in which Druid returns them. */
function orderBy(shape: Shape): readonly OrderKey[] {
  const { order, select, keys, isGrouped, orderMatters, outputs } = shape
  checkPlainScan(shape)
  if (!orderMatters) return []
  const isTopN = isTopOfOne(shape)
  const items = order.flatMap(({ bound, item: { descending, nulls }, output }): readonly OrderKey[] => {
    const key = select.distinct && bound.type.kind !== 'array' ? output + 1 : orderKey(bound)
    const ofTopN = { descending, nulls: 'FIRST' } as const
    // A topN does not count infinite values as numbers, and puts them next to null.
    const endless = isTopN && bound.type.kind === 'double' ? [{ key: hasEnd(bound), ...ofTopN }] : []
    return [...endless, { key, descending, nulls: isTopN && descending ? 'FIRST' : nulls }]
  })
  if (select.distinct) {
    const rest = outputs.map((_output, index) => index).filter((index) => !order.some((item) => item.output === index))
    return [...items, ...rest.map((index) => ({ key: index + 1, ...ascending }))]
  }
  if (isGrouped) {
    const asked = new Set(order.map(({ bound }) => keyOf(bound)))
    const rest = keys.filter((key) => constantOf(key) === undefined && !asked.has(keyOf(key)))
    return [...items, ...rest.map((key) => ({ key: orderKey(key), ...ascending }))]
  }
  const isPlain = order.length === 0 && shape.hasLimit && shape.from.table !== null
  return isPlain && !outputs.some(({ bound }) => hasWindow(bound))
    ? [{ key: timeOf(shape.context.scope), ...ascending }]
    : items
}

function timeOf(scope: Scope): Bound {
  return scope.relations[0]!.columns[0]!.value
}

/** Druid orders the rows of a table only by their time. */
function checkPlainScan({ order, from, isGrouped, select, outputs, context }: Shape): void {
  if (from.table === null || isGrouped || select.distinct || outputs.some(({ bound }) => hasWindow(bound))) return
  const other = order.find(({ bound }) => keyOf(bound) !== keyOf(timeOf(context.scope)))
  if (other === undefined) return
  throw sqlProblem(
    other.item.expression.place,
    'rows of a table can be ordered only by __time: for another order, write SELECT * FROM (SELECT ...) ORDER BY ...',
  )
}
