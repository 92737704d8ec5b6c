// SQL values with their Druid types, and Druid's conversions between them.
// Tested by `test/druid-native/expressions.test.ts`.
import { bind, bind2, nextName } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'

export type NativeType = 'STRING' | 'LONG' | 'DOUBLE' | 'FLOAT'
export type ElementType = 'STRING' | 'LONG' | 'DOUBLE'
export type ArrayType = `ARRAY<${ElementType}>`
/** What an expression can make. */
export type ValueType = NativeType | ArrayType | 'COMPLEX<json>'

/**
 * A value of a row. LONG is BIGINT, DOUBLE is DOUBLE, FLOAT is FLOAT, STRING is VARCHAR, arrays are lists of these, JSON is JSON that is never
 * a JSON null; `null` is the type of a bare null.
 */
export interface Typed {
  readonly type: ValueType | null
  readonly sql: Sql
  /** An array that stands for a column of several values: grouped by each, and filtered by any of them. */
  readonly isMulti?: boolean
  /** Of an inner scan, which does not tell its type. */
  readonly isUntold?: boolean
  /** Of a text that is made and not stored: how long it may be, as far as that can be told (text-room.ts). */
  readonly width?: number | undefined
  /** The same as a SQL truth value, where the value is one: 1, 0 or null. */
  readonly condition?: Sql
  /** The condition as it stands by itself in a join, where it is not within `told`. */
  readonly bare?: Sql
}

export const nullValue: Typed = { type: null, sql: sql`NULL` }
export const textValue = (value: Sql, width?: number): Typed => ({ type: 'STRING', sql: value, width })
export const longValue = (value: Sql): Typed => ({ type: 'LONG', sql: value })
export const doubleValue = (value: Sql): Typed => ({ type: 'DOUBLE', sql: value })
export const truthValue = (condition: Sql): Typed => ({
  type: 'LONG',
  sql: sql`CAST((${condition}) AS BIGINT)`,
  condition,
})

const sqlTypes = {
  STRING: sql`VARCHAR`,
  LONG: sql`BIGINT`,
  DOUBLE: sql`DOUBLE`,
  FLOAT: sql`FLOAT`,
  'ARRAY<STRING>': sql`VARCHAR[]`,
  'ARRAY<LONG>': sql`BIGINT[]`,
  'ARRAY<DOUBLE>': sql`DOUBLE[]`,
  'COMPLEX<json>': sql`JSON`,
}
export const sqlType = (type: ValueType | null): Sql => sqlTypes[type ?? 'STRING']

const elements = { 'ARRAY<STRING>': 'STRING', 'ARRAY<LONG>': 'LONG', 'ARRAY<DOUBLE>': 'DOUBLE' } as const

/**
 * What is never unknown (IS NULL, IS DISTINCT FROM), where false and unknown do not come to the same: the engine's optimizer loses nulls of `x IS DISTINCT FROM 5`
 * beside another comparison of x (duckdb#25992), and takes `a = b OR a IS NULL AND b IS NULL` for false where it is unknown (duckdb#23685).
 */
export const told = (condition: Sql): Sql => sql`(${condition} IS TRUE)`
export const toldValue = (condition: Sql): Typed => ({ ...truthValue(told(condition)), bare: condition })

/** The type of an array's elements; null for what is no array. */
export function elementOf(type: ValueType | null): ElementType | null {
  return type === 'ARRAY<STRING>' || type === 'ARRAY<LONG>' || type === 'ARRAY<DOUBLE>' ? elements[type] : null
}

export const isScalar = (type: ValueType): type is NativeType => type !== 'COMPLEX<json>' && elementOf(type) === null

export const typedNull = (type: ValueType | null): Sql => sql`CAST(NULL AS ${sqlType(type)})`

const longMin = sql.long(-(2n ** 63n))
const longMax = sql.long(2n ** 63n - 1n)
const two64 = sql`CAST('18446744073709551616' AS HUGEINT)`

/** A HUGEINT as Java's 64 bits hold it. */
export function wrapLong(huge: Sql): Sql {
  return bind(
    huge,
    (x) => sql`CAST(CASE WHEN ${x} BETWEEN ${longMin} AND ${longMax} THEN ${x}
      WHEN ((${x} % ${two64}) + ${two64}) % ${two64} > ${longMax} THEN ((${x} % ${two64}) + ${two64}) % ${two64} - ${two64}
      ELSE ((${x} % ${two64}) + ${two64}) % ${two64} END AS BIGINT)`,
  )
}

/** Java's `(long) double`: cut, kept in range, 0 for NaN. */
export function doubleToLong(double: Sql): Sql {
  return bind(
    double,
    (x) => sql`CASE WHEN isnan(${x}) THEN ${sql.long(0)} WHEN ${x} >= ${sql.double(2 ** 63)} THEN ${longMax}
      WHEN ${x} <= ${sql.double(-(2 ** 63))} THEN ${longMin} ELSE CAST(trunc(${x}) AS BIGINT) END`,
  )
}

/** The form of a whole number, as a pattern. */
export const longForm = sql.literal('[+-]?[0-9]{1,19}')
const doubleForm = sql.literal('[+-]?(NaN|Infinity|([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)')

/** A text as Java's parsers read it, null where they do not. */
export function textToDouble(text: Sql): Sql {
  return bind(
    text,
    (x) => sql`CASE WHEN regexp_full_match(${x}, ${doubleForm}) THEN TRY_CAST(rtrim(${x}, 'fFdD') AS DOUBLE) END`,
  )
}

export function textToLong(text: Sql): Sql {
  return bind(text, (x) => sql`coalesce(${digitsToLong(x)}, ${doubleToLong(textToDouble(x))})`)
}

/** The long that a text of digits stands for; null of any other. `text` is worked out twice. */
export const digitsToLong = (text: Sql): Sql =>
  sql`CASE WHEN regexp_full_match(${text}, ${longForm}) THEN TRY_CAST(${text} AS BIGINT) END`

/** Java's text of a double: `1.0`, `1.0E7`, `NaN`. */
export function doubleToText(double: Sql): Sql {
  return bind(
    double,
    (
      x,
    ) => sql`CASE WHEN isnan(${x}) THEN 'NaN' WHEN isinf(${x}) THEN CASE WHEN ${x} > 0 THEN 'Infinity' ELSE '-Infinity' END
      WHEN ${x} = 0 OR (abs(${x}) >= 1e-3 AND abs(${x}) < 1e7) THEN CAST(${x} AS VARCHAR)
      WHEN abs(${x}) = 5e-324 THEN (CASE WHEN ${x} < 0 THEN '-' ELSE '' END) || '4.9E-324'
      ELSE (CASE WHEN ${x} < 0 THEN '-' ELSE '' END) || ${scientific(sql`CAST(abs(${x}) AS VARCHAR)`)} END`,
  )
}

/** From the engine's shortest digits, fixed or with an exponent, to `d.dddE±n`. */
function scientific(text: Sql): Sql {
  return bind(text, (t) => {
    const mantissa = sql`split_part(${t}, 'e', 1)`
    const whole = sql`split_part(${t}, '.', 1)`
    const fraction = sql`split_part(${t}, '.', 2)`
    const digits = (all: Sql): Sql =>
      bind(
        sql`rtrim(${all}, '0')`,
        (d) => sql`${d}[1] || '.' || (CASE WHEN length(${d}) > 1 THEN ${d}[2:] ELSE '0' END)`,
      )
    return sql`CASE WHEN contains(${t}, 'e') THEN ${mantissa} || (CASE WHEN contains(${t}, '.') THEN '' ELSE '.0' END)
        || 'E' || CAST(CAST(split_part(${t}, 'e', 2) AS INTEGER) AS VARCHAR)
      WHEN starts_with(${t}, '0.') THEN ${digits(sql`ltrim(${fraction}, '0')`)} || 'E-' || CAST(length(${fraction}) - length(ltrim(${fraction}, '0')) + 1 AS VARCHAR)
      ELSE ${digits(sql`${whole} || ${fraction}`)} || 'E' || CAST(length(${whole}) - 1 AS VARCHAR) END`
  })
}

/** What the one element of an array is as something else; null for an array of more, or of none. */
const onlyElement = (list: Sql, type: ElementType, body: (element: Typed) => Sql): Sql =>
  bind(list, (x) => sql`CASE WHEN len(${x}) = 1 THEN ${body({ type, sql: sql`${x}[1]` })} END`)

/** An array as Java writes it: `[a, b]`. */
export function listText(list: Sql, type: ElementType): Sql {
  const items = transform(list, (item) => sql`coalesce(${toText({ type, sql: item })}, 'null')`)
  return sql`('[' || array_to_string(${items}, ', ') || ']')`
}

/** What becomes of each item of a list. */
export function transform(list: Sql, body: (item: Sql) => Sql): Sql {
  const name = nextName()
  return sql`list_transform(${list}, lambda ${name}: ${body(name)})`
}

/** A JSON text or scalar as its text. */
const jsonText = (json: Sql): Sql => sql`json_extract_string(${json}, '$')`

export function toText(value: Typed): Sql {
  switch (value.type) {
    case 'ARRAY<STRING>':
    case 'ARRAY<LONG>':
    case 'ARRAY<DOUBLE>': {
      const type = elements[value.type]
      return bind(
        value.sql,
        (x) => sql`CASE WHEN len(${x}) = 1 THEN ${toText({ type, sql: sql`${x}[1]` })} ELSE ${listText(x, type)} END`,
      )
    }
    case 'COMPLEX<json>':
      return jsonText(value.sql)
    case 'STRING':
      return value.sql
    case 'LONG':
      return sql`CAST(${value.sql} AS VARCHAR)`
    case 'DOUBLE':
      return doubleToText(value.sql)
    case 'FLOAT':
      return doubleToText(sql`CAST(CAST(${value.sql} AS VARCHAR) AS DOUBLE)`)
    case null:
      return typedNull('STRING')
  }
}

export function toLong(value: Typed): Sql {
  switch (value.type) {
    case 'ARRAY<STRING>':
    case 'ARRAY<LONG>':
    case 'ARRAY<DOUBLE>':
      return onlyElement(value.sql, elements[value.type], toLong)
    case 'COMPLEX<json>':
      return textToLong(jsonText(value.sql))
    case 'STRING':
      return textToLong(value.sql)
    case 'LONG':
      return value.sql
    case 'DOUBLE':
    case 'FLOAT':
      return doubleToLong(value.sql)
    case null:
      return typedNull('LONG')
  }
}

export function toDouble(value: Typed): Sql {
  switch (value.type) {
    case 'ARRAY<STRING>':
    case 'ARRAY<LONG>':
    case 'ARRAY<DOUBLE>':
      return onlyElement(value.sql, elements[value.type], toDouble)
    case 'COMPLEX<json>':
      return textToDouble(jsonText(value.sql))
    case 'STRING':
      return textToDouble(value.sql)
    case 'LONG':
    case 'FLOAT':
      return sql`CAST(${value.sql} AS DOUBLE)`
    case 'DOUBLE':
      return value.sql
    case null:
      return typedNull('DOUBLE')
  }
}

/** A double as 32 bits hold it; what they do not hold is infinite. */
export function toFloat(value: Typed): Sql {
  if (value.type === 'FLOAT') return value.sql
  return bind(
    toDouble(value),
    (x) =>
      sql`coalesce(TRY_CAST(${x} AS FLOAT), CASE WHEN ${x} > 0 THEN CAST('Infinity' AS FLOAT) WHEN ${x} < 0 THEN CAST('-Infinity' AS FLOAT) END)`,
  )
}

export function convert(value: Typed, type: ValueType): Typed {
  if (value.type === type) return value
  switch (type) {
    case 'ARRAY<STRING>':
    case 'ARRAY<LONG>':
    case 'ARRAY<DOUBLE>':
      return { type, sql: toList(value, elements[type]) }
    case 'COMPLEX<json>':
      return { type, sql: sql`to_json(${value.sql})` }
    case 'STRING':
      return textValue(toText(value))
    case 'LONG':
      return longValue(toLong(value))
    case 'DOUBLE':
      return doubleValue(toDouble(value))
    case 'FLOAT':
      return { type, sql: toFloat(value) }
  }
}

/** The elements of an array as another type; a single value is an array of one. */
function toList(value: Typed, type: ElementType): Sql {
  const own = elementOf(value.type)
  if (own !== null) return transform(value.sql, (item) => convert({ type: own, sql: item }, type).sql)
  if (value.type === null) return typedNull(`ARRAY<${type}>`)
  return bind(value.sql, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN [${convert({ ...value, sql: x }, type).sql}] END`)
}

/** As Java has it: 1 to the power of what has no end, or is no number, is no number; to the engine it is 1. */
export function powerOf(a: Sql, b: Sql): Sql {
  const nan = sql.double(Number.NaN)
  return bind2(a, b, (x, y) => sql`CASE WHEN abs(${x}) = 1 AND NOT isfinite(${y}) THEN ${nan} ELSE pow(${x}, ${y}) END`)
}

/** IEEE division, which the engine's own is not: it gives null for a zero divisor. */
export function divideDoubles(a: Sql, b: Sql): Sql {
  return bind2(
    a,
    b,
    (
      x,
      y,
    ) => sql`CASE WHEN ${y} = 0 THEN CASE WHEN ${x} IS NULL THEN NULL WHEN ${x} = 0 OR isnan(${x}) THEN ${sql.double(Number.NaN)}
      WHEN (${x} > 0) = NOT starts_with(CAST(${y} AS VARCHAR), '-') THEN ${sql.double(Number.POSITIVE_INFINITY)}
      ELSE ${sql.double(Number.NEGATIVE_INFINITY)} END ELSE ${x} / ${y} END`,
  )
}

/** The length in UTF-16 units, as Java counts. */
export function utf16Length(text: Sql): Sql {
  return bind(
    text,
    (x) => sql`CASE WHEN strlen(${x}) = length(${x}) THEN length(${x})
      ELSE length(${x}) + length(regexp_replace(${x}, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')) END`,
  )
}

/** A text in upper case, in which ß becomes two letters, as in Java. */
export const upperCase = (text: Sql): Sql => sql`upper(replace(${text}, 'ß', 'SS'))`
