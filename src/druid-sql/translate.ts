// The only way from a caller's text to SQL that may run: parsed by the service's own grammar, bound to what the caller may read, and rewritten.

import { Zone } from '../druid-time/zone.ts'
import { type Sql, SqlTooLarge, sql } from '../lib/sql-text.ts'
import type { ColumnType } from '../model/column.ts'
import type { DruidColumnType } from '../model/druid-layout.ts'
import type { EntityField } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { QueryBinder } from './bind/bind-query.ts'
import { arrayJson } from './bind/conversions.ts'
import { columnName } from './bind/engine-names.ts'
import { toUtc } from './bind/periods.ts'
import { type SqlTable, SqlTables } from './bind/tables.ts'
import {
  allRows,
  type BoundRows,
  entityIdsOf,
  namedKeysOf,
  needsWholeGroups,
  type QueryColumn,
  type QuerySemantics,
} from './bind/tree.ts'
import { druidColumnType, engineType, nullType, type SqlType, string, typeName } from './bind/types.ts'
import { DuckdbWriter } from './compile/write-duckdb.ts'
import { isFree, limitedOutput, widthOf } from './functions/text-limits.ts'
import { type NeededItems, neededItems } from './items/needed-items.ts'
import { parseQuery } from './parse/parse-query.ts'
import { type Place, quoted, sqlProblem } from './parse/sql-problem.ts'
import type { SqlValue } from './parse/sql-value.ts'
import type { Query } from './parse/syntax.ts'

/** A column of an answer: its type, and its type in Druid. */
export interface CheckedColumn {
  readonly name: string
  readonly type: ColumnType
  readonly druid: DruidColumnType
}

/** A checked query. */
export interface CheckedSql {
  /** As the caller wrote it. The text is parsed only once. */
  readonly query: Query
  /** The same with all names resolved. */
  readonly rows: BoundRows
  /** The engine's SELECT. Of the caller's text it contains only the values of literals. Its columns are c0, c1, ...; instants are milliseconds. */
  readonly text: string
  /** The same with whole numbers that wrap around beyond the range of a long, as in Druid. It is slower, so it runs only after a query exceeded the range. */
  readonly wrappedText: string
  readonly columns: readonly CheckedColumn[]
  /** The ids of the series entities that it reads. */
  readonly entityIds: readonly number[]
  /** The items that it reads of metadata entities. */
  readonly items: readonly NeededItems[]
  /** Whether it reads INFORMATION_SCHEMA. */
  readonly readsCatalog: boolean
  /** Places where its GROUP BY names an output, which Druid does not accept. */
  readonly namedKeys: readonly Place[]
  /** Whether it groups by an array or several sets of columns: Druid does not merge partial groups of these when it limits them early. */
  readonly needsWholeGroups: boolean
}

export interface TranslateOptions {
  /** The most tokens of the text, which is read without a pause; unlimited if left out. */
  readonly tokensMax?: number
  /** The values of its `?`, in order. */
  readonly parameters?: readonly SqlValue[]
  /** The zone of its times; UTC if left out. */
  readonly zone?: Zone | undefined
  /** Whether INFORMATION_SCHEMA.ROUTINES may be read. */
  readonly listsFunctions?: boolean | undefined
}

/** Translates a query over the tables that the caller may read. Throws Problem `invalid_request` with the place of the error. */
export function translateSql(
  text: string,
  tables: readonly SqlTable[],
  { tokensMax, parameters, zone = Zone.utc, listsFunctions }: TranslateOptions = {},
): CheckedSql {
  const query = parseQuery(text, { tokensMax, parameters })
  const rows = new QueryBinder(new SqlTables(tables, listsFunctions), zone).statement(query)
  checkNames(rows)
  const outputs = rows.columns.map(({ name, type }, index) => ({
    name,
    druid: druidColumnType(shownType(type)),
    ...outputOf({ name, type: shownType(type) }, columnName(index), zone),
  }))
  const all = allRows(rows)
  // The store answers most short queries, without the engine's text.
  let written = text.length > writtenAtOnceMin ? engineText(rows, outputs, { wraps: false, zone }) : undefined
  return {
    query,
    rows,
    get text() {
      written ??= engineText(rows, outputs, { wraps: false, zone })
      return written
    },
    get wrappedText() {
      return engineText(rows, outputs, { wraps: true, zone })
    },
    columns: outputs.map(({ name, type, druid }) => ({ name, type, druid })),
    entityIds: entityIdsOf(all),
    items: neededItems(all, zone),
    readsCatalog: all.some(({ kind }) => kind === 'catalog'),
    namedKeys: namedKeysOf(all),
    needsWholeGroups: needsWholeGroups(all),
  }
}

/** The text of longer queries is written immediately, so that a query that is too large is refused before it runs. */
const writtenAtOnceMin = 20_000

function engineText(rows: BoundRows, outputs: readonly { readonly sql: Sql }[], meaning: QuerySemantics): string {
  try {
    const items = outputs.map((output, index) => sql`${output.sql} AS ${columnName(index)}`)
    const inner = new DuckdbWriter(meaning).rows(rows)
    const statement = sql`SELECT ${sql.list(items)} FROM (${inner}) AS answer`
    // The engine receives only the text.
    if (statement.parameters.length > 0) throw new Error('a statement for the engine has parameters outside its text')
    return statement.text
  } catch (error) {
    throw error instanceof SqlTooLarge ? tooLarge() : error
  }
}

function tooLarge(): Problem {
  const message = 'the query is too large'
  return new Problem('invalid_request', `sql_query: ${message}: split it, or use fewer and shorter expressions`, {
    errors: [{ path: 'sql_query', message }],
  })
}

/** A column that is NULL in all rows is shown as text. */
function shownType(type: SqlType): SqlType {
  return type.kind === nullType.kind ? string : type
}

const top = { line: 1, column: 1 }

function checkNames({ columns }: BoundRows): void {
  const seen = new Set<string>()
  for (const { name } of columns) {
    if (seen.has(name))
      throw sqlProblem(top, `two columns of the answer are named ${quoted(name)}: rename one of them with AS`)
    seen.add(name)
  }
}

function outputOf(
  { name, type }: QueryColumn,
  column: Sql,
  zone: Zone,
): { readonly type: ColumnType; readonly sql: Sql } {
  const output = toOutput(type, column, zone)
  if (output === null)
    throw sqlProblem(
      top,
      `column ${quoted(name)} is of type ${typeName(type)}, which cannot be returned: select an estimate of it`,
    )
  return output
}

/** The columns of an answer, as fields. */
export const fieldsOf = (columns: CheckedSql['columns']): readonly EntityField[] =>
  columns.map(({ name, type }) => ({ name, type, role: 'dimension' }))

/** The engine returns instants as numbers. */
const milliseconds = (at: Sql): Sql => sql`CAST(epoch_ms(${at}) AS DOUBLE)`

/** A column of the answer in one of the types of answers; null for a type that cannot be returned. */
function toOutput(type: SqlType, column: Sql, zone: Zone): { readonly type: ColumnType; readonly sql: Sql } | null {
  switch (type.kind) {
    case 'long':
    case 'double':
    case 'boolean':
      return { type: type.kind, sql: sql`CAST(${column} AS ${engineType(type)})` }
    case 'string':
      return { type: 'string', sql: isFree(widthOf(type)) ? sql`CAST(${column} AS VARCHAR)` : limitedOutput(column) }
    case 'timestamp':
      return { type: 'timestamp', sql: milliseconds(column) }
    case 'date':
      return { type: 'timestamp', sql: milliseconds(toUtc(sql`CAST(${column} AS TIMESTAMP)`, zone)) }
    case 'null':
      return { type: 'string', sql: column }
    case 'json':
      return { type: 'string', sql: sql`CAST(to_json(${column}) AS VARCHAR)` }
    case 'array':
      return { type: 'string', sql: arrayJson(column, type) }
    case 'interval':
    case 'float':
    case 'sketch':
    case 'quantiles':
      return null
  }
}
