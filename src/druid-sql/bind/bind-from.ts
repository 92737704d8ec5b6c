// FROM: binds tables, subqueries and joins as the engine's relations r1, r2, ..., with the names that the caller gives to their columns.

import { likelyWord } from '../../lib/likely-word.ts'
import { coalesced } from '../functions/values.ts'
import { type Place, quoted, sqlProblem, thereAre } from '../parse/sql-problem.ts'
import type { Alias, Join, TableExpression } from '../parse/syntax.ts'
import { compared } from './bind-truth.ts'
import { catalogTable } from './catalog-tables.ts'
import type { ColumnPlace } from './engine-names.ts'
import { bindCondition, bindFilter } from './expression-context.ts'
import type { BoundFrom, FromContext } from './from-context.ts'
import { type Relation, reference, type ScopeColumn } from './scope.ts'
import type { SqlTable } from './tables.ts'
import {
  type Bound,
  type BoundRows,
  type ColumnNode,
  columnsIn,
  type FromNode,
  keyOf,
  type QueryColumn,
} from './tree.ts'
import { isSame, long, type SqlType, typeName } from './types.ts'

type Unnest = Extract<TableExpression, { kind: 'unnest' }>

interface UnnestedArray {
  readonly array: Bound
  readonly element: SqlType
}

export function bindFrom(from: TableExpression, context: FromContext, before: readonly Relation[] = []): BoundFrom {
  switch (from.kind) {
    case 'table':
      return bindTable(from.path, from.alias, from.place, context)
    case 'subquery': {
      const query = context.subquery(from.query, context.parent)
      return derived(query, from.alias, from.place, context)
    }
    case 'append':
      return bindAppend(from, context)
    case 'unnest':
      return bindUnnest(from, context, before)
    case 'join':
      return bindJoin(from, context, before)
  }
}

function bindTable(path: readonly string[], alias: Alias | null, place: Place, context: FromContext): BoundFrom {
  const name = path.at(-1)!
  const common = path.length === 1 ? context.commonTables.get(name) : undefined
  if (common !== undefined) {
    const relation = context.nextRelation()
    const node = { kind: 'common', of: common.relation, relation } as const
    return related(node, common.columns, alias ?? { name, columns: [] }, place)
  }
  if (path.length === 2 && path[0]!.toUpperCase() === 'INFORMATION_SCHEMA') {
    const table = catalogTable(name, context.tables)
    if (table === null)
      throw sqlProblem(
        place,
        `there is no table ${quoted(path.join('.'))}: INFORMATION_SCHEMA has TABLES, COLUMNS and SCHEMATA`,
      )
    return derived(table, alias ?? { name, columns: [] }, place, context)
  }
  const table = context.tables.find(path)
  if (table === undefined) throw unknownTable(path, place, context)
  if (table.schema === 'metadata') return bindItems(table, alias, place, context)
  const node = { kind: 'entity', entityId: table.entityId, relation: context.nextRelation() } as const
  return { ...related(node, table.columns, alias ?? { name, columns: [] }, place), table }
}

/** The items of a metadata entity. Its `json` attributes are texts in the engine's table. */
function bindItems(table: SqlTable, alias: Alias | null, place: Place, context: FromContext): BoundFrom {
  const relation = context.nextRelation()
  const renames = (alias?.columns ?? []).length > 0
  const node = { kind: 'items', entityId: table.entityId, relation, columns: table.columns.length, renames } as const
  const from = related(node, table.columns, alias ?? { name: table.name, columns: [] }, place)
  const relations = from.relations.map((one) => ({
    ...one,
    schema: table.schema,
    columns: one.columns.map((column) =>
      column.type.kind === 'json' ? { ...column, value: { ...column.value, isJsonText: true } } : column,
    ),
  }))
  return { ...from, relations }
}

function unknownTable(path: readonly string[], place: Place, { tables }: FromContext): Error {
  const whole = path.join('.')
  const isDotted = tables.find([whole]) !== undefined && path.length > 1
  const names = [...new Set(tables.all.map(({ name }) => name))]
  const likely = likelyWord(whole, names)
  const suggestion = likely === null ? '' : `${quoted(likely)} may be meant; `
  const there = names.length === 0 ? ': there are no tables that you may read' : `: ${suggestion}${thereAre(names)}`
  const hint = isDotted ? `: write a name with a dot in double quotes, "${whole}"` : there
  return sqlProblem(place, `there is no table ${quoted(whole)}${hint}`)
}

function derived(rows: BoundRows, alias: Alias | null, place: Place, context: FromContext): BoundFrom {
  return related({ kind: 'rows', rows, relation: context.nextRelation() }, rows.columns, alias, place)
}

function related(
  node: Extract<FromNode, { relation: number }>,
  columns: readonly QueryColumn[],
  alias: Alias | null,
  place: Place,
): BoundFrom {
  const names = alias?.columns ?? []
  if (names.length > 0 && names.length !== columns.length) {
    throw sqlProblem(
      place,
      `${quoted(alias!.name)} has ${columns.length} columns, but ${names.length} column names are given`,
    )
  }
  const { relation } = node
  const isEntity = node.kind === 'entity'
  const scoped = columns.map(({ name, type, isStored, isOfValues, ofQuery }, column): ScopeColumn => {
    const named = names[column] ?? name
    const value = { kind: 'column', at: { relation, column }, name: named, type, place } as const
    const ownValue = isEntity && column === 0 ? { ...value, inFiles: { relation, column: 'fileTime' } as const } : value
    return { name: named, type, isStored, isOfValues, ofQuery, value: ownValue }
  })
  const position = isEntity ? ({ relation, column: 'position' } as const) : undefined
  return { node, relations: [{ name: alias?.name ?? null, columns: scoped, merged: new Set(), position }], table: null }
}

/** The rows of several entities, one after the other, with every column that any of them has. */
function bindAppend(from: Extract<TableExpression, { kind: 'append' }>, context: FromContext): BoundFrom {
  const tables = from.tables.map(({ name, place }) => {
    const table = context.tables.find([name])
    if (table === undefined) throw unknownTable([name], place, context)
    if (table.schema === 'metadata')
      throw sqlProblem(place, `${quoted(name)} is a metadata table: APPEND accepts only entities`)
    return table
  })
  const columns = new Map<string, SqlType>()
  for (const [index, table] of tables.entries()) {
    for (const { name, type } of table.columns) {
      const known = columns.get(name)
      if (known !== undefined && !isSame(known, type)) {
        throw sqlProblem(
          from.tables[index]!.place,
          `column ${quoted(name)} is of type ${typeName(type)} here, but of type ${typeName(known)} in a previous table`,
        )
      }
      columns.set(name, type)
    }
  }
  const outputs = [...columns].map(([name, type]) => ({ name, type, isStored: true }))
  const parts = tables.map((table) => {
    const placeOf = (name: string): number => table.columns.findIndex((column) => column.name === name)
    const places = outputs.map(({ name }) => placeOf(name)).map((at) => (at < 0 ? null : at))
    return { entityId: table.entityId, places }
  })
  return derived({ kind: 'append', parts, columns: outputs }, from.alias, from.place, context)
}

function bindUnnest(from: Unnest, context: FromContext, before: readonly Relation[]): BoundFrom {
  return unnested(from, unnestedArray(from, context, before), context)
}

function unnestedArray(from: Unnest, context: FromContext, before: readonly Relation[]): UnnestedArray {
  const scope = { relations: before, parent: context.parent }
  const array = context.expressionContext(scope, 'UNNEST')
  const operand = array.bind(from.operand, array)
  if (operand.type.kind !== 'array')
    throw sqlProblem(from.operand.place, `UNNEST needs an array, not a value of type ${typeName(operand.type)}`)
  return { array: operand, element: operand.type.element }
}

function unnested(from: Unnest, { array, element }: UnnestedArray, context: FromContext): BoundFrom {
  const node = { kind: 'unnest', array, relation: context.nextRelation() } as const
  const column = { name: from.alias?.columns[0] ?? 'EXPR$0', type: element, isStored: true }
  return related(node, [column], from.alias, from.place)
}

/** In an UNNEST next to a table the engine resolves no columns inside lambdas, so an array computed from columns becomes a column of the table first. */
function bindSides(from: Join, context: FromContext, before: readonly Relation[]): readonly [BoundFrom, BoundFrom] {
  const left = bindFrom(from.left, context, before)
  const beside = [...before, ...left.relations]
  if (from.right.kind !== 'unnest') return [left, bindFrom(from.right, context, beside)]
  const unnest = unnestedArray(from.right, context, beside)
  if (unnest.array.kind === 'column' || columnsIn(unnest.array).length === 0)
    return [left, unnested(from.right, unnest, context)]
  const { value, ...widened } = withColumn(left, unnest.array, context.nextRelation())
  return [{ ...widened, table: null }, unnested(from.right, { ...unnest, array: value }, context)]
}

function bindJoin(from: Join, context: FromContext, before: readonly Relation[]): BoundFrom {
  const sides = bindSides(from, context, before)
  const [left, right] = from.type === 'CROSS' ? sides : sides.map(withValuesStored)
  checkNames(left.relations, right.relations, from.place)
  const joined = { kind: 'join', type: from.type, left: left.node, right: right.node } as const
  if (from.type === 'CROSS')
    return { node: { ...joined, on: [] }, relations: [...left.relations, ...right.relations], table: null }
  const { on, relations } = from.using === null ? joinedOn(from, left, right, context) : joinedUsing(from, left, right)
  return { node: { ...joined, on }, relations, table: null }
}

/** In a join, columns of VALUES count as stored. Only on VALUES alone does the planner evaluate conditions in advance, and keep the casts in them. */
function withValuesStored(side: BoundFrom): BoundFrom {
  const relations = side.relations.map((relation) => ({
    ...relation,
    columns: relation.columns.map((column) => (column.isOfValues === true ? { ...column, isStored: true } : column)),
  }))
  return { ...side, relations }
}

function checkNames(left: readonly Relation[], right: readonly Relation[], place: Place): void {
  const double = right.find(({ name }) => name !== null && left.some((relation) => relation.name === name))
  if (double !== undefined)
    throw sqlProblem(place, `two tables of this FROM are named ${quoted(double.name!)}: rename one of them with AS`)
}

function joinedOn(from: Join, left: BoundFrom, right: BoundFrom, context: FromContext) {
  const relations = [...left.relations, ...right.relations]
  const inner = context.expressionContext({ relations, parent: context.parent }, 'ON')
  const on = from.on!
  const bound =
    from.type === 'INNER' ? bindFilter(on, inner, 'ON') : bindCondition(on, { ...inner, isPart: true }, 'ON')
  return { on: [bound], relations }
}

type Widened = Pick<BoundFrom, 'node' | 'relations'> & { readonly value: Bound }

/** The same rows and names as one relation of the engine, with the value as an additional column. */
function withColumn({ node: from, relations }: BoundFrom, value: Bound, relation: number): Widened {
  const outputs: Bound[] = []
  const places = new Map<string, number>()
  const moved = (node: Bound): ColumnNode => {
    const key = keyOf(node)
    const column = places.get(key) ?? outputs.push(node) - 1
    places.set(key, column)
    const { type, place } = node
    return { kind: 'column', at: { relation, column }, name: node.kind === 'column' ? node.name : '', type, place }
  }
  const movedPlace = (at: ColumnPlace, { place }: Bound): ColumnPlace =>
    moved({ kind: 'column', at, name: '', type: long, place }).at
  const movedColumn = (column: ScopeColumn): ScopeColumn => {
    const own = moved(column.value)
    const inFiles = column.value.kind === 'column' ? column.value.inFiles : undefined
    const files = inFiles ? { ...own, inFiles: movedPlace(inFiles, own) } : own
    return { ...column, value: files }
  }
  const movedRelations = relations.map(
    ({ columns, position, shared, ...rest }): Relation => ({
      ...rest,
      columns: columns.map(movedColumn),
      ...(position === undefined ? {} : { position: movedPlace(position, value) }),
      ...(shared === undefined ? {} : { shared: new Map([...shared].map(([name, item]) => [name, moved(item)])) }),
    }),
  )
  const added = moved(value)
  return { node: { kind: 'widened', from, outputs, relation }, relations: movedRelations, value: added }
}

interface Side {
  readonly relations: readonly Relation[]
}

/** The conditions of a join by columns of the same name, and its relations with the names that are visible after it. */
function joinedUsing(
  from: Join,
  left: Side,
  right: Side,
): { readonly on: readonly Bound[]; readonly relations: readonly Relation[] } {
  const pairs = sharedColumns(from, left, right).map(({ name, place }) => ({
    name,
    left: columnNamed(left.relations, name, place),
    right: columnNamed(right.relations, name, place),
    place,
  }))
  const on = pairs.map(({ left: one, right: other, place }) =>
    compared(place, reference(one, one.name, place), '=', reference(other, other.name, place), { isFilter: false }),
  )
  const names = new Set(pairs.map((pair) => pair.name))
  // One of the two columns gets the common name: that of the side whose rows are all kept.
  const [kept, hidden] = from.type === 'RIGHT' ? [right.relations, left.relations] : [left.relations, right.relations]
  const merged = hidden.map((relation) => ({ ...relation, merged: new Set([...relation.merged, ...names]) }))
  const shown = from.type === 'FULL' ? kept.map((relation) => withBoth(relation, pairs)) : kept
  const relations = from.type === 'RIGHT' ? [...merged, ...shown] : [...shown, ...merged]
  return { on, relations }
}

interface Pair {
  readonly left: ScopeColumn
  readonly right: ScopeColumn
  readonly place: Place
}

function withBoth(relation: Relation, pairs: readonly Pair[]): Relation {
  const shared = new Map(relation.shared)
  for (const { left, right, place } of pairs) {
    if (relation.columns.includes(left)) shared.set(left.name, coalesced(place, [left.value, right.value]))
  }
  return { ...relation, shared }
}

function sharedColumns(
  from: Join,
  left: Side,
  right: Side,
): readonly { readonly name: string; readonly place: Place }[] {
  if (from.using !== 'natural') return from.using ?? []
  const names = new Set(left.relations.flatMap((relation) => relation.columns.map((column) => column.name)))
  return right.relations
    .flatMap((relation) => relation.columns)
    .filter((column) => names.has(column.name))
    .map(({ name }) => ({ name, place: from.place }))
}

function columnNamed(relations: readonly Relation[], name: string, place: Place): ScopeColumn {
  const found = relations.flatMap((relation) =>
    relation.merged.has(name) ? [] : relation.columns.filter((column) => column.name === name),
  )
  if (found.length === 1) return found[0]!
  throw sqlProblem(
    place,
    found.length === 0
      ? `column ${quoted(name)} is not on both sides of the join`
      : `column ${quoted(name)} is ambiguous on one side of the join`,
  )
}
