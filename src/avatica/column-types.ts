// JDBC descriptions of result columns.
import type { AvaticaColumn, Rep } from './avatica-protocol.ts'

interface JdbcType {
  /** A constant of `java.sql.Types`. */
  readonly typeId: number
  readonly rep: Rep
  readonly className: string
  readonly precision: number
  readonly displaySize: number
}

/** Texts have no declared length; tools display this one. */
const textSize = 65_535

const text: JdbcType = {
  typeId: 12,
  rep: 'STRING',
  className: 'java.lang.String',
  precision: textSize,
  displaySize: textSize,
}

/** By SQL type name. Times are numbers of milliseconds, as Druid's brokers send them. */
const jdbcTypes: ReadonlyMap<string, JdbcType> = new Map([
  ['VARCHAR', text],
  ['CHAR', text],
  ['BIGINT', { typeId: -5, rep: 'LONG', className: 'java.lang.Long', precision: 19, displaySize: 20 }],
  ['INTEGER', { typeId: 4, rep: 'LONG', className: 'java.lang.Integer', precision: 10, displaySize: 11 }],
  ['DOUBLE', { typeId: 8, rep: 'DOUBLE', className: 'java.lang.Double', precision: 15, displaySize: 24 }],
  ['FLOAT', { typeId: 6, rep: 'DOUBLE', className: 'java.lang.Double', precision: 15, displaySize: 24 }],
  ['DECIMAL', { typeId: 8, rep: 'DOUBLE', className: 'java.lang.Double', precision: 15, displaySize: 24 }],
  ['BOOLEAN', { typeId: 16, rep: 'BOOLEAN', className: 'java.lang.Boolean', precision: 1, displaySize: 5 }],
  ['TIMESTAMP', { typeId: 93, rep: 'LONG', className: 'java.sql.Timestamp', precision: 3, displaySize: 23 }],
  // A date arrives here as its midnight; JDBC's own DATE type would require a number of days.
  ['DATE', { typeId: 93, rep: 'LONG', className: 'java.sql.Timestamp', precision: 3, displaySize: 23 }],
])

/** A column of a query result. */
export interface AnswerColumn {
  readonly name: string
  /** Name of its SQL type. */
  readonly sqlType: string
}

/** Types unknown to JDBC are described as texts. */
export function avaticaColumns(columns: readonly AnswerColumn[]): readonly AvaticaColumn[] {
  return columns.map(({ name, sqlType }, ordinal) => {
    const type = jdbcTypes.get(sqlType) ?? text
    return { ...type, ordinal, name, typeName: sqlType, isSigned: type.rep === 'LONG' || type.rep === 'DOUBLE' }
  })
}

export function isTime({ typeId }: AvaticaColumn): boolean {
  return typeId === 93
}

/** The columns of `getTypeInfo` in JDBC's order: name, id, precision, quotes, and the rest. */
export const typeInfoColumns = avaticaColumns(
  [
    ['TYPE_NAME', 'VARCHAR'],
    ['DATA_TYPE', 'INTEGER'],
    ['PRECISION', 'INTEGER'],
    ['LITERAL_PREFIX', 'VARCHAR'],
    ['LITERAL_SUFFIX', 'VARCHAR'],
    ['CREATE_PARAMS', 'VARCHAR'],
    ['NULLABLE', 'INTEGER'],
    ['CASE_SENSITIVE', 'BOOLEAN'],
    ['SEARCHABLE', 'INTEGER'],
    ['UNSIGNED_ATTRIBUTE', 'BOOLEAN'],
    ['FIXED_PREC_SCALE', 'BOOLEAN'],
    ['AUTO_INCREMENT', 'BOOLEAN'],
    ['LOCAL_TYPE_NAME', 'VARCHAR'],
    ['MINIMUM_SCALE', 'INTEGER'],
    ['MAXIMUM_SCALE', 'INTEGER'],
    ['SQL_DATA_TYPE', 'INTEGER'],
    ['SQL_DATETIME_SUB', 'INTEGER'],
    ['NUM_PREC_RADIX', 'INTEGER'],
  ].map(([name, sqlType]) => ({ name: name!, sqlType: sqlType! })),
)

const nullable = 1
const searchable = 3

/** In JDBC's order: by type id. */
export const typeInfoRows = ['BIGINT', 'DOUBLE', 'VARCHAR', 'BOOLEAN', 'TIMESTAMP'].map((name) => {
  const { typeId, precision, rep } = jdbcTypes.get(name)!
  const isNumber = name === 'BIGINT' || name === 'DOUBLE'
  const [prefix, suffix] = rep === 'STRING' ? ["'", "'"] : name === 'TIMESTAMP' ? ["TIMESTAMP '", "'"] : [null, null]
  const scale = name === 'TIMESTAMP' ? 3 : 0
  return [
    name,
    typeId,
    precision,
    prefix,
    suffix,
    null,
    nullable,
    rep === 'STRING',
    searchable,
    !isNumber,
    false,
    false,
    name,
    0,
    scale,
    null,
    null,
    isNumber ? 10 : null,
  ]
})
