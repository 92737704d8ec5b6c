// SQL values with Druid types, and Druid's conversions between them.
// Tested by `test/druid-native/expressions.test.ts`.
import { as, cast, castOperand, cutToLong, doubleText } from '../../druid-sql/bind/conversions.ts'
import {
  type Bound,
  called,
  engineFunction,
  literal,
  type QuerySemantics,
  type WrittenNode,
} from '../../druid-sql/bind/tree.ts'
import {
  arrayOf,
  boolean,
  double,
  engineType,
  float,
  isSame,
  json,
  long,
  nullType,
  type SqlType,
  string,
  typeName,
  wideString,
} from '../../druid-sql/bind/types.ts'
import { DuckdbWriter } from '../../druid-sql/compile/write-duckdb.ts'
import { Zone } from '../../druid-time/zone.ts'
import { bind, bind2, nextName } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'

export type NativeType = 'STRING' | 'LONG' | 'DOUBLE' | 'FLOAT'
export type ElementType = 'STRING' | 'LONG' | 'DOUBLE'
export type ArrayType = `ARRAY<${ElementType}>`
/** The types that an expression can return. */
export type ValueType = NativeType | ArrayType | 'COMPLEX<json>'

/**
 * A value of a row. In SQL, LONG is BIGINT, STRING is VARCHAR, DOUBLE and FLOAT are the types of the same names, arrays are lists of these, and
 * JSON is JSON but never a JSON null. Type `null` is a bare NULL.
 */
export interface Typed {
  readonly type: ValueType | null
  readonly sql: Sql
  /** An array from a multi-value column: grouping uses each of its values, and a filter matches any of them. */
  readonly isMulti?: boolean
  /** A column of an inner scan, whose type is not declared. */
  readonly isUndeclaredType?: boolean
  /** The maximum length of a computed text, if known (text-limits.ts); not set for stored texts. */
  readonly width?: number | undefined
  /** The same value as an SQL boolean, if it is a truth value. */
  readonly condition?: Sql
}

export const nullValue: Typed = { type: null, sql: sql`NULL` }
export const textValue = (value: Sql, width?: number): Typed => ({ type: 'STRING', sql: value, width })
export const longValue = (value: Sql): Typed => ({ type: 'LONG', sql: value })
export const doubleValue = (value: Sql): Typed => ({ type: 'DOUBLE', sql: value })
/** The long 1, 0 or null. */
export const truthValue = (condition: Sql): Typed => ({
  type: 'LONG',
  sql: sql`CAST((${condition}) AS BIGINT)`,
  condition,
})

const types: Readonly<Record<ValueType, SqlType>> = {
  STRING: string,
  LONG: long,
  DOUBLE: double,
  FLOAT: float,
  'ARRAY<STRING>': arrayOf(string),
  'ARRAY<LONG>': arrayOf(long),
  'ARRAY<DOUBLE>': arrayOf(double),
  'COMPLEX<json>': json,
}
/** Maps the type names of SQL trees to Druid types. */
const names = new Map(Object.entries(types).map(([name, type]) => [typeName(type), name as ValueType]))

export const valueTypes = Object.keys(types) as readonly ValueType[]
/** Types that expressions can name. */
export const plainTypes = valueTypes.filter((type) => type !== 'FLOAT' && type !== 'COMPLEX<json>')
export const plainType = (name: string): ValueType | undefined => plainTypes.find((type) => type === name)

export const typeOf = (type: ValueType): SqlType => types[type]
export const sqlType = (type: ValueType | null): Sql => engineType(types[type ?? 'STRING'])

const elements = { 'ARRAY<STRING>': 'STRING', 'ARRAY<LONG>': 'LONG', 'ARRAY<DOUBLE>': 'DOUBLE' } as const

/** Placeholder: native queries have no text positions. They have paths, which the caller that compiles an expression adds. */
export const nowhere = { line: 1, column: 1 }

/** Long arithmetic wraps around, as in Java. */
const meaning: QuerySemantics = { wraps: true, zone: Zone.utc }
const writer = new DuckdbWriter(meaning)

interface ValueNode extends WrittenNode {
  readonly value: Typed
}

export const written = (type: SqlType, text: Sql): Bound => ({ kind: 'written', type, place: nowhere, sql: text })

/** The value that `nodeOf` made this node from; undefined for other nodes. */
export const valueIn = (node: Bound): Typed | undefined =>
  node.kind === 'written' && 'value' in node ? (node as ValueNode).value : undefined

/** Converts a value to a tree node. */
export function nodeOf(value: Typed): Bound {
  const { type, sql: text, width, condition } = value
  if (condition !== undefined) return truth(written(boolean, condition))
  if (type === null) return literal(nowhere, nullType, null)
  const node: ValueNode = {
    kind: 'written',
    type: type === 'STRING' && width !== undefined ? wideString(width) : types[type],
    place: nowhere,
    sql: text,
    value,
  }
  return node
}

/** Converts a tree to a value. */
export function asValue(node: Bound): Typed {
  const value = valueIn(node)
  if (value !== undefined) return value
  const { type } = node
  return {
    type: type.kind === 'null' ? null : names.get(typeName(type))!,
    sql: writer.expression(node),
    ...(type.kind === 'string' ? { width: type.width } : {}),
  }
}

/** A numeric constant: a whole number becomes a long. */
export const numberNode = (value: number | bigint): Bound =>
  typeof value === 'bigint' || Number.isSafeInteger(value)
    ? literal(nowhere, long, BigInt(value))
    : literal(nowhere, double, value)

/** Converts a boolean to the long 1 or 0. */
export const truth = (condition: Bound): Bound => called(nowhere, long, cast, [condition])

/** The boolean behind such a long; undefined for any other node. */
export function conditionIn(node: Bound): Bound | undefined {
  const operand = castOperand(node)
  return operand?.type.kind === 'boolean' ? operand : undefined
}

export const writtenSql = (node: Bound): Sql => writer.expression(node)

/** Conversions in which Druid differs from SQL: the text `true` is not a number, and an array of one element converts as that element. */
const conversion = engineFunction(([x], { operands: [operand], type }) =>
  convertSql({ type: names.get(typeName(operand!.type))!, sql: x! }, names.get(typeName(type))!),
)

const isNumber = ({ kind }: SqlType): boolean => kind === 'long' || kind === 'double'

export function asType(node: Bound, type: SqlType): Bound {
  if (isSame(node.type, type)) return node
  if (node.kind === 'literal' && typeof node.value === 'bigint' && type.kind === 'double')
    return literal(nowhere, double, Number(node.value))
  const isAlike = node.type.kind === 'null' || (isNumber(node.type) && (isNumber(type) || type.kind === 'string'))
  return isAlike ? as(node, type) : called(nowhere, type, conversion, [node])
}

/** The element type of an array; null for other types. */
export function elementOf(type: ValueType | null): ElementType | null {
  return type === 'ARRAY<STRING>' || type === 'ARRAY<LONG>' || type === 'ARRAY<DOUBLE>' ? elements[type] : null
}

export const isScalar = (type: ValueType): type is NativeType => type !== 'COMPLEX<json>' && elementOf(type) === null

export const typedNull = (type: ValueType | null): Sql => sql`CAST(NULL AS ${sqlType(type)})`

/** Pattern of a whole number. */
export const longForm = sql.literal('[+-]?[0-9]{1,19}')
const doubleForm = sql.literal('[+-]?(NaN|Infinity|([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)')

/** Parses a text as Java does; null if Java could not. */
export function textToDouble(text: Sql): Sql {
  return bind(
    text,
    (x) => sql`CASE WHEN regexp_full_match(${x}, ${doubleForm}) THEN TRY_CAST(rtrim(${x}, 'fFdD') AS DOUBLE) END`,
  )
}

export function textToLong(text: Sql): Sql {
  return bind(text, (x) => sql`coalesce(${digitsToLong(x)}, ${cutToLong(textToDouble(x))})`)
}

/** Parses a text of digits as a long; null for any other text. Evaluates `text` twice. */
export const digitsToLong = (text: Sql): Sql =>
  sql`CASE WHEN regexp_full_match(${text}, ${longForm}) THEN TRY_CAST(${text} AS BIGINT) END`

/** Converts the single element of an array; null if the array has more elements or none. */
const onlyElement = (list: Sql, type: ElementType, body: (element: Typed) => Sql): Sql =>
  bind(list, (x) => sql`CASE WHEN len(${x}) = 1 THEN ${body({ type, sql: sql`${x}[1]` })} END`)

/** Formats an array as Java does: `[a, b]`. */
export function listText(list: Sql, type: ElementType): Sql {
  const items = transform(list, (item) => sql`coalesce(${toText({ type, sql: item })}, 'null')`)
  return sql`('[' || array_to_string(${items}, ', ') || ']')`
}

/** Applies `body` to each item of a list. */
export function transform(list: Sql, body: (item: Sql) => Sql): Sql {
  const name = nextName()
  return sql`list_transform(${list}, lambda ${name}: ${body(name)})`
}

/** The text of a JSON string or scalar. */
const jsonText = (json: Sql): Sql => sql`json_extract_string(${json}, '$')`

export function toText(value: Typed): Sql {
  const element = elementOf(value.type)
  if (element !== null) {
    const only = (x: Sql): Sql => toText({ type: element, sql: sql`${x}[1]` })
    return bind(value.sql, (x) => sql`CASE WHEN len(${x}) = 1 THEN ${only(x)} ELSE ${listText(x, element)} END`)
  }
  switch (value.type) {
    case 'COMPLEX<json>':
      return jsonText(value.sql)
    case 'LONG':
      return sql`CAST(${value.sql} AS VARCHAR)`
    case 'DOUBLE':
      return doubleText(value.sql)
    case 'FLOAT':
      return doubleText(sql`CAST(CAST(${value.sql} AS VARCHAR) AS DOUBLE)`)
    case null:
      return typedNull('STRING')
    default:
      return value.sql
  }
}

export function toLong(value: Typed): Sql {
  if (value.type === 'LONG') return value.sql
  if (value.type === 'DOUBLE' || value.type === 'FLOAT') return cutToLong(value.sql)
  return readNumber(value, 'LONG', textToLong, toLong)
}

export function toDouble(value: Typed): Sql {
  if (value.type === 'DOUBLE') return value.sql
  if (value.type === 'LONG' || value.type === 'FLOAT') return sql`CAST(${value.sql} AS DOUBLE)`
  return readNumber(value, 'DOUBLE', textToDouble, toDouble)
}

/** Converts a text, a JSON scalar or the single element of an array to a number. */
function readNumber(
  { type, sql: text }: Typed,
  to: 'LONG' | 'DOUBLE',
  ofText: (text: Sql) => Sql,
  ofElement: (element: Typed) => Sql,
): Sql {
  if (type === null) return typedNull(to)
  const element = elementOf(type)
  if (element !== null) return onlyElement(text, element, ofElement)
  return ofText(type === 'COMPLEX<json>' ? jsonText(text) : text)
}

/** Converts to a 32-bit float; values out of its range become infinite. */
export function toFloat(value: Typed): Sql {
  if (value.type === 'FLOAT') return value.sql
  return bind(
    toDouble(value),
    (x) =>
      sql`coalesce(TRY_CAST(${x} AS FLOAT), CASE WHEN ${x} > 0 THEN CAST('Infinity' AS FLOAT) WHEN ${x} < 0 THEN CAST('-Infinity' AS FLOAT) END)`,
  )
}

export const convert = (value: Typed, type: ValueType): Typed =>
  value.type === type ? value : { type, sql: convertSql(value, type) }

const conversions = {
  STRING: toText,
  LONG: toLong,
  DOUBLE: toDouble,
  FLOAT: toFloat,
  'COMPLEX<json>': ({ sql: value }: Typed): Sql => sql`to_json(${value})`,
}

function convertSql(value: Typed, type: ValueType): Sql {
  const element = elementOf(type)
  return element === null ? conversions[type as keyof typeof conversions](value) : toList(value, element)
}

/** Converts the elements of an array; a single value becomes an array of one. */
function toList(value: Typed, type: ElementType): Sql {
  const own = elementOf(value.type)
  if (own !== null) return transform(value.sql, (item) => convert({ type: own, sql: item }, type).sql)
  if (value.type === null) return typedNull(`ARRAY<${type}>`)
  return bind(value.sql, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN [${convert({ ...value, sql: x }, type).sql}] END`)
}

/** IEEE division. The engine's own division returns null for a zero divisor. */
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
