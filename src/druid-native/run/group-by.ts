import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import { aggregate } from '../compile/aggregate.ts'
import { bindHaving } from '../compile/having.ts'
import { type Column, type Relation, within } from '../compile/relation.ts'
import type { Rows } from '../compile/result-rows.ts'
import type { GroupByQuery } from '../parse/native-query-types.ts'
import type { Aggregator, OrderColumn, PostAggregator } from '../parse/query-nodes.ts'
import { naturalKey, orderBy, sortKeys } from '../values/ordering.ts'
import { longValue, type Typed, typedNull, type ValueType, writtenSql } from '../values/typed.ts'
import { groupByEvent, groupByList, jsonText, RowWriter } from './json-text.ts'
import { msOf, outputs, type Session, sourceOf, timestampWriter } from './session.ts'

interface Compiled {
  /** Columns are named r0 (the time), r1, r2 and so on, in output order. */
  readonly statement: Sql
  readonly columns: readonly { readonly name: string; readonly type: ValueType }[]
}

const namesOf = (query: GroupByQuery): readonly string[] => [
  ...query.dimensions.map(({ outputName }) => outputName),
  ...[...query.aggregations, ...query.postAggregations].map(({ name }) => name!),
]

/** Groups by a subset of the dimensions. Columns: subtotal number, time, values o0, o1 and so on, and sort keys k0, k1 and so on. */
function groupedBy(
  query: GroupByQuery,
  relation: Relation,
  grouped: ReadonlySet<string>,
  ordinal: number,
): { statement: Sql; values: readonly Typed[]; keysByColumn: readonly (readonly Sql[])[] } {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const made = aggregate({ ...query, grouped }, source)
  for (const column of query.limitSpec.columns) {
    if (!made.rows.has(column.dimension))
      throw invalidRequest(
        `${column.path}.dimension`,
        `"${column.dimension}" is not the name of an output of the query`,
      )
  }
  const values = namesOf(query).map((name) => made.rows.column(name))
  const keysByColumn = query.limitSpec.columns.map((column) => keysOf(column, made.rows, query))
  const time = query.granularity.kind === 'all' ? sql.long(query.intervals[0]?.startMs ?? 0) : sql`"b"`
  const conditions = [
    ...(query.having === null ? [] : [writtenSql(bindHaving(query.having, made.rows, longValue(time)))]),
    // A query without dimensions returns one row even if no rows match; a subtotal does not.
    ...(query.subtotals === null
      ? []
      : [
          sql`"n" > 0`,
          ...(query.granularity.kind === 'all'
            ? []
            : // Druid queries the groups within the intervals, so a bucket that starts before them is excluded.
              [within(time, query.intervals)]),
        ]),
  ]
  const having = conditions.length === 0 ? sql.empty : sql` WHERE ${sql.join(conditions, ' AND ')}`
  const added = keysByColumn.flat().map((key, index) => sql`${key} AS ${sql.id(`k${index}`)}`)
  const statement = sql`SELECT ${sql.list([sql`${sql.long(ordinal)} AS "s"`, sql`${time} AS "t"`, ...outputs(values), ...added])} FROM ${made.relation} AS r${having}`
  return { statement, values, keysByColumn }
}

function keysOf(column: OrderColumn, rows: Rows, query: GroupByQuery): readonly Sql[] {
  const value = rows.column(column.dimension)
  const isDimension = query.dimensions.some(({ outputName }) => outputName === column.dimension)
  if (isDimension) return sortKeys(value, column.ordering)
  const post = query.postAggregations.find(({ name }) => name === column.dimension)
  return post !== undefined && isNumericFirst(post) ? [sql`isfinite(${value.sql})`, value.sql] : [value.sql]
}

const isNumericFirst = (post: PostAggregator): boolean => post.kind === 'arithmetic' && post.numericFirst

function orderOf(query: GroupByQuery, { values, keysByColumn }: ReturnType<typeof groupedBy>): readonly Sql[] {
  let next = 0
  const byColumns = query.limitSpec.columns.flatMap(({ descending }, index) =>
    orderBy(
      keysByColumn[index]!.map(() => sql.id(`k${next++}`)),
      descending,
    ),
  )
  const natural = orderBy(
    query.dimensions.map((_, index) => naturalKey({ ...values[index]!, sql: sql.id(`o${index}`) })),
    false,
  )
  const time = [sql`"t" ASC`]
  const bySubtotal = query.subtotals === null ? [] : [sql`"s"`]
  const { columns, limit, offset } = query.limitSpec
  // Subtotals are only sorted together if there is an order or a limit.
  const subtotalsFirst = columns.length === 0 && limit === null && offset === 0
  if (query.context.sortByDimsFirst) return [...byColumns, ...bySubtotal, ...natural, ...time]
  return subtotalsFirst ? [...bySubtotal, ...time, ...natural] : [...time, ...byColumns, ...bySubtotal, ...natural]
}

function compile(query: GroupByQuery, relation: Relation): Compiled {
  const all = query.dimensions.map(({ outputName }) => outputName)
  const parts = (query.subtotals ?? [all]).map((names, ordinal) => groupedBy(query, relation, new Set(names), ordinal))
  const [first] = parts
  if (first === undefined) throw invalidRequest('subtotalsSpec', 'must hold at least one list of dimensions')
  const { limit, offset } = query.limitSpec
  const columns = namesOf(query).map((name, index) => ({
    name,
    type: first.values[index]!.type ?? ('STRING' as const),
  }))
  const list = sql.list([
    sql`"t" AS "r0"`,
    ...columns.map((_, index) => sql`${sql.id(`o${index}`)} AS ${sql.id(`r${index + 1}`)}`),
  ])
  const cut = sql`${limit === null ? sql.empty : sql` LIMIT ${sql.long(limit)}`}${offset === 0 ? sql.empty : sql` OFFSET ${sql.long(offset)}`}`
  const union = sql.join(
    parts.map(({ statement }) => statement),
    ' UNION ALL ',
  )
  return {
    statement: sql`SELECT ${list} FROM (${union}) AS u ORDER BY ${sql.list(orderOf(query, first))}${cut}`,
    columns,
  }
}

/** Druid passes the results of these aggregators between queries as intermediate objects, which read as null. */
function isUnfinished(aggregator: Aggregator): boolean {
  if (aggregator.kind === 'filtered') return isUnfinished(aggregator.aggregator)
  return ['mean', 'cardinality', 'distinct', 'quantiles', 'variance'].includes(aggregator.kind)
}

/** A groupBy as the source of another query. */
export function groupByRelation(
  query: GroupByQuery,
  relation: Relation,
): { statement: Sql; columns: readonly Column[] } {
  const { statement, columns } = compile(query, relation)
  const unfinished = new Set(query.aggregations.filter(isUnfinished).map(({ name }) => name))
  const outer = columns.map(
    (column, index) =>
      sql`${unfinished.has(column.name) ? typedNull(column.type) : sql.id(`r${index + 1}`)} AS ${sql.id(`r${index + 1}`)}`,
  )
  return {
    statement:
      unfinished.size === 0 ? statement : sql`SELECT ${sql.list([sql`"r0"`, ...outer])} FROM (${statement}) AS f`,
    columns: [{ name: '__time', type: 'LONG' }, ...columns],
  }
}

export async function* runGroupBy(query: GroupByQuery, relation: Relation, session: Session): AsyncGenerator<string> {
  const { statement, columns } = compile(query, relation)
  const timestamp = timestampWriter(query)
  const writer = new RowWriter(columns, 1)
  const isTimed = query.granularity.kind !== 'all'
  for await (const rows of session.stream(statement)) {
    for (const row of rows) {
      const time = msOf(row[0])
      if (query.context.resultAsArray) yield groupByList(isTimed ? time : null, writer.values(row))
      else yield groupByEvent(jsonText(timestamp(time)), writer.object(row))
    }
  }
}
