// SQL values with their Druid types, and Druid's conversions between them.
// Tested by `test/druid-native/expressions.test.ts`.
import { as, cast, castOperand, cutToLong, doubleText } from '../../druid-sql/bind/conversions.ts'
import {
  type Bound,
  called,
  engineFunction,
  literal,
  type Meaning,
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
  /** The same as a SQL truth value, where the value is one. */
  readonly condition?: Sql
}

export const nullValue: Typed = { type: null, sql: sql`NULL` }
export const textValue = (value: Sql, width?: number): Typed => ({ type: 'STRING', sql: value, width })
export const longValue = (value: Sql): Typed => ({ type: 'LONG', sql: value })
export const doubleValue = (value: Sql): Typed => ({ type: 'DOUBLE', sql: value })
/** 1, 0 or null. */
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
/** Of the tree's types, those that values here have; null of a bare null. */
const names = new Map(Object.entries(types).map(([name, type]) => [typeName(type), name as ValueType]))

export const valueTypes = Object.keys(types) as readonly ValueType[]
/** Those that expressions name. */
export const plainTypes = valueTypes.filter((type) => type !== 'FLOAT' && type !== 'COMPLEX<json>')
export const plainType = (name: string): ValueType | undefined => plainTypes.find((type) => type === name)

export const typeOf = (type: ValueType): SqlType => types[type]
export const sqlType = (type: ValueType | null): Sql => engineType(types[type ?? 'STRING'])

const elements = { 'ARRAY<STRING>': 'STRING', 'ARRAY<LONG>': 'LONG', 'ARRAY<DOUBLE>': 'DOUBLE' } as const

/** Queries of this language have no places in a text: they have paths, which whoever compiles an expression knows. */
export const nowhere = { line: 1, column: 1 }

/** Whole numbers go round as Java's do. */
const meaning: Meaning = { wraps: true, zone: Zone.utc }
const writer = new DuckdbWriter(meaning)

interface ValueNode extends WrittenNode {
  readonly value: Typed
}

export const written = (type: SqlType, text: Sql): Bound => ({ kind: 'written', type, place: nowhere, sql: text })

/** The value that is written there, where it was one before. */
export const valueIn = (node: Bound): Typed | undefined =>
  node.kind === 'written' && 'value' in node ? (node as ValueNode).value : undefined

/** A value as a part of a tree. */
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

/** What a tree comes to, written. */
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

/** A constant number: a whole one is a long. */
export const numberNode = (value: number | bigint): Bound =>
  typeof value === 'bigint' || Number.isSafeInteger(value)
    ? literal(nowhere, long, BigInt(value))
    : literal(nowhere, double, value)

/** Truth values are 1 and 0. */
export const truth = (condition: Bound): Bound => called(nowhere, long, cast, [condition])

/** What is true or false behind such a number; undefined of any other. */
export function conditionIn(node: Bound): Bound | undefined {
  const operand = castOperand(node)
  return operand?.type.kind === 'boolean' ? operand : undefined
}

export const writtenSql = (node: Bound): Sql => writer.expression(node)

/** A value of another type where SQL's is another: texts that say true are no numbers, an array of one counts as its element. */
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

/** The type of an array's elements; null for what is no array. */
export function elementOf(type: ValueType | null): ElementType | null {
  return type === 'ARRAY<STRING>' || type === 'ARRAY<LONG>' || type === 'ARRAY<DOUBLE>' ? elements[type] : null
}

export const isScalar = (type: ValueType): type is NativeType => type !== 'COMPLEX<json>' && elementOf(type) === null

export const typedNull = (type: ValueType | null): Sql => sql`CAST(NULL AS ${sqlType(type)})`

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
  return bind(text, (x) => sql`coalesce(${digitsToLong(x)}, ${cutToLong(textToDouble(x))})`)
}

/** The long that a text of digits stands for; null of any other. `text` is worked out twice. */
export const digitsToLong = (text: Sql): Sql =>
  sql`CASE WHEN regexp_full_match(${text}, ${longForm}) THEN TRY_CAST(${text} AS BIGINT) END`

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

/** The number that a text, a JSON scalar or the one element of an array stands for. */
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

/** A double as 32 bits hold it; what they do not hold is infinite. */
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

/** The elements of an array as another type; a single value is an array of one. */
function toList(value: Typed, type: ElementType): Sql {
  const own = elementOf(value.type)
  if (own !== null) return transform(value.sql, (item) => convert({ type: own, sql: item }, type).sql)
  if (value.type === null) return typedNull(`ARRAY<${type}>`)
  return bind(value.sql, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN [${convert({ ...value, sql: x }, type).sql}] END`)
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
