// The items of metadata that a bound query needs: their columns, and the conditions that can be decided from one item alone.

import { Zone } from '../../druid-time/zone.ts'
import { type ComparisonOperator, swapped } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import { parseInstant } from '../../model/instant.ts'
import { comparison, like, listed, within } from '../bind/bind-truth.ts'
import { conjunction, conjuncts, disjunction, isTruth } from '../bind/logic.ts'
import { type Bound, type BoundRows, columnsOf, type FromNode, fromsIn, optionsOf } from '../bind/tree.ts'
import type { SqlType } from '../bind/types.ts'
import type { ItemCondition, ItemConstant } from './item-condition.ts'

/** The items of one table that a query needs. */
export interface NeededItems {
  readonly entityId: number
  /** The columns, in order. */
  readonly places: readonly number[]
  /** The condition that items must meet to be used anywhere in the query; null where all of them may be used. */
  readonly condition: ItemCondition | null
  /** The number of places where the query names the table. */
  readonly uses: number
}

type ItemsFrom = Extract<FromNode, { kind: 'items' }>

/** `all` are all rows that the query consists of. */
export function neededItems(all: readonly BoundRows[], zone: Zone): readonly NeededItems[] {
  const froms = all.flatMap((rows) => (rows.kind === 'select' && rows.from !== null ? fromsIn(rows.from) : []))
  const uses = froms.filter((from) => from.kind === 'items')
  if (uses.length === 0) return []
  const conditions = all.flatMap((rows) => (rows.kind === 'select' ? conditionsOf(rows, zone) : []))
  const columns = columnsOf(all)
  return [...new Set(uses.map(({ entityId }) => entityId))].map((entityId): NeededItems => {
    const own = uses.filter((from) => from.entityId === entityId)
    const used = new Set(
      columns.filter(({ at }) => own.some(({ relation }) => relation === at.relation)).map(({ at }) => at.column),
    )
    const isRenamed = own.some(({ renames }) => renames)
    const places = Array.from({ length: own[0]!.columns }, (_, place) => place).filter(
      (place) => isRenamed || used.has(place),
    )
    const each = own.map(({ relation }) => conditions.filter((one) => one.relation === relation))
    const condition: ItemCondition = {
      kind: 'any',
      conditions: each.map((some) => ({ kind: 'all', conditions: some.map((one) => one.condition) })),
    }
    return {
      entityId,
      // Counting rows takes at least one column.
      places: places.length > 0 ? places : [0],
      condition: each.every((some) => some.length > 0) ? condition : null,
      uses: own.length,
    }
  })
}

interface TableCondition {
  readonly relation: number
  readonly condition: ItemCondition
}

/** The conditions of WHERE and ON on items, which the items of all resulting rows meet. */
function conditionsOf({ from, where }: Extract<BoundRows, { kind: 'select' }>, zone: Zone): readonly TableCondition[] {
  if (from === null) return []
  const ofWhere = where === null ? [] : itemConditions(where, [from], isInner(from), zone)
  const ofJoins = fromsIn(from).flatMap((join) => {
    if (join.kind !== 'join') return []
    const { left, right } = join
    // An outer join keeps all rows of one side, whatever its condition: only the other side loses those that do not meet it.
    const sides = { INNER: [left, right], CROSS: [left, right], LEFT: [right], RIGHT: [left], FULL: [] }
    return join.on.flatMap((on) => itemConditions(on, sides[join.type], isInner(join), zone))
  })
  return [...ofWhere, ...ofJoins]
}

/** Whether no join in it fills columns with nulls. */
const isInner = (from: FromNode): boolean =>
  fromsIn(from).every((one) => one.kind !== 'join' || one.type === 'INNER' || one.type === 'CROSS')

/** The conditions on items of these relations. Without `nullsToo`, only those that no row filled with nulls by an outer join meets. */
function itemConditions(
  node: Bound,
  among: readonly FromNode[],
  nullsToo: boolean,
  zone: Zone,
): readonly TableCondition[] {
  const names = { items: among.flatMap(fromsIn).filter((from) => from.kind === 'items'), zone }
  return conjuncts(node).flatMap((part) => {
    const found = conditionOf(part, names)
    return found === null || (holdsNulls(found.condition) && !nullsToo) ? [] : [found]
  })
}

function holdsNulls(condition: ItemCondition): boolean {
  if (condition.kind === 'all' || condition.kind === 'any') return condition.conditions.some(holdsNulls)
  return condition.kind === 'isNull'
}

interface Names {
  readonly items: readonly ItemsFrom[]
  readonly zone: Zone
}

/** Null where the node is not a condition that the items of one table decide alone. */
function conditionOf(node: Bound, names: Names): TableCondition | null {
  if (node.kind !== 'call') return null
  const [first, second, third] = node.operands
  switch (node.fn.id) {
    case conjunction.id:
    case disjunction.id: {
      const kind = node.fn.id === conjunction.id ? 'all' : 'any'
      return combined(
        kind,
        node.operands.map((item) => conditionOf(item, names)),
      )
    }
    case comparison.id: {
      const { operator } = optionsOf(node, comparison)!
      return compared(first!, operator, second!, names) ?? compared(second!, swapped[operator], first!, names)
    }
    case within.id:
      if (optionsOf(node, within)!.symmetric) return null
      return combined('all', [compared(first!, '>=', second!, names), compared(first!, '<=', third!, names)])
    case listed.id:
      return optionsOf(node, listed)!.negated ? null : inList(node.operands, names)
    case isTruth.id: {
      const { what, negated } = optionsOf(node, isTruth)!
      const column = what === 'NULL' ? columnOf(first!, names) : null
      return column && onColumn(column, { kind: negated ? 'isNotNull' : 'isNull', column: column.column })
    }
    case like.id:
      return optionsOf(node, like)!.escapedBy === null ? matching(first!, second!, names) : null
    default:
      return null
  }
}

/** Null unless all parts are known and of one table. The parts of an AND that can be used without the others are split off before. */
function combined(kind: 'all' | 'any', parts: readonly (TableCondition | null)[]): TableCondition | null {
  const [first] = parts
  if (first === null || first === undefined) return null
  const conditions: ItemCondition[] = []
  for (const part of parts) {
    if (part === null || part.relation !== first.relation) return null
    conditions.push(part.condition)
  }
  return { relation: first.relation, condition: { kind, conditions } }
}

/** A column of an item. */
interface ItemColumn {
  readonly relation: number
  readonly column: number
  readonly type: SqlType
}

const onColumn = ({ relation }: ItemColumn, condition: ItemCondition): TableCondition => ({ relation, condition })

function columnOf(node: Bound, { items, zone }: Names): ItemColumn | null {
  if (node.kind !== 'column' || node.isJsonText === true || typeof node.at.column !== 'number') return null
  const { relation, column } = node.at
  // Conditions are evaluated in UTC: those on times of other zones are left to the engine.
  if (node.type.kind === 'timestamp' && zone !== Zone.utc) return null
  return items.some((from) => from.relation === relation) ? { relation, column, type: node.type } : null
}

function compared(operand: Bound, operator: ComparisonOperator, other: Bound, names: Names): TableCondition | null {
  const column = columnOf(operand, names)
  const value = column === null ? null : constantOf(other, column.type)
  if (column === null || value === null) return null
  return onColumn(column, { kind: 'compare', column: column.column, operator, value })
}

function inList([operand, ...items]: readonly Bound[], names: Names): TableCondition | null {
  const column = columnOf(operand!, names)
  if (column === null) return null
  const values = items.map((item) => constantOf(item, column.type)).filter((value) => value !== null)
  if (values.length < items.length) return null
  return onColumn(column, { kind: 'in', column: column.column, values: new Set(values) })
}

/** A text with `%` only at its ends. */
const plainPattern = /^(%?)([^%_]+)(%?)$/su

function matching(operand: Bound, pattern: Bound, names: Names): TableCondition | null {
  const column = columnOf(operand, names)
  if (column?.type.kind !== 'string' || pattern.kind !== 'literal' || typeof pattern.value !== 'string') return null
  const [, before, text, after] = plainPattern.exec(pattern.value) ?? []
  if (text === undefined || hasHalfPair(text)) return null
  if (before === '' && after === '')
    return onColumn(column, { kind: 'compare', column: column.column, operator: '=', value: text })
  const how = before === '' ? 'begins' : after === '' ? 'ends' : 'holds'
  return onColumn(column, { kind: 'text', column: column.column, how, text })
}

/** A constant as a value of the column; null if it is not a constant, or if it or the column would be cast for the comparison. */
function constantOf(node: Bound, { kind }: SqlType): ItemConstant | null {
  if (kind === 'timestamp' && node.kind === 'time') return node.ms
  if (node.kind !== 'literal') return null
  const { value } = node
  switch (kind) {
    case 'string':
      return typeof value === 'string' && !hasHalfPair(value) ? value : null
    case 'timestamp':
      return typeof value === 'string' ? parseInstant(value) : null
    case 'long':
      return typeof value === 'bigint' ? value : null
    case 'double': {
      const number = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN
      return Number.isFinite(number) ? number : null
    }
    default:
      return null
  }
}
