// Writes a bound query as DuckDB's SQL. Of the caller's text it contains only the values of literals: tables and columns are named by numbers.
// Tested by `test/druid-sql/functions.test.ts`.

import { type Sql, sql } from '../../lib/sql-text.ts'
import { comparedAs } from '../bind/comparable.ts'
import { castText, dateLiteral, timestampLiteral } from '../bind/conversions.ts'
import {
  columnName,
  columnText,
  doubleLiteral,
  entityTable,
  frameText,
  itemsTable,
  plainInteger,
  relationName,
} from '../bind/engine-names.ts'
import { intervalText } from '../bind/intervals.ts'
import { areNullsFirst } from '../bind/order.ts'
import type {
  AggregateNode,
  AppendNode,
  Bound,
  BoundRows,
  CatalogNode,
  ColumnNode,
  FromNode,
  GroupsNode,
  LiteralNode,
  OrderKey,
  QueryNode,
  QuerySemantics,
  ScalarQueryNode,
  SelectNode,
  WindowNode,
} from '../bind/tree.ts'
import { arrayOf, engineType, string } from '../bind/types.ts'

export class DuckdbWriter {
  readonly #meaning: QuerySemantics

  constructor(meaning: QuerySemantics) {
    this.#meaning = meaning
  }

  rows(rows: BoundRows): Sql {
    switch (rows.kind) {
      case 'query':
        return this.#query(rows)
      case 'select':
        return this.#select(rows)
      case 'sort': {
        const from = sql`SELECT * FROM (${this.rows(rows.rows)}) AS ${relationName(rows.relation)}`
        return rows.orderBy.length === 0 ? from : sql`${from} ORDER BY ${this.#order(rows.orderBy)}`
      }
      case 'project': {
        const items = named(this.#all(rows.outputs))
        return sql`SELECT ${items} FROM (${this.rows(rows.rows)}) AS ${relationName(rows.relation)}`
      }
      case 'values': {
        const lines = rows.lines.map((line) => sql`(${list(this.#all(line))})`)
        const names = list(rows.columns.map((_, index) => columnName(index)))
        return sql`SELECT * FROM (VALUES ${list(lines)}) AS ${relationName(rows.relation)}(${names})`
      }
      case 'union':
        return sql`(${this.rows(rows.left)}) UNION ALL (${this.rows(rows.right)})`
      case 'catalog':
        return catalogText(rows)
      case 'append':
        return appendText(rows)
    }
  }

  #query({ with: definitions, rows, limit, offset, apart }: QueryNode): Sql {
    const texts = definitions.map((one) => sql`${relationName(one.relation)} AS (${this.rows(one.rows)})`)
    const limits = [
      ...(limit === null ? [] : [sql`LIMIT ${plainInteger(limit)}`]),
      ...(offset === null ? [] : [sql`OFFSET ${plainInteger(offset)}`]),
    ]
    const limited = sql.join([this.rows(rows), ...limits], ' ')
    if (apart !== null) texts.push(sql`${relationName(apart)} AS MATERIALIZED (${limited})`)
    const last = apart === null ? limited : sql`SELECT * FROM ${relationName(apart)}`
    return texts.length === 0 ? last : sql`WITH ${list(texts)} ${last}`
  }

  #select({ distinct, outputs, from, where, groups, having, orderBy }: SelectNode): Sql {
    const shown = outputs.map((output) =>
      // A column that is NULL in all rows has no type of its own.
      output.type.kind === 'null' ? sql`CAST(NULL AS ${engineType(string)})` : this.expression(output),
    )
    const grouped = groups === null ? null : this.#groups(groups)
    const conditions = [having === null ? null : this.expression(having), grouped?.condition ?? null]
    const shows = conditions.filter((one) => one !== null)
    const pieces = [
      sql`SELECT${distinct ? sql` DISTINCT` : sql``} ${named(shown)}`,
      ...(from === null ? [] : [sql`FROM ${this.#from(from)}`]),
      ...(where === null ? [] : [sql`WHERE ${this.expression(where)}`]),
      ...(grouped === null || grouped.by === null ? [] : [sql`GROUP BY ${grouped.by}`]),
      ...(shows.length === 0 ? [] : [sql`HAVING ${sql.join(shows, ' AND ')}`]),
      ...(orderBy.length === 0 ? [] : [sql`ORDER BY ${this.#order(orderBy)}`]),
    ]
    return sql.join(pieces, ' ')
  }

  /** `by` is the text after GROUP BY, null where all rows are one group. `condition` is a further condition for the groups that are returned. */
  #groups({ keys, sets }: GroupsNode): { readonly by: Sql | null; readonly condition: Sql | null } {
    if (sets.length === 1) return { by: keys.length === 0 ? null : list(this.#all(keys)), condition: null }
    const texts = sets.map((set) => sql`(${list(this.#all(set))})`)
    const ofSets = (all: readonly Sql[]): Sql => sql`GROUPING SETS (${list(all)})`
    // With only empty sets, the engine may return one row for all of them from the files' statistics. One more set prevents that.
    if (keys.length === 0) return { by: ofSets([...texts, sql`(TRUE)`]), condition: sql`grouping(TRUE) = 1` }
    // If there are no rows at all, Druid returns no totals next to other sets of groups.
    const hasTotals = sets.some((set) => set.length === 0)
    return { by: ofSets(texts), condition: hasTotals ? sql`count(*) > 0` : null }
  }

  #from(from: FromNode): Sql {
    switch (from.kind) {
      case 'entity':
        return sql`${entityTable(from.entityId)} AS ${relationName(from.relation)}`
      case 'items':
        return sql`${itemsTable(from.entityId)} AS ${relationName(from.relation)}`
      case 'common':
        return sql`${relationName(from.of)} AS ${relationName(from.relation)}`
      case 'rows':
        return sql`(${this.rows(from.rows)}) AS ${relationName(from.relation)}`
      case 'unnest': {
        // A value that is null because of constants has no type in the engine, which refuses to unnest it.
        const { type } = from.array
        const isTyped = type.kind === 'array' && type.element.kind !== 'null'
        const array = sql`CAST(${this.expression(from.array)} AS ${engineType(isTyped ? type : arrayOf(string))})`
        return sql`UNNEST(${array}) AS ${relationName(from.relation)}(${columnName(0)})`
      }
      case 'widened':
        return sql`(SELECT ${named(this.#all(from.outputs))} FROM ${this.#from(from.from)}) AS ${relationName(from.relation)}`
      case 'join': {
        const [left, side] = [this.#from(from.left), this.#from(from.right)]
        const right = from.right.kind === 'join' ? sql`(${side})` : side
        if (from.type === 'CROSS') return sql`${left} CROSS JOIN ${right}`
        const types = { INNER: sql`INNER`, LEFT: sql`LEFT`, RIGHT: sql`RIGHT`, FULL: sql`FULL` }
        const on = from.on.length === 0 ? sql`TRUE` : sql.join(this.#all(from.on), ' AND ')
        return sql`${left} ${types[from.type]} JOIN ${right} ON ${on}`
      }
    }
  }

  #order(orderBy: readonly OrderKey[]): Sql {
    return list(
      orderBy.map((order) => {
        const { key, descending } = order
        const text = typeof key === 'number' ? plainInteger(key) : this.expression(key)
        return sql`${text} ${descending ? sql`DESC` : sql`ASC`} NULLS ${areNullsFirst(order) ? sql`FIRST` : sql`LAST`}`
      }),
    )
  }

  #all(nodes: readonly Bound[]): readonly Sql[] {
    return nodes.map((node) => this.expression(node))
  }

  expression(node: Bound): Sql {
    switch (node.kind) {
      case 'literal':
        return literalText(node)
      case 'time':
        return node.type.kind === 'date' ? dateLiteral(node.ms) : timestampLiteral(node.ms)
      case 'interval':
        return intervalText(node)
      case 'column':
        return nodeText(node)
      case 'written':
        return node.sql
      case 'call':
        return node.fn.write(this.#all(node.operands), node, this.#meaning)
      case 'aggregate':
        return this.#aggregate(node)
      case 'query':
        return this.#scalarQuery(node)
    }
  }

  #aggregate(node: AggregateNode): Sql {
    const { operands, orderBy, filter, over } = node
    const order = orderBy.length === 0 ? sql`` : sql` ORDER BY ${this.#order(orderBy)}`
    const { call, also = call, finish } = node.fn.write(this.#all(operands), node, order)
    const where = filter === null ? sql`` : sql` FILTER (WHERE ${this.expression(filter)})`
    const window = over === null ? sql`` : sql` OVER (${this.#window(over)})`
    const whole = (text: Sql): Sql => sql`${text}${where}${window}`
    return finish === undefined ? whole(call) : finish(whole(call), whole(also))
  }

  #window({ partitionBy, orderBy, frame }: WindowNode): Sql {
    const pieces = [
      ...(partitionBy.length === 0 ? [] : [sql`PARTITION BY ${list(this.#all(partitionBy))}`]),
      ...(orderBy.length === 0 ? [] : [sql`ORDER BY ${this.#order(orderBy)}`]),
      ...(frame === null ? [] : [frameText(frame)]),
    ]
    return sql.join(pieces, ' ')
  }

  #scalarQuery({ query, sought }: ScalarQueryNode): Sql {
    if (sought === null) return sql`(${this.rows(query)})`
    const { operand, item, negated } = sought
    const type = comparedAs(operand, item)
    const { zone } = this.#meaning
    const left = castText(operand, this.expression(operand), type, zone)
    const right = castText(item, sql`q.c0`, type, zone)
    return sql`(${left} ${negated ? sql`NOT ` : sql``}IN (SELECT ${right} FROM (${this.rows(query)}) AS q(c0)))`
  }
}

const { list } = sql

const named = (texts: readonly Sql[]): Sql => list(texts.map((text, index) => sql`${text} AS ${columnName(index)}`))

const nodeText = ({ at, isJsonText }: ColumnNode): Sql =>
  isJsonText === true ? sql`CAST(${columnText(at)} AS JSON)` : columnText(at)

function literalText({ value, type }: LiteralNode): Sql {
  switch (typeof value) {
    case 'string':
      return sql.literal(value)
    case 'number':
      return doubleLiteral(value)
    case 'bigint':
      return sql.long(value)
    case 'boolean':
      return value ? sql`TRUE` : sql`FALSE`
    default:
      return type.kind === 'null' ? sql`NULL` : sql`CAST(NULL AS ${engineType(type)})`
  }
}

function appendText({ parts }: AppendNode): Sql {
  const texts = parts.map(({ entityId, places }) => {
    const columns = named(places.map((place) => (place === null ? sql`NULL` : columnName(place))))
    return sql`SELECT ${columns} FROM ${entityTable(entityId)}`
  })
  return sql.join(texts, ' UNION ALL ')
}

/** Values in the query itself, not a table of the engine. */
function catalogText({ columns, lines }: CatalogNode): Sql {
  const names = columns.map((_, index) => columnName(index))
  const casts = columns.map(({ type }, index) => {
    const value = lines.length === 0 ? sql`NULL` : names[index]!
    return sql`CAST(${value} AS ${engineType(type)}) AS ${names[index]!}`
  })
  if (lines.length === 0) return sql`SELECT ${list(casts)} WHERE FALSE`
  const texts = lines.map((line) => sql`(${list(line.map(catalogValue))})`)
  return sql`SELECT ${list(casts)} FROM (VALUES ${list(texts)}) AS v(${list(names)})`
}

function catalogValue(value: string | number | null): Sql {
  if (value === null) return sql`NULL`
  return typeof value === 'string' ? sql.literal(value) : sql.long(value)
}
