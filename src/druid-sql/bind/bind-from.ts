// FROM: tables, subqueries and joins as relations r1, r2, ... of the engine, and the names that the caller gives to their columns.

import { likelyWord } from '../../lib/likely-word.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { type Place, quoted, sqlProblem, thereAre } from '../parse/sql-problem.ts'
import type { Alias, Expression, Join, TableExpression } from '../parse/syntax.ts'
import { joinedUsing } from './bind-using.ts'
import { catalogQuery, catalogTable } from './catalog-tables.ts'
import { columnName, columnOf, entityTable, fileTimeOf, itemsTable, positionOf, relationName } from './engine-names.ts'
import { bindCondition, bindFilter } from './expression-context.ts'
import { partsOf } from './filters.ts'
import type { BoundFrom, CommonTable, FromContext } from './from-context.ts'
import { isInner } from './item-uses.ts'
import type { Relation } from './scope.ts'
import type { SqlTable } from './tables.ts'
import { arrayOf, engineType, isSame, type SqlType, string, typeName } from './types.ts'
import { withColumn } from './with-column.ts'

type Unnest = Extract<TableExpression, { kind: 'unnest' }>

interface UnnestedArray {
  readonly sql: Sql
  readonly element: SqlType
}

export function bindFrom(from: TableExpression, context: FromContext, before: readonly Relation[] = []): BoundFrom {
  switch (from.kind) {
    case 'table':
      return bindTable(from.path, from.alias, from.place, context)
    case 'subquery': {
      const query = context.subquery(from.query, context.parent)
      return derived(query.sql, query.columns, from.alias, from.place, context)
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
    return related(
      sql`${relationName(common.relation)} AS ${relationName(relation)}`,
      relation,
      common.columns,
      alias ?? { name, columns: [] },
      place,
    )
  }
  if (path.length === 2 && path[0]!.toUpperCase() === 'INFORMATION_SCHEMA') {
    const table = catalogTable(name, context.tables)
    if (table === null)
      throw sqlProblem(
        place,
        `there is no table ${quoted(path.join('.'))}: INFORMATION_SCHEMA has TABLES, COLUMNS and SCHEMATA`,
      )
    context.useCatalog()
    return derived(catalogQuery(table), table.columns, alias ?? { name, columns: [] }, place, context)
  }
  const table = context.tables.find(path)
  if (table === undefined) throw unknownTable(path, place, context)
  if (table.schema === 'metadata') return bindItems(table, alias, place, context)
  context.use(table)
  const relation = context.nextRelation()
  const text = sql`${entityTable(table.entityId)} AS ${relationName(relation)}`
  const { relations, ...from } = related(text, relation, table.columns, alias ?? { name, columns: [] }, place)
  const position = positionOf(relation)
  const fileSql = fileTimeOf(relation)
  const entity = relations.map(({ columns: [time, ...others], ...rest }) => ({
    ...rest,
    columns: [{ ...time!, fileSql }, ...others.map((column) => ({ ...column, isStored: true }))],
    position,
  }))
  return { ...from, relations: entity, table }
}

/** The items of a metadata entity. Those of a `json` attribute are texts in the engine's table. */
function bindItems(table: SqlTable, alias: Alias | null, place: Place, context: FromContext): BoundFrom {
  const relation = context.nextRelation()
  const text = sql`${itemsTable(table.entityId)} AS ${relationName(relation)}`
  const from = related(text, relation, table.columns, alias ?? { name: table.name, columns: [] }, place)
  context.items.add(relation, table, (alias?.columns ?? []).length > 0)
  const relations = from.relations.map((one) => ({
    ...one,
    schema: table.schema,
    columns: one.columns.map((column) =>
      column.type.kind === 'json' ? { ...column, sql: sql`CAST(${column.sql} AS JSON)` } : column,
    ),
  }))
  return { ...from, relations }
}

function unknownTable(path: readonly string[], place: Place, { tables }: FromContext): Error {
  const whole = path.join('.')
  const isDotted = tables.find([whole]) !== undefined && path.length > 1
  const names = [...new Set(tables.all.map(({ name }) => name))]
  const likely = likelyWord(whole, names)
  const meant = likely === null ? '' : `${quoted(likely)} may be meant; `
  const there = names.length === 0 ? ': there is none that you may read' : `: ${meant}${thereAre(names)}`
  const hint = isDotted ? `: a name with a dot stands in double quotes, "${whole}"` : there
  return sqlProblem(place, `there is no table ${quoted(whole)}${hint}`)
}

function derived(
  query: Sql,
  columns: CommonTable['columns'],
  alias: Alias | null,
  place: Place,
  context: FromContext,
): BoundFrom {
  const relation = context.nextRelation()
  return related(sql`(${query}) AS ${relationName(relation)}`, relation, columns, alias, place)
}

function related(
  text: Sql,
  relation: number,
  columns: CommonTable['columns'],
  alias: Alias | null,
  place: Place,
): BoundFrom {
  const names = alias?.columns ?? []
  if (names.length > 0 && names.length !== columns.length) {
    throw sqlProblem(
      place,
      `${quoted(alias!.name)} has ${columns.length} columns, and ${names.length} names are given to them`,
    )
  }
  const scoped = columns.map((column, index) => ({
    ...column,
    name: names[index] ?? column.name,
    sql: columnOf(relation, index),
  }))
  return { sql: text, relations: [{ name: alias?.name ?? null, columns: scoped, merged: new Set() }], table: null }
}

/** The rows of several entities under each other: all columns that any of them has. */
function bindAppend(from: Extract<TableExpression, { kind: 'append' }>, context: FromContext): BoundFrom {
  const tables = from.tables.map(({ name, place }) => {
    const table = context.tables.find([name])
    if (table === undefined) throw unknownTable([name], place, context)
    if (table.schema === 'metadata')
      throw sqlProblem(place, `${quoted(name)} is a table of metadata: APPEND takes entities alone`)
    context.use(table)
    return table
  })
  const columns = new Map<string, SqlType>()
  for (const [index, table] of tables.entries()) {
    for (const { name, type } of table.columns) {
      const known = columns.get(name)
      if (known !== undefined && !isSame(known, type)) {
        throw sqlProblem(
          from.tables[index]!.place,
          `column ${quoted(name)} is of type ${typeName(type)} here and of type ${typeName(known)} in a table before`,
        )
      }
      columns.set(name, type)
    }
  }
  const outputs = [...columns].map(([name, type]) => ({ name, type, isStored: true }))
  const parts = tables.map((table) => {
    const items = outputs.map(({ name }, index) => {
      const at = table.columns.findIndex((column) => column.name === name)
      return sql`${at < 0 ? sql`NULL` : columnName(at)} AS ${columnName(index)}`
    })
    return sql`SELECT ${sql.join(items, ', ')} FROM ${entityTable(table.entityId)}`
  })
  return derived(sql.join(parts, ' UNION ALL '), outputs, from.alias, from.place, context)
}

function bindUnnest(from: Unnest, context: FromContext, before: readonly Relation[]): BoundFrom {
  return unnested(from, unnestedArray(from, context, before), context)
}

function unnestedArray(from: Unnest, context: FromContext, before: readonly Relation[]): UnnestedArray {
  const scope = { relations: before, parent: context.parent }
  const array = context.expressionContext(scope, 'UNNEST')
  const operand = array.bind(from.operand, array)
  if (operand.type.kind !== 'array')
    throw sqlProblem(from.operand.place, `UNNEST takes an array, not a value of type ${typeName(operand.type)}`)
  // What comes to null by constants alone has no type to the engine, which unnests no such thing.
  const { element } = operand.type
  const type = arrayOf(element.kind === 'null' ? string : element)
  return { sql: sql`CAST(${operand.sql} AS ${engineType(type)})`, element }
}

function unnested(from: Unnest, { sql: array, element }: UnnestedArray, context: FromContext): BoundFrom {
  const relation = context.nextRelation()
  const column = { name: from.alias?.columns[0] ?? 'EXPR$0', type: element, isStored: true }
  const text = sql`UNNEST(${array}) AS ${relationName(relation)}(${columnName(0)})`
  return related(text, relation, [column], from.alias, from.place)
}

/** In an UNNEST beside a table the engine looks for columns in no lambda, so that an array that has one is made a column of the table. */
function bindSides(from: Join, context: FromContext, before: readonly Relation[]): readonly [BoundFrom, BoundFrom] {
  const left = bindFrom(from.left, context, before)
  const beside = [...before, ...left.relations]
  if (from.right.kind !== 'unnest') return [left, bindFrom(from.right, context, beside)]
  const array = unnestedArray(from.right, context, beside)
  if (!array.sql.text.includes('lambda ')) return [left, unnested(from.right, array, context)]
  const { value, ...widened } = withColumn(left, array.sql, context.nextRelation())
  return [{ ...widened, table: null }, unnested(from.right, { ...array, sql: value }, context)]
}

function bindJoin(from: Join, context: FromContext, before: readonly Relation[]): BoundFrom {
  const sides = bindSides(from, context, before)
  const [left, right] = from.type === 'CROSS' ? sides : sides.map(withValuesStored)
  checkNames(left.relations, right.relations, from.place)
  const rightText = from.right.kind === 'join' ? sql`(${right.sql})` : right.sql
  if (from.type === 'CROSS') {
    return {
      sql: sql`${left.sql} CROSS JOIN ${rightText}`,
      relations: [...left.relations, ...right.relations],
      table: null,
    }
  }
  const { condition, relations } =
    from.using === null ? joinedOn(from, left, right, context) : joinedUsing(from, left, right)
  if (from.on !== null) noteCondition(from.on, from, left, right, context)
  const types = { INNER: sql`INNER`, LEFT: sql`LEFT`, RIGHT: sql`RIGHT`, FULL: sql`FULL` }
  return { sql: sql`${left.sql} ${types[from.type]} JOIN ${rightText} ON ${condition}`, relations, table: null }
}

/** Of VALUES alone the planner works conditions out beforehand, and leaves what is cast in them as it is. */
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
    throw sqlProblem(
      place,
      `two tables of this FROM are named ${quoted(double.name!)}: give one of them another name by AS`,
    )
}

/** An outer join keeps the rows of a side whatever its condition says: only the other side goes without what does not meet it. */
function noteCondition(on: Expression, from: Join, left: BoundFrom, right: BoundFrom, context: FromContext): void {
  const both = [...left.relations, ...right.relations]
  const sides = { INNER: both, CROSS: both, LEFT: right.relations, RIGHT: left.relations, FULL: [] }
  context.items.note(on, both, sides[from.type], isInner(from))
}

function joinedOn(from: Join, left: BoundFrom, right: BoundFrom, context: FromContext) {
  const relations = [...left.relations, ...right.relations]
  const inner = context.expressionContext({ relations, parent: context.parent }, 'ON')
  const on = from.on!
  const bound =
    from.type === 'INNER' ? bindFilter(on, inner, 'ON') : bindCondition(on, { ...inner, parts: partsOf(on) }, 'ON')
  return { condition: bound.sql, relations }
}
