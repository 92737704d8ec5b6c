// The types of Druid's SQL, as far as they affect answers. INTEGER and BIGINT are one type, and so are FLOAT, DECIMAL and DOUBLE.

import { type Sql, sql } from '../../lib/sql-text.ts'
import type { DruidColumnType } from '../../model/druid-layout.ts'
import type { CastType } from '../parse/syntax.ts'

export interface ArrayType {
  readonly kind: 'array'
  readonly element: SqlType
}

export interface StringType {
  readonly kind: 'string'
  /** How long texts made by the query may be (see `widthOf` in functions/text-limits.ts). It does not make a different type. */
  readonly width?: number
}

export type SqlType =
  | {
      readonly kind:
        | 'long'
        | 'double'
        /** 32 bits, in columns of native queries only. SQL has no such type. */
        | 'float'
        | 'boolean'
        | 'timestamp'
        | 'date'
        | 'interval'
        | 'null'
        | 'json'
        /** The set of values of DS_HLL and DS_THETA, stored exactly. */
        | 'sketch'
        /** The values of DS_QUANTILES_SKETCH. */
        | 'quantiles'
    }
  | StringType
  | ArrayType

export type Kind = SqlType['kind']

const simple = (kind: Exclude<Kind, 'array'>): SqlType => ({ kind })
/** A text type with its own width. */
export const wideString = (width: number): SqlType => ({ kind: 'string', width })
export const long = simple('long')
export const double = simple('double')
export const float = simple('float')
export const string = simple('string')
export const boolean = simple('boolean')
export const timestamp = simple('timestamp')
export const date = simple('date')
export const interval = simple('interval')
export const nullType = simple('null')
export const json = simple('json')
export const sketch = simple('sketch')
export const quantiles = simple('quantiles')
export const arrayOf = (element: SqlType): SqlType => ({ kind: 'array', element })

/** The name of each type in SQL, in Druid's engine, and in DuckDB, which stores its values as that type. */
const names = {
  long: { sql: 'BIGINT', druid: 'LONG', engine: sql`BIGINT` },
  double: { sql: 'DOUBLE', druid: 'DOUBLE', engine: sql`DOUBLE` },
  float: { sql: 'FLOAT', druid: 'FLOAT', engine: sql`FLOAT` },
  string: { sql: 'VARCHAR', druid: 'STRING', engine: sql`VARCHAR` },
  boolean: { sql: 'BOOLEAN', druid: 'LONG', engine: sql`BOOLEAN` },
  timestamp: { sql: 'TIMESTAMP', druid: 'LONG', engine: sql`TIMESTAMP` },
  date: { sql: 'DATE', druid: 'LONG', engine: sql`DATE` },
  interval: { sql: 'INTERVAL', druid: 'LONG', engine: sql`INTERVAL` },
  null: { sql: 'NULL', druid: 'STRING', engine: sql`VARCHAR` },
  json: complex('json', sql`JSON`),
  sketch: complex('sketch', sql`VARCHAR[]`),
  quantiles: complex('quantilesDoublesSketch', sql`DOUBLE[]`),
}

function complex(name: string, engine: Sql) {
  return { sql: `COMPLEX<${name}>`, druid: `COMPLEX<${name}>`, engine }
}

/** The SQL name of a type, for messages and INFORMATION_SCHEMA. */
export const typeName = (type: SqlType): string =>
  type.kind === 'array' ? `${typeName(type.element)} ARRAY` : names[type.kind].sql

/** The type of a column in Druid's engine and in its SQL. */
export function druidColumnType(type: SqlType): DruidColumnType {
  if (type.kind === 'array') return { type: `ARRAY<${druidColumnType(type.element).type}>`, sqlType: 'ARRAY' }
  const { sql: sqlType, druid } = names[type.kind]
  return { type: druid, sqlType: druid.startsWith('COMPLEX') ? 'OTHER' : sqlType }
}

/** The DuckDB type that stores its values. */
export const engineType = (type: SqlType): Sql =>
  type.kind === 'array' ? sql`${engineType(type.element)}[]` : names[type.kind].engine

export function isNumeric(type: SqlType): boolean {
  return type.kind === 'long' || type.kind === 'double' || type.kind === 'null'
}

export function isSame(a: SqlType, b: SqlType): boolean {
  if (a.kind === 'array' && b.kind === 'array') return isSame(a.element, b.element)
  return a.kind === b.kind
}

/** The type that holds the values of both; null where there is none. */
export function commonType(a: SqlType, b: SqlType): SqlType | null {
  if (a.kind === 'string' && b.kind === 'string') return (a.width ?? 0) > (b.width ?? 0) ? a : b
  if (isSame(a, b) || b.kind === 'null') return a
  if (a.kind === 'null') return b
  if (a.kind === 'array' && b.kind === 'array') {
    const element = commonType(a.element, b.element)
    return element === null ? null : arrayOf(element)
  }
  const kinds: ReadonlySet<Kind> = new Set([a.kind, b.kind])
  const are = (one: Kind, other: Kind): boolean => kinds.has(one) && kinds.has(other)
  if (are('long', 'double')) return double
  if (are('date', 'timestamp')) return timestamp
  if (are('boolean', 'long')) return long
  if (kinds.has('string') && (kinds.has('long') || kinds.has('double') || kinds.has('boolean'))) return string
  if (are('string', 'timestamp') || are('string', 'date')) return timestamp
  return null
}

export function castTypeOf({ name, isArray }: CastType): SqlType {
  const types = { VARCHAR: string, BIGINT: long, DOUBLE: double, BOOLEAN: boolean, TIMESTAMP: timestamp, DATE: date }
  return isArray ? arrayOf(types[name]) : types[name]
}

/** The type of number that Druid's expressions use for values of a type; null where they use the values themselves. */
export function plainNumber(type: SqlType): SqlType | null {
  switch (type.kind) {
    case 'boolean':
    case 'timestamp':
    case 'date':
      return long
    case 'array':
      return arrayOfNumbers(type.element)
    default:
      return null
  }
}

function arrayOfNumbers(element: SqlType): SqlType | null {
  const number = plainNumber(element)
  return number === null ? null : arrayOf(number)
}
