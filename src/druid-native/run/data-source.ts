// Builds the relation of a data source. Inner topNs and timeseries, whose empty buckets must be filled, run first and become inline rows.

import { conjuncts } from '../../druid-sql/bind/logic.ts'
import type { Bound } from '../../druid-sql/bind/tree.ts'
import { wideRange } from '../../druid-time/bucket-sql.ts'
import { eternity } from '../../druid-time/iso.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { Problem } from '../../model/problem.ts'
import type { EngineValue } from '../../sql-engine/sql-engine.ts'
import { compileFilter } from '../compile/filter.ts'
import {
  type Column,
  inlineRelation,
  type Relation,
  selected,
  statementRelation,
  tableRelation,
  unionRelation,
} from '../compile/relation.ts'
import { bindAt, Source } from '../compile/source-rows.ts'
import { truthOf } from '../expression/operators.ts'
import { type Scalar, unsupported } from '../parse/json-reader.ts'
import type { DataSource, InlineColumn, NativeQuery } from '../parse/native-query-types.ts'
import { isScalar, type NativeType, nullValue, type Typed, type ValueType, writtenSql } from '../values/typed.ts'
import { spans } from './filled-buckets.ts'
import { groupByRelation } from './group-by.ts'
import type { OutputColumn } from './json-text.ts'
import { scanRelation } from './run-scan.ts'
import { msOf, type Session } from './session.ts'
import { timeseriesRows } from './timeseries.ts'
import { topNRows } from './top-n.ts'

/** Maximum rows of an inner query that are written into the statement; more would make it too long. */
const inlineRowsMax = 20_000

export async function relationOf(dataSource: DataSource, session: Session): Promise<Relation> {
  switch (dataSource.kind) {
    case 'table':
      return tableOf(dataSource, session)
    case 'union':
      return unionRelation(await Promise.all(dataSource.tables.map((table) => tableOf(table, session))))
    case 'inline':
      return inlineRelation(dataSource.columns, dataSource.rows)
    case 'query':
      return queryRelation(dataSource.query, session)
    case 'join':
      return joinRelation(
        dataSource,
        await relationOf(dataSource.left, session),
        await relationOf(dataSource.right, session),
      )
  }
}

async function tableOf({ name, path }: DataSource & { kind: 'table' }, session: Session): Promise<Relation> {
  const table = await session.engine.table(name)
  if (table === null) {
    throw new Problem(
      'unknown_entity',
      `There is no entity "${name}". GET /consumer/data/entities lists all entities.`,
      {
        errors: [{ path, message: `there is no entity "${name}"` }],
      },
    )
  }
  return tableRelation(table, await session.engine.days(table))
}

async function queryRelation(query: NativeQuery, session: Session): Promise<Relation> {
  const relation = await relationOf(query.dataSource, session)
  switch (query.kind) {
    case 'groupBy': {
      const { statement, columns } = groupByRelation(query, relation)
      return statementRelation(materializedLimit(statement, query.limitSpec), columns)
    }
    case 'scan': {
      const { statement, columns } = scanRelation(query, relation)
      return statementRelation(materializedLimit(statement, query), columns)
    }
    case 'timeseries': {
      const { columns, rows } = await timeseriesRows(query, relation, session)
      return materialised(
        columns,
        rows.map(({ ms, values }) => [BigInt(ms), ...values.slice(2)]),
      )
    }
    case 'topN': {
      const { columns, rows } = await topNRows(query, relation, session)
      const start = BigInt(spans(relation, query.intervals)[0]?.minMs ?? 0)
      return materialised(
        columns,
        rows.map((row) => [query.granularity.kind === 'all' ? start : BigInt(msOf(row[0])), ...row.slice(2)]),
      )
    }
    default:
      throw unsupported('dataSource.query', `a query of type "${query.kind}" as a data source`)
  }
}

/** Materializes the rows within a limit, because the engine would apply conditions of an outer join before the limit (duckdb#22963). */
function materializedLimit(
  statement: Sql,
  { limit, offset }: { readonly limit: number | null; readonly offset: number },
): Sql {
  if (limit === null && offset === 0) return statement
  return sql`WITH "l" AS MATERIALIZED (${statement}) SELECT * FROM "l"`
}

function materialised(columns: readonly OutputColumn[], rows: readonly (readonly EngineValue[])[]): Relation {
  if (rows.length > inlineRowsMax) {
    throw new Problem(
      'result_too_large',
      `an inner query returns ${rows.length} rows, and at most ${inlineRowsMax} are allowed: narrow it, or use a groupBy instead`,
    )
  }
  const scalar = (value: EngineValue): Scalar | null => (typeof value === 'object' ? null : value)
  const all: InlineColumn[] = [
    { name: '__time', type: 'LONG' },
    ...columns.map(({ name, type }) => ({ name, type: type === null ? 'STRING' : scalarType(name, type) })),
  ]
  return inlineRelation(
    all,
    rows.map((row) => row.map(scalar)),
  )
}

function scalarType(name: string, type: ValueType): NativeType {
  if (isScalar(type)) return type
  throw unsupported('dataSource.query', `the array "${name}" of an inner timeseries or topN`)
}

/** Left columns keep their names; right columns get the prefix. */
function joinRelation(join: DataSource & { kind: 'join' }, left: Relation, right: Relation): Relation {
  const columns: Column[] = [
    ...left.columns,
    ...right.columns.map((column) => ({ ...column, name: `${join.prefix}${column.name}` })),
  ]
  return {
    columns,
    segments: left.segments,
    instant: null,
    position: null,
    select: (names, intervals) => {
      const sides = { left: new Asked(left), right: new Asked(right) }
      const column = (name: string): Typed => {
        if (name.startsWith(join.prefix)) return sides.right.column(name.slice(join.prefix.length), 'y')
        return sides.left.column(name, 'x')
      }
      const values = names.map(column)
      const condition = truthOf(bindAt(join.path, join.condition, { column, range: wideRange }))
      const { leftFilter } = join
      const leftSource = new Source(left, [], intervals, wideRange)
      const leftRows =
        leftFilter === null ? sides.left.select(intervals) : filteredSelect(leftSource, sides.left.names, leftFilter)
      const kind = { INNER: sql`JOIN`, LEFT: sql`LEFT JOIN`, RIGHT: sql`RIGHT JOIN`, FULL: sql`FULL JOIN` }[
        join.joinType
      ]
      return sql`(SELECT ${selected(values.map((value) => value.sql))} FROM ${leftRows} AS x ${kind} ${sides.right.select([eternity])} AS y ON ${sql.join(conjuncts(condition).map(untold), ' AND ')})`
    },
  }
}

/** Writes a part of the condition without `IS TRUE`, so that the engine can join by `notdistinctfrom` as well as by `==`. */
const untold = (part: Bound): Sql =>
  writtenSql(
    part.kind === 'call' && part.options !== null
      ? { ...part, options: { ...part.options, isWrittenAsTrue: false } }
      : part,
  )

function filteredSelect(source: Source, names: readonly string[], filter: Parameters<typeof compileFilter>[0]) {
  const values = names.map((name) => source.column(name).sql)
  const condition = compileFilter(filter, source, source.index)
  return sql`(SELECT ${selected(values)} FROM ${source.rows(condition)})`
}

/** Collects the columns that a join needs from one side. */
class Asked {
  readonly names: string[] = []
  readonly #relation: Relation

  constructor(relation: Relation) {
    this.#relation = relation
  }

  column(name: string, side: 'x' | 'y'): Typed {
    const found = this.#relation.columns.find((column) => column.name === name)
    if (found === undefined) return nullValue
    let index = this.names.indexOf(name)
    if (index < 0) index = this.names.push(name) - 1
    return { type: found.type, sql: sql`${sql.id(side)}.${sql.id(`c${index}`)}` }
  }

  select(intervals: Parameters<Relation['select']>[1]) {
    return this.#relation.select(this.names, intervals)
  }
}
