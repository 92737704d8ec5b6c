// Queries: FROM before SELECT, as the names need it. What comes out holds no name of the caller's: relations are r1, r2, ..., columns c0, c1, ...
// Tested by `test/druid-sql/agreement.test.ts`.

import { type Sql, sql } from '../../lib/sql-text.ts'
import { unified } from '../functions/unified.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import type { OrderItem, Query, QueryBody, Select, Union, Values, Window } from '../parse/syntax.ts'
import { ordered } from './bind-aggregate.ts'
import { bindExpression } from './bind-expression.ts'
import { bindFrom } from './bind-from.ts'
import { bindSelect } from './bind-select.ts'
import { columnOfValues, combine } from './bound.ts'
import { as } from './conversions.ts'
import { columnName, columnOf, plainInteger, relationName } from './engine-names.ts'
import type { BoundSubquery, ExpressionContext } from './expression-context.ts'
import { noFilters } from './filters.ts'
import type { BoundFrom, CommonTable, FromContext } from './from-context.ts'
import { ItemUses, isInner } from './item-uses.ts'
import type { Scope } from './scope.ts'
import type { SqlTable, SqlTables } from './tables.ts'
import { ofQuery } from './top-of-one.ts'
import { commonType, type SqlType, typeName } from './types.ts'

interface Surroundings {
  readonly parent: Scope | null
  readonly commonTables: ReadonlyMap<string, CommonTable>
  readonly isTop: boolean
}

/** The largest LIMIT with which Druid asks for a topN. */
const toppedMax = 100_000n

/** Binds one statement: numbers its relations and notes which tables it reads. */
export class QueryBinder {
  readonly used = new Set<SqlTable>()
  /** The places at which GROUP BY names a column of the result. */
  readonly namedKeys: Place[] = []
  needsWholeGroups = false
  readsCatalog = false
  /** Where it reads items of metadata. */
  readonly items: ItemUses
  readonly #tables: SqlTables
  readonly #meaning: Pick<ExpressionContext, 'wraps' | 'zone'>
  #relations = 0

  constructor(tables: SqlTables, meaning: Pick<ExpressionContext, 'wraps' | 'zone'>) {
    this.#tables = tables
    this.#meaning = meaning
    this.items = new ItemUses(meaning.zone)
  }

  statement(query: Query): BoundSubquery {
    return this.#query(query, { parent: null, commonTables: new Map(), isTop: true })
  }

  #query(query: Query, around: Surroundings): BoundSubquery {
    const commonTables = new Map(around.commonTables)
    const definitions: Sql[] = []
    for (const { name, columns, query: inner, place } of query.with) {
      const bound = this.#query(inner, { parent: around.parent, commonTables, isTop: false })
      if (columns.length > 0 && columns.length !== bound.columns.length)
        throw sqlProblem(place, `${name} has ${bound.columns.length} columns, not ${columns.length}`)
      const relation = this.#nextRelation()
      definitions.push(sql`${relationName(relation)} AS (${bound.sql})`)
      commonTables.set(name, {
        relation,
        columns: bound.columns.map((column, index) => ({ ...column, name: columns[index] ?? column.name })),
      })
    }
    const inner = { ...around, commonTables }
    const body = query.body.kind === 'select' ? this.#select(query.body, query, inner) : this.#orderedBody(query, inner)
    const limited = sql.join([body.sql, ...limits(query)], ' ')
    const last = around.isTop || !isLimited(query) ? limited : this.#apart(limited, definitions)
    const text = definitions.length === 0 ? last : sql`WITH ${sql.join(definitions, ', ')} ${last}`
    return { sql: text, columns: body.columns }
  }

  /** The rows within a LIMIT by themselves: what a join around asks of them the engine would ask of the rows before the LIMIT (duckdb#22963). */
  #apart(limited: Sql, definitions: Sql[]): Sql {
    const relation = relationName(this.#nextRelation())
    definitions.push(sql`${relation} AS MATERIALIZED (${limited})`)
    return sql`SELECT * FROM ${relation}`
  }

  #nextRelation = (): number => {
    this.#relations += 1
    return this.#relations
  }

  #select(select: Select, query: Query, around: Surroundings): BoundSubquery {
    const from = select.from === null ? nothing : bindFrom(select.from, this.#fromContext(around))
    const scope = { relations: from.relations, parent: around.parent }
    const context = this.#expressionContext(scope, around, select.windows)
    if (select.where !== null && select.from !== null)
      this.items.note(select.where, from.relations, from.relations, isInner(select.from))
    const hasLimit = isLimited(query)
    const isReduced = hasLimit || select.distinct
    const bound = bindSelect({
      select,
      from,
      context,
      orderBy: query.orderBy,
      orderMatters: around.isTop || hasLimit,
      hasLimit,
      isTopped: query.limit !== null && query.limit > 0n && query.limit <= toppedMax && query.offset === null,
    })
    const runsBefore = hasLimit || bound.outputs.some((output) => output.bound.window !== null)
    return {
      sql: bound.sql,
      columns: bound.outputs.map(({ name, bound: output }) => ({
        name,
        type: output.type,
        isStored: output.stored?.isCast === false || (isReduced && columnOfValues(output) !== undefined),
        isOfValues: isOfValues(from),
        ofQuery: ofQuery(bound, output, runsBefore),
      })),
    }
  }

  #fromContext(around: Surroundings): FromContext {
    return {
      tables: this.#tables,
      commonTables: around.commonTables,
      parent: around.parent,
      nextRelation: this.#nextRelation,
      use: (table) => this.used.add(table),
      items: this.items,
      useCatalog: () => {
        this.readsCatalog = true
      },
      subquery: (query, parent) => this.#query(query, { parent, commonTables: around.commonTables, isTop: false }),
      expressionContext: (scope, what) => ({
        ...this.#expressionContext(scope, around, new Map()),
        noAggregates: `an aggregate cannot stand in ${what}`,
        noWindows: `a window function cannot stand in ${what}`,
        isFilter: true,
      }),
    }
  }

  #expressionContext(scope: Scope, around: Surroundings, windows: ReadonlyMap<string, Window>): ExpressionContext {
    return {
      scope,
      noAggregates: null,
      noWindows: null,
      groupKeys: null,
      aliases: null,
      windows,
      isFilter: false,
      ...noFilters,
      ...this.#meaning,
      bind: bindExpression,
      namesKey: (place) => this.namedKeys.push(place),
      needsWholeGroups: () => {
        this.needsWholeGroups = true
      },
      subquery: (query, parent) => this.#query(query, { parent, commonTables: around.commonTables, isTop: false }),
    }
  }

  /** VALUES and UNION ALL, ordered by the columns of their result. */
  #orderedBody(query: Query, around: Surroundings): BoundSubquery {
    const body = this.#body(query.body, around)
    if (query.orderBy.length === 0) {
      return isLimited(query)
        ? { ...body, sql: sql`SELECT * FROM (${body.sql}) AS ${relationName(this.#nextRelation())}` }
        : body
    }
    const relation = this.#nextRelation()
    const columns = body.columns.map(({ name, type }, index) => ({ name, type, sql: columnOf(relation, index) }))
    const scope = { relations: [{ name: null, columns, merged: new Set<string>() }], parent: around.parent }
    const context = {
      ...this.#expressionContext(scope, around, new Map()),
      noAggregates: 'an aggregate cannot stand here',
    }
    const items = query.orderBy.map((item) => ordered(this.#orderKey(item, columns, context), item))
    return {
      sql: sql`SELECT * FROM (${body.sql}) AS ${relationName(relation)} ORDER BY ${sql.join(items, ', ')}`,
      columns: body.columns,
    }
  }

  #orderKey({ expression }: OrderItem, columns: readonly { readonly sql: Sql }[], context: ExpressionContext): Sql {
    if (expression.kind !== 'number') return context.bind(expression, context).sql
    const column = columns[Number(expression.digits) - 1]
    if (column === undefined)
      throw sqlProblem(
        expression.place,
        `there is no column ${expression.digits} in this query: it has ${columns.length}`,
      )
    return column.sql
  }

  #body(body: QueryBody, around: Surroundings): BoundSubquery {
    switch (body.kind) {
      case 'select':
        return this.#select(body, bare(body), { ...around, isTop: false })
      case 'nested':
        return this.#query(body.query, { ...around, isTop: false })
      case 'values':
        return this.#values(body, around)
      case 'union':
        return this.#union(body, around)
    }
  }

  #values(values: Values, around: Surroundings): BoundSubquery {
    const scope = { relations: [], parent: around.parent }
    const context = {
      ...this.#expressionContext(scope, around, new Map()),
      noAggregates: 'an aggregate cannot stand in VALUES',
      noWindows: 'a window function cannot stand in VALUES',
    }
    const width = values.rows[0]!.length
    const rows = values.rows.map((row) => {
      if (row.length !== width)
        throw sqlProblem(row[0]!.place, `each row of VALUES has ${width} values here, not ${row.length}`)
      return row.map((value) => context.bind(value, context))
    })
    const columns = Array.from({ length: width }, (_, index) => unified(rows.map((row) => row[index]!)))
    const lines = rows.map(
      (_row, line) =>
        sql`(${sql.join(
          columns.map(({ operands }) => operands[line]!.sql),
          ', ',
        )})`,
    )
    const names = columns.map((_column, index) => columnName(index))
    const text = sql`SELECT * FROM (VALUES ${sql.join(lines, ', ')}) AS ${relationName(this.#nextRelation())}(${sql.join(names, ', ')})`
    return { sql: text, columns: columns.map(({ type }, index) => ({ name: `EXPR$${index}`, type, isOfValues: true })) }
  }

  #union(union: Union, around: Surroundings): BoundSubquery {
    const { place } = union
    const left = this.#body(union.left, around)
    const right = this.#body(union.right, around)
    if (left.columns.length !== right.columns.length) {
      throw sqlProblem(
        place,
        `both sides of UNION need as many columns: there are ${left.columns.length} and ${right.columns.length}`,
      )
    }
    const types = left.columns.map((column, index) => {
      const other = right.columns[index]!
      const type = commonType(column.type, other.type)
      if (type === null)
        throw sqlProblem(
          place,
          `column ${index + 1} is of type ${typeName(column.type)} on one side of UNION and of type ${typeName(other.type)} on the other: CAST one of them`,
        )
      return type
    })
    const text = sql`(${this.#converted(left, types, union)}) UNION ALL (${this.#converted(right, types, union)})`
    const columns = left.columns.map(({ name, isStored }, index) => ({
      name,
      type: types[index]!,
      isStored: isStored === true && right.columns[index]!.isStored === true,
    }))
    return { sql: text, columns }
  }

  #converted(side: BoundSubquery, types: readonly SqlType[], { place }: Union): Sql {
    if (side.columns.every((column, index) => column.type.kind === types[index]!.kind)) return side.sql
    const relation = this.#nextRelation()
    const items = side.columns.map((column, index) => {
      const bound = combine(place, column.type, columnOf(relation, index), [])
      return sql`${as(bound, types[index]!).sql} AS ${columnName(index)}`
    })
    return sql`SELECT ${sql.join(items, ', ')} FROM (${side.sql}) AS ${relationName(relation)}`
  }
}

/** Whether its rows are those of VALUES, whatever is worked out of them. */
function isOfValues({ relations }: BoundFrom): boolean {
  const columns = relations.flatMap((relation) => relation.columns)
  return columns.length > 0 && columns.every((column) => column.isOfValues === true)
}

const nothing: BoundFrom = { sql: sql``, relations: [], table: null }

function bare(body: QueryBody): Query {
  return { with: [], body, orderBy: [], limit: null, offset: null, place: body.place }
}

const isLimited = ({ limit, offset }: Query): boolean => limit !== null || offset !== null

function limits({ limit, offset }: Query): Sql[] {
  return [
    ...(limit === null ? [] : [sql`LIMIT ${plainInteger(limit)}`]),
    ...(offset === null ? [] : [sql`OFFSET ${plainInteger(offset)}`]),
  ]
}
