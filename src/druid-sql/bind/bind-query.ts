// Queries: FROM is bound before SELECT, which needs its names. The result contains no names of the caller: relations are r1, r2, ..., columns c0, c1, ...
// Tested by `test/druid-sql/agreement.test.ts`.

import type { Zone } from '../../druid-time/zone.ts'
import { unifiedType } from '../functions/unified.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import type { OrderItem, Query, QueryBody, Select, Union, Values, Window } from '../parse/syntax.ts'
import { bindExpression } from './bind-expression.ts'
import { bindFrom } from './bind-from.ts'
import { bindSelect } from './bind-select.ts'
import { as } from './conversions.ts'
import { type ExpressionContext, forbidden } from './expression-context.ts'
import type { CommonTable, FromContext, SelectFrom } from './from-context.ts'
import type { Scope, ScopeColumn } from './scope.ts'
import type { SqlTables } from './tables.ts'
import { ofQuery } from './top-of-one.ts'
import { type Bound, type BoundRows, columnOfValues, hasWindow, type OrderKey, type SelectNode } from './tree.ts'
import { commonType, type SqlType, typeName } from './types.ts'

interface Surroundings {
  readonly parent: Scope | null
  readonly commonTables: ReadonlyMap<string, CommonTable>
  readonly isTop: boolean
}

/** The largest LIMIT for which Druid uses a topN. */
const toppedMax = 100_000n

/** Binds one statement, and numbers its relations. */
export class QueryBinder {
  readonly #tables: SqlTables
  readonly #zone: Zone
  #relations = 0

  constructor(tables: SqlTables, zone: Zone) {
    this.#tables = tables
    this.#zone = zone
  }

  statement(query: Query): BoundRows {
    return this.#query(query, { parent: null, commonTables: new Map(), isTop: true })
  }

  #query(query: Query, around: Surroundings): BoundRows {
    const commonTables = new Map(around.commonTables)
    const definitions: { readonly relation: number; readonly rows: BoundRows }[] = []
    for (const { name, columns, query: inner, place } of query.with) {
      const rows = this.#query(inner, { parent: around.parent, commonTables, isTop: false })
      if (columns.length > 0 && columns.length !== rows.columns.length)
        throw sqlProblem(place, `${name} has ${rows.columns.length} columns, not ${columns.length}`)
      const relation = this.#nextRelation()
      definitions.push({ relation, rows })
      commonTables.set(name, {
        relation,
        columns: rows.columns.map((column, index) => ({ ...column, name: columns[index] ?? column.name })),
      })
    }
    const inner = { ...around, commonTables }
    const rows = query.body.kind === 'select' ? this.#select(query.body, query, inner) : this.#orderedBody(query, inner)
    const { limit, offset } = query
    if (definitions.length === 0 && !isLimited(query)) return rows
    const apart = around.isTop || !isLimited(query) ? null : this.#nextRelation()
    return { kind: 'query', with: definitions, rows, limit, offset, apart, columns: rows.columns }
  }

  #nextRelation = (): number => {
    this.#relations += 1
    return this.#relations
  }

  #select(select: Select, query: Query, around: Surroundings): SelectNode {
    const from = select.from === null ? nothing : bindFrom(select.from, this.#fromContext(around))
    const scope = { relations: from.relations, parent: around.parent }
    const context = this.#expressionContext(scope, around, select.windows)
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
    const runsBefore = hasLimit || bound.outputs.some((output) => hasWindow(output.bound))
    const isValues = isOfValues(from)
    const columns = bound.outputs.map(({ name, bound: output }) => ({
      name,
      type: output.type,
      isStored: output.stored?.isCast === false || (isReduced && columnOfValues(output) !== undefined),
      isOfValues: isValues,
      ofQuery: ofQuery(bound, output, runsBefore),
    }))
    return { ...bound.node, columns }
  }

  #fromContext(around: Surroundings): FromContext {
    return {
      tables: this.#tables,
      commonTables: around.commonTables,
      parent: around.parent,
      nextRelation: this.#nextRelation,
      subquery: (query, parent) => this.#query(query, { parent, commonTables: around.commonTables, isTop: false }),
      expressionContext: (scope, what) => ({
        ...this.#expressionContext(scope, around, new Map()),
        ...forbidden(what),
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
      isDruidFilter: false,
      isPart: false,
      zone: this.#zone,
      bind: bindExpression,
      subquery: (query, parent) => this.#query(query, { parent, commonTables: around.commonTables, isTop: false }),
    }
  }

  /** VALUES and UNION ALL, ordered by the columns of their result. */
  #orderedBody(query: Query, around: Surroundings): BoundRows {
    const rows = this.#body(query.body, around)
    if (query.orderBy.length === 0 && !isLimited(query)) return rows
    const relation = this.#nextRelation()
    const columns = rows.columns.map(({ name, type }, column): ScopeColumn => {
      return { name, type, value: { kind: 'column', at: { relation, column }, name, type, place: query.place } }
    })
    const scope = { relations: [{ name: null, columns, merged: new Set<string>() }], parent: around.parent }
    const context = {
      ...this.#expressionContext(scope, around, new Map()),
      noAggregates: 'an aggregate is not allowed here',
    }
    const orderBy = query.orderBy.map((item): OrderKey => {
      const { descending, nulls } = item
      return { key: this.#orderKey(item, columns, context), descending, nulls }
    })
    return { kind: 'sort', rows, relation, orderBy, columns: rows.columns }
  }

  #orderKey({ expression }: OrderItem, columns: readonly ScopeColumn[], context: ExpressionContext): Bound {
    if (expression.kind !== 'number') return context.bind(expression, context)
    const column = columns[Number(expression.digits) - 1]
    if (column === undefined)
      throw sqlProblem(
        expression.place,
        `there is no column ${expression.digits} in this query: it has ${columns.length}`,
      )
    return column.value
  }

  #body(body: QueryBody, around: Surroundings): BoundRows {
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

  #values(values: Values, around: Surroundings): BoundRows {
    const scope = { relations: [], parent: around.parent }
    const context = { ...this.#expressionContext(scope, around, new Map()), ...forbidden('VALUES') }
    const width = values.rows[0]!.length
    const rows = values.rows.map((row) => {
      if (row.length !== width)
        throw sqlProblem(row[0]!.place, `each row of VALUES has ${width} values here, not ${row.length}`)
      return row.map((value) => context.bind(value, context))
    })
    const types = Array.from({ length: width }, (_, index) => unifiedType(rows.map((row) => row[index]!)))
    const lines = rows.map((row) => row.map((value, index) => as(value, types[index]!)))
    const columns = types.map((type, index) => ({ name: `EXPR$${index}`, type, isOfValues: true }))
    return { kind: 'values', relation: this.#nextRelation(), lines, columns }
  }

  #union(union: Union, around: Surroundings): BoundRows {
    const { place } = union
    const left = this.#body(union.left, around)
    const right = this.#body(union.right, around)
    if (left.columns.length !== right.columns.length) {
      throw sqlProblem(
        place,
        `both sides of UNION must have the same number of columns, not ${left.columns.length} and ${right.columns.length}`,
      )
    }
    const types = left.columns.map((column, index) => {
      const other = right.columns[index]!
      const type = commonType(column.type, other.type)
      if (type === null)
        throw sqlProblem(
          place,
          `column ${index + 1} is of type ${typeName(column.type)} on one side of UNION, but of type ${typeName(other.type)} on the other: CAST one of them`,
        )
      return type
    })
    const columns = left.columns.map(({ name, isStored }, index) => ({
      name,
      type: types[index]!,
      isStored: isStored === true && right.columns[index]!.isStored === true,
    }))
    const [first, second] = [this.#converted(left, types, place), this.#converted(right, types, place)]
    return { kind: 'union', left: first, right: second, columns }
  }

  #converted(rows: BoundRows, types: readonly SqlType[], place: Place): BoundRows {
    if (rows.columns.every((column, index) => column.type.kind === types[index]!.kind)) return rows
    const relation = this.#nextRelation()
    const outputs = rows.columns.map(({ name, type }, column) =>
      as({ kind: 'column', at: { relation, column }, name, type, place }, types[column]!),
    )
    return { kind: 'project', rows, relation, outputs, columns: rows.columns }
  }
}

/** Whether the rows come only from VALUES, whatever is computed from them. */
function isOfValues({ relations }: SelectFrom): boolean {
  return relations.length > 0 && relations.every(({ columns }) => columns.every((column) => column.isOfValues === true))
}

const nothing: SelectFrom = { node: null, relations: [], table: null }

function bare(body: QueryBody): Query {
  return { with: [], body, orderBy: [], limit: null, offset: null, place: body.place }
}

const isLimited = ({ limit, offset }: Query): boolean => limit !== null || offset !== null
