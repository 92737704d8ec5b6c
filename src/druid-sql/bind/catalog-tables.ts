// INFORMATION_SCHEMA, built from what the caller may see. Its rows are values in the query itself, not a table of the engine.
import { aggregates } from '../functions/aggregates.ts'
import { catalogue } from '../functions/catalogue.ts'
import type { SqlTable, SqlTables } from './tables.ts'
import type { CatalogNode } from './tree.ts'
import { long, string, timestamp, typeName } from './types.ts'

type Line = CatalogNode['lines'][number]

const text = (name: string) => ({ name, type: string })
const number = (name: string) => ({ name, type: long })

const jdbcTypes: ReadonlyMap<string, number> = new Map([
  ['BIGINT', -5],
  ['DOUBLE', 8],
  ['VARCHAR', 12],
  ['TIMESTAMP', 93],
])

/** `TABLES`, `COLUMNS` or `SCHEMATA`, and `ROUTINES` where functions are listed; null for any other name. */
export function catalogTable(name: string, { all: tables, listsFunctions }: SqlTables): CatalogNode | null {
  switch (name.toUpperCase()) {
    case 'SCHEMATA':
      return {
        kind: 'catalog',
        columns: [
          'CATALOG_NAME',
          'SCHEMA_NAME',
          'SCHEMA_OWNER',
          'DEFAULT_CHARACTER_SET_CATALOG',
          'DEFAULT_CHARACTER_SET_SCHEMA',
          'DEFAULT_CHARACTER_SET_NAME',
          'SQL_PATH',
        ].map(text),
        lines: ['INFORMATION_SCHEMA', 'druid', ...otherSchemas(tables)].map((schema) => [
          'druid',
          schema,
          ...Array.from({ length: 5 }, () => null),
        ]),
      }
    case 'TABLES':
      return {
        kind: 'catalog',
        columns: ['TABLE_CATALOG', 'TABLE_SCHEMA', 'TABLE_NAME', 'TABLE_TYPE', 'IS_JOINABLE', 'IS_BROADCAST'].map(text),
        lines: [...catalogRows(listsFunctions), ...tables.map((table) => tableRow(table.schema, table.name, 'TABLE'))],
      }
    case 'COLUMNS':
      return { kind: 'catalog', columns: [...columnColumns], lines: tables.flatMap(columnRows) }
    case 'ROUTINES':
      return listsFunctions ? { kind: 'catalog', columns: routineColumns, lines: routineRows } : null
    default:
      return null
  }
}

/** Schemas that Druid does not have. They are shown only if they contain tables. */
function otherSchemas(tables: readonly SqlTable[]): readonly string[] {
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
  .map(([name, isAggregator]): Line => ['druid', 'INFORMATION_SCHEMA', name, 'FUNCTION', isAggregator, null])

function catalogRows(listsFunctions: boolean): Line[] {
  const names = ['COLUMNS', ...(listsFunctions ? ['ROUTINES'] : []), 'SCHEMATA', 'TABLES']
  return names.map((name) => tableRow('INFORMATION_SCHEMA', name, 'SYSTEM_TABLE'))
}

function tableRow(schema: string, name: string, type: string): Line {
  return ['druid', schema, name, type, 'NO', 'NO']
}

function columnRows(table: SqlTable): Line[] {
  return table.columns.map((column, index) => {
    const dataType = typeName(column.type)
    const isNumber = column.type.kind === 'long' || column.type.kind === 'double'
    const none = null
    return [
      ...['druid', table.schema, table.name, column.name, index + 1, ''],
      column.isNeverNull ? 'NO' : 'YES',
      dataType,
      ...[none, none, isNumber ? (column.type.kind === 'long' ? 19 : 15) : none, isNumber ? 10 : none, none],
      column.type.kind === timestamp.kind ? 3 : none,
      ...[none, none, jdbcTypes.get(dataType) ?? 1111],
    ]
  })
}
