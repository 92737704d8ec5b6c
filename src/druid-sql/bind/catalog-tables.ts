// INFORMATION_SCHEMA, made of what the caller may see: values in the query itself, no table of the engine.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { aggregates } from '../functions/aggregates.ts'
import { catalogue } from '../functions/catalogue.ts'
import { columnName } from './engine-names.ts'
import type { SqlTable, SqlTables } from './tables.ts'
import { engineType, long, type SqlType, string, timestamp, typeName } from './types.ts'

export interface CatalogTable {
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[]
  readonly rows: readonly (readonly Sql[])[]
}

const text = (name: string) => ({ name, type: string })
const number = (name: string) => ({ name, type: long })

const jdbcTypes: ReadonlyMap<string, number> = new Map([
  ['BIGINT', -5],
  ['DOUBLE', 8],
  ['VARCHAR', 12],
  ['TIMESTAMP', 93],
])

/** `TABLES`, `COLUMNS` or `SCHEMATA`, and `ROUTINES` for callers that are told of functions; null for any other name. */
export function catalogTable(name: string, { all: tables, listsFunctions }: SqlTables): CatalogTable | null {
  switch (name.toUpperCase()) {
    case 'SCHEMATA':
      return {
        columns: [
          'CATALOG_NAME',
          'SCHEMA_NAME',
          'SCHEMA_OWNER',
          'DEFAULT_CHARACTER_SET_CATALOG',
          'DEFAULT_CHARACTER_SET_SCHEMA',
          'DEFAULT_CHARACTER_SET_NAME',
          'SQL_PATH',
        ].map(text),
        rows: ['INFORMATION_SCHEMA', 'druid', ...schemasBeside(tables)].map((schema) => [
          sql.literal('druid'),
          sql.literal(schema),
          ...Array.from({ length: 5 }, () => sql`NULL`),
        ]),
      }
    case 'TABLES':
      return {
        columns: ['TABLE_CATALOG', 'TABLE_SCHEMA', 'TABLE_NAME', 'TABLE_TYPE', 'IS_JOINABLE', 'IS_BROADCAST'].map(text),
        rows: [...catalogRows(listsFunctions), ...tables.map((table) => tableRow(table.schema, table.name, 'TABLE'))],
      }
    case 'COLUMNS':
      return { columns: [...columnColumns], rows: tables.flatMap(columnRows) }
    case 'ROUTINES':
      return listsFunctions ? { columns: routineColumns, rows: routineRows } : null
    default:
      return null
  }
}

/** A schema that Druid does not have is shown where it holds something. */
function schemasBeside(tables: readonly SqlTable[]): readonly string[] {
  return tables.some(({ schema }) => schema === 'metadata') ? ['metadata'] : []
}

const columnColumns = [
  ...['TABLE_CATALOG', 'TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME'].map(text),
  number('ORDINAL_POSITION'),
  ...['COLUMN_DEFAULT', 'IS_NULLABLE', 'DATA_TYPE'].map(text),
  ...[
    'CHARACTER_MAXIMUM_LENGTH',
    'CHARACTER_OCTET_LENGTH',
    'NUMERIC_PRECISION',
    'NUMERIC_PRECISION_RADIX',
    'NUMERIC_SCALE',
    'DATETIME_PRECISION',
  ].map(number),
  ...['CHARACTER_SET_NAME', 'COLLATION_NAME'].map(text),
  number('JDBC_TYPE'),
]

const routineColumns = [
  'ROUTINE_CATALOG',
  'ROUTINE_SCHEMA',
  'ROUTINE_NAME',
  'ROUTINE_TYPE',
  'IS_AGGREGATOR',
  'SIGNATURES',
].map(text)

const functionNames = [
  ...[...catalogue.keys()].map((name) => [name, 'NO'] as const),
  ...[...aggregates.keys()].map((name) => [name, 'YES'] as const),
]

const routineRows = functionNames
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, isAggregator]) => [
    ...['druid', 'INFORMATION_SCHEMA', name, 'FUNCTION', isAggregator].map(sql.literal),
    sql`NULL`,
  ])

function catalogRows(listsFunctions: boolean): Sql[][] {
  const names = ['COLUMNS', ...(listsFunctions ? ['ROUTINES'] : []), 'SCHEMATA', 'TABLES']
  return names.map((name) => tableRow('INFORMATION_SCHEMA', name, 'SYSTEM_TABLE'))
}

function tableRow(schema: string, name: string, type: string): Sql[] {
  return [
    sql.literal('druid'),
    sql.literal(schema),
    sql.literal(name),
    sql.literal(type),
    sql.literal('NO'),
    sql.literal('NO'),
  ]
}

function columnRows(table: SqlTable): Sql[][] {
  return table.columns.map((column, index) => {
    const dataType = typeName(column.type)
    const isNumber = column.type.kind === 'long' || column.type.kind === 'double'
    const none = sql`NULL`
    return [
      ...[
        sql.literal('druid'),
        sql.literal(table.schema),
        sql.literal(table.name),
        sql.literal(column.name),
        sql.long(index + 1),
        sql.literal(''),
      ],
      sql.literal(column.isNeverNull ? 'NO' : 'YES'),
      sql.literal(dataType),
      ...[
        none,
        none,
        isNumber ? sql.long(column.type.kind === 'long' ? 19 : 15) : none,
        isNumber ? sql.long(10) : none,
        none,
      ],
      column.type.kind === timestamp.kind ? sql.long(3) : none,
      ...[none, none, sql.long(jdbcTypes.get(dataType) ?? 1111)],
    ]
  })
}

/** The rows as a query of the engine, its columns c0, c1, ... */
export function catalogQuery({ columns, rows }: CatalogTable): Sql {
  const names = columns.map((_column, index) => columnName(index))
  const casts = columns.map(({ type }, index) => {
    const value = rows.length === 0 ? sql`NULL` : names[index]!
    return sql`CAST(${value} AS ${engineType(type)}) AS ${names[index]!}`
  })
  if (rows.length === 0) return sql`SELECT ${sql.join(casts, ', ')} WHERE FALSE`
  const lines = rows.map((row) => sql`(${sql.join(row, ', ')})`)
  return sql`SELECT ${sql.join(casts, ', ')} FROM (VALUES ${sql.join(lines, ', ')}) AS v(${sql.join(names, ', ')})`
}
