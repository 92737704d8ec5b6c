// JDBC metadata requests are run as queries of INFORMATION_SCHEMA, so a caller sees only what it may read.
// The columns are those of `java.sql.DatabaseMetaData`, with the values that Druid's brokers return.
import type { MetadataPatterns, MetadataRequest } from './avatica-protocol.ts'

export function metadataSql(request: MetadataRequest, patterns: MetadataPatterns): string {
  const { catalog, schemaPattern, tableNamePattern, columnNamePattern, typeList } = patterns
  switch (request) {
    case 'getCatalogs':
      return 'SELECT DISTINCT CATALOG_NAME AS TABLE_CAT FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1'
    case 'getTableTypes':
      return 'SELECT DISTINCT TABLE_TYPE AS TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES ORDER BY 1'
    case 'getSchemas':
      return `SELECT SCHEMA_NAME AS TABLE_SCHEM, CATALOG_NAME AS TABLE_CATALOG FROM INFORMATION_SCHEMA.SCHEMATA${where(
        equals('CATALOG_NAME', catalog),
        like('SCHEMA_NAME', schemaPattern),
      )} ORDER BY 2, 1`
    case 'getTables': {
      const nulls = ['REMARKS', 'TYPE_CAT', 'TYPE_SCHEM', 'TYPE_NAME', 'SELF_REFERENCING_COL_NAME', 'REF_GENERATION']
      return `SELECT ${[...tableNames, 'TABLE_TYPE AS TABLE_TYPE', ...nulls.map(noText)].join(', ')} FROM INFORMATION_SCHEMA.TABLES${where(
        equals('TABLE_CATALOG', catalog),
        like('TABLE_SCHEMA', schemaPattern),
        like('TABLE_NAME', tableNamePattern),
        oneOf('TABLE_TYPE', typeList),
      )} ORDER BY 4, 1, 2, 3`
    }
    case 'getColumns':
      return `SELECT ${columnItems.join(', ')} FROM INFORMATION_SCHEMA.COLUMNS${where(
        equals('TABLE_CATALOG', catalog),
        like('TABLE_SCHEMA', schemaPattern),
        like('TABLE_NAME', tableNamePattern),
        like('COLUMN_NAME', columnNamePattern),
      )} ORDER BY 1, 2, 3, 17`
  }
}

const noText = (name: string): string => `CAST(NULL AS VARCHAR) AS ${name}`
const unknown = (name: string): string => `-1 AS ${name}`

const tableNames = ['TABLE_CATALOG AS TABLE_CAT', 'TABLE_SCHEMA AS TABLE_SCHEM', 'TABLE_NAME AS TABLE_NAME']

const columnItems = [
  ...tableNames,
  'COLUMN_NAME AS COLUMN_NAME',
  'JDBC_TYPE AS DATA_TYPE',
  'DATA_TYPE AS TYPE_NAME',
  ...['COLUMN_SIZE', 'BUFFER_LENGTH', 'DECIMAL_DIGITS', 'NUM_PREC_RADIX'].map(unknown),
  "CASE IS_NULLABLE WHEN 'YES' THEN 1 ELSE 0 END AS NULLABLE",
  ...['REMARKS', 'COLUMN_DEF'].map(noText),
  ...['SQL_DATA_TYPE', 'SQL_DATETIME_SUB', 'CHAR_OCTET_LENGTH'].map(unknown),
  'ORDINAL_POSITION AS ORDINAL_POSITION',
  'IS_NULLABLE AS IS_NULLABLE',
  ...['SCOPE_CATALOG', 'SCOPE_SCHEMA', 'SCOPE_TABLE'].map(noText),
  unknown('SOURCE_DATA_TYPE'),
  "'NO' AS IS_AUTOINCREMENT",
  "'NO' AS IS_GENERATEDCOLUMN",
]

function where(...conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? '' : ` WHERE ${given.join(' AND ')}`
}

/** In JDBC an empty catalog means objects without a catalog. All objects here have one, so it is ignored, as tools expect. */
function equals(column: string, value: string | null): string | null {
  return value === null || value === '' ? null : `${column} = ${quoted(value)}`
}

/** JDBC escapes `_` and `%` with a backslash. */
function like(column: string, pattern: string | null): string | null {
  return pattern === null || pattern === '%' ? null : `${column} LIKE ${quoted(pattern)} ESCAPE '\\'`
}

function oneOf(column: string, values: readonly string[] | null): string | null {
  if (values === null) return null
  return values.length === 0 ? '1 = 0' : `${column} IN (${values.map(quoted).join(', ')})`
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
