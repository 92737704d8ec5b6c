// Converts values between types as Druid does: whole numbers are truncated, and values that cannot be read become null.

import { parseIsoTime } from '../../druid-time/parse-sql.ts'
import { Zone } from '../../druid-time/zone.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { namesZone, parseInstant } from '../../model/instant.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import { timestampToLocal, toUtc } from './periods.ts'
import {
  type Bound,
  type CallNode,
  type ConstantValue,
  called,
  engineFunction,
  type LiteralNode,
  optionsOf,
} from './tree.ts'
import { arrayOf, engineType, isSame, plainNumber, type SqlType, string, typeName } from './types.ts'

/** A value cast to another type. */
export const cast = engineFunction(([x], { operands: [operand], type }, { zone }) => castText(operand!, x!, type, zone))

/** The expression cast to `type`; throws a Problem where no value of its type can be converted. */
export function as(node: Bound, type: SqlType): Bound {
  if (isSame(node.type, type)) return node
  const { place } = node
  if (node.type.kind === 'null')
    return { ...(node.kind === 'literal' ? node : called(place, type, cast, [node])), type }
  if (!isConvertible(node.type, type))
    throw sqlProblem(place, `a value of type ${typeName(node.type)} cannot be converted to ${typeName(type)}`)
  // A text constant used as a time is parsed now, so that an error in it is reported.
  if (isTextOfTime(node, type)) readTimestamp(node.value, Zone.utc, place)
  return called(place, type, cast, [node])
}

/** Converts the SQL of an operand, or a name bound to it, to a type that is known to be possible. */
export function castText(operand: Bound, x: Sql, type: SqlType, zone: Zone): Sql {
  if (isSame(operand.type, type)) return x
  if (operand.type.kind === 'null') return sql`CAST(NULL AS ${engineType(type)})`
  if (!isTextOfTime(operand, type)) return convert({ sql: x, type: operand.type, zone }, type)!
  const ms = readTimestamp(operand.value, zone, operand.place)
  return type.kind === 'timestamp' ? timestampLiteral(ms) : dateLiteral(zone.toLocal(ms))
}

const isTextOfTime = (node: Bound, { kind }: SqlType): node is LiteralNode & { readonly value: string } =>
  (kind === 'timestamp' || kind === 'date') && node.kind === 'literal' && typeof node.value === 'string'

const convertible = new Map<string, boolean>()

function isConvertible(from: SqlType, to: SqlType): boolean {
  const pair = `${typeName(from)} ${typeName(to)}`
  const known = convertible.get(pair)
  if (known !== undefined) return known
  const is = convert({ sql: sql`x`, type: from, zone: Zone.utc }, to) !== null
  convertible.set(pair, is)
  return is
}

/** The operand of a cast; undefined for any other node. */
export const castOperand = (node: Bound): Bound | undefined =>
  optionsOf(node, cast) === undefined ? undefined : (node as CallNode).operands[0]

/** The value, if it is known before the query runs. */
export function constantOf(node: Bound): ConstantValue | undefined {
  if (node.kind === 'literal') return node.value
  const operand = node.type.kind === 'double' ? castOperand(node) : undefined
  const value = operand === undefined ? undefined : constantOf(operand)
  return typeof value === 'bigint' ? Number(value) : undefined
}

/** A text without a zone is read on the clocks of `zone`. Null where the text is not a point in time. */
export function instantOfText(text: string, zone: Zone): number | null {
  const ms = parseInstant(text)
  return ms === null || zone === Zone.utc || namesZone(text) ? ms : zone.momentsOf(ms).moments[0]
}

function readTimestamp(text: string, zone: Zone, place: Place): number {
  const ms = instantOfText(text, zone)
  if (ms === null) throw sqlProblem(place, `${quoted(text)} is not a valid time: write it as '2026-01-31 12:00:00'`)
  return ms
}

export const dateLiteral = (localMs: number): Sql => sql`CAST(${timestampLiteral(localMs)} AS DATE)`

export function timestampLiteral(ms: number): Sql {
  return sql`make_timestamp(${sql.literal(String(ms))}::BIGINT * 1000::BIGINT)`
}

interface WrittenValue {
  readonly sql: Sql
  readonly type: SqlType
  readonly zone: Zone
}

export function convert({ sql: x, type, zone }: WrittenValue, to: SqlType): Sql | null {
  switch (to.kind) {
    case 'string':
      return toText(x, type, zone)
    case 'long':
      return toLong(x, type, zone)
    case 'double':
      return toDouble(x, type, zone)
    case 'boolean':
      return toBoolean(x, type)
    case 'timestamp':
      return toTimestamp(x, type, zone)
    case 'date':
      return type.kind === 'date'
        ? x
        : mapped(toTimestamp(x, type, zone), (at) => sql`CAST(${timestampToLocal(at, zone)} AS DATE)`)
    case 'array':
      return type.kind === 'array' ? elements(x, type.element, to.element, zone) : null
    case 'json':
      return type.kind === 'string' || isPlain(type) ? sql`to_json(${x})` : null
    default:
      return null
  }
}

function isPlain(type: SqlType): boolean {
  return type.kind === 'long' || type.kind === 'double' || type.kind === 'boolean' || type.kind === 'array'
}

function mapped(text: Sql | null, change: (text: Sql) => Sql): Sql | null {
  return text === null ? null : change(text)
}

function elements(x: Sql, from: SqlType, to: SqlType, zone: Zone): Sql | null {
  if (from.kind === 'null') return sql`CAST(${x} AS ${engineType(arrayOf(to))})`
  return mapped(convert({ sql: sql`e`, type: from, zone }, to), (each) => sql`list_transform(${x}, lambda e: ${each})`)
}

function toText(x: Sql, type: SqlType, zone: Zone): Sql | null {
  switch (type.kind) {
    case 'long':
    case 'date':
      return sql`CAST(${x} AS VARCHAR)`
    case 'double':
      return doubleText(x)
    case 'boolean':
      return sql`CAST(CAST(${x} AS BIGINT) AS VARCHAR)`
    case 'timestamp':
      return sql`strftime(${timestampToLocal(x, zone)}, '%Y-%m-%d %H:%M:%S')`
    case 'json':
      return sql`CAST(to_json(${x}) AS VARCHAR)`
    case 'array':
      return arrayJson(x, type)
    default:
      return null
  }
}

/** Druid's expressions use numbers for truth values and times, also in arrays. Other values stay unchanged. */
export function asPlainNumber(operand: Bound): Bound {
  const type = plainNumber(operand.type)
  return type === null ? operand : as(operand, type)
}

/** JSON of a value from `asPlainNumber`. Doubles are written as in Java. */
export function jsonText(x: Sql, type: SqlType): Sql {
  if (type.kind === 'double') return doubleJson(x)
  return type.kind === 'array' ? arrayJson(x, type) : sql`CAST(to_json(${x}) AS VARCHAR)`
}

/** The same for an array. */
export function arrayJson(x: Sql, type: SqlType): Sql {
  const numbers = plainNumber(type)
  const plain = numbers === null ? null : convert({ sql: x, type, zone: Zone.utc }, numbers)
  if (type.kind !== 'array' || type.element.kind !== 'double') return sql`CAST(to_json(${plain ?? x}) AS VARCHAR)`
  const each = sql`list_transform(${x}, lambda e: coalesce(${doubleJson(sql`e`)}, 'null'))`
  return sql`('[' || array_to_string(${each}, ',') || ']')`
}

/** JSON has no infinite numbers and no NaN: they are written as texts. */
const doubleJson = (x: Sql): Sql =>
  bind(x, (v) => sql`CASE WHEN isfinite(${v}) THEN ${doubleText(v)} ELSE '"' || ${doubleText(v)} || '"' END`)

/** A double as Java writes it: 1.0, 1.0E7, 1.0E-4. */
export const doubleText = (double: Sql): Sql =>
  bind(
    double,
    (
      x,
    ) => sql`CASE WHEN isnan(${x}) THEN 'NaN' WHEN isinf(${x}) THEN CASE WHEN ${x} > 0 THEN 'Infinity' ELSE '-Infinity' END
      WHEN ${x} = 0 OR (abs(${x}) >= 1e-3 AND abs(${x}) < 1e7) THEN CAST(${x} AS VARCHAR)
      WHEN abs(${x}) = 5e-324::DOUBLE THEN (CASE WHEN ${x} < 0 THEN '-' ELSE '' END) || '4.9E-324'
      ELSE (CASE WHEN ${x} < 0 THEN '-' ELSE '' END) || ${scientific(sql`CAST(abs(${x}) AS VARCHAR)`)} END`,
  )

/** From the engine's shortest digits, fixed or with an exponent, to `d.dddE±n`. */
function scientific(text: Sql): Sql {
  return bind(text, (t) => {
    const mantissa = sql`split_part(${t}, 'e', 1)`
    const [whole, fraction] = [sql`split_part(${t}, '.', 1)`, sql`split_part(${t}, '.', 2)`]
    const digits = (all: Sql): Sql =>
      bind(
        sql`rtrim(${all}, '0')`,
        (d) => sql`${d}[1] || '.' || (CASE WHEN length(${d}) > 1 THEN ${d}[2:] ELSE '0' END)`,
      )
    return sql`CASE WHEN contains(${t}, 'e') THEN ${mantissa} || (CASE WHEN contains(${t}, '.') THEN '' ELSE '.0' END)
        || 'E' || CAST(CAST(split_part(${t}, 'e', 2) AS INTEGER) AS VARCHAR)
      WHEN left(${t}, 2) = '0.' THEN ${digits(sql`ltrim(${fraction}, '0')`)} || 'E-' || CAST(length(${fraction}) - length(ltrim(${fraction}, '0')) + 1 AS VARCHAR)
      ELSE ${digits(sql`${whole} || ${fraction}`)} || 'E' || CAST(length(${whole}) - 1 AS VARCHAR) END`
  })
}

/** Truncates towards zero. Values beyond a long become the nearest one, NaN becomes 0. */
export const cutToLong = (double: Sql): Sql =>
  bind(
    double,
    (
      x,
    ) => sql`CASE WHEN isnan(${x}) THEN 0::BIGINT WHEN ${x} >= 9.223372036854775808e18 THEN 9223372036854775807::BIGINT
      WHEN ${x} <= -9.223372036854775808e18 THEN -9223372036854775807::BIGINT - 1::BIGINT ELSE CAST(trunc(${x}) AS BIGINT) END`,
  )

function toLong(x: Sql, type: SqlType, zone: Zone): Sql | null {
  switch (type.kind) {
    case 'double':
      return cutToLong(x)
    case 'boolean':
      return sql`CAST(${x} AS BIGINT)`
    case 'timestamp':
      return sql`epoch_ms(${x})`
    case 'date':
      return sql`epoch_ms(${toUtc(sql`CAST(${x} AS TIMESTAMP)`, zone)})`
    case 'string':
      return bind(
        x,
        (v) =>
          sql`coalesce(CASE WHEN regexp_full_match(${v}, '[+-]?[0-9]{1,19}') THEN TRY_CAST(${v} AS BIGINT) END, ${cutToLong(textToDouble(v))})`,
      )
    case 'json':
      return toLong(sql`json_extract_string(${x}, '$')`, string, zone)
    default:
      return null
  }
}

/** Matches the forms that Java reads as a double. */
export const numberForm = sql.literal('[+-]?(NaN|Infinity|([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)[dDfF]?')

/** Accepts the forms that Java reads as a double, and true and false; anything else is null. */
const textToDouble = (text: Sql): Sql =>
  bind(
    text,
    (x) => sql`CASE WHEN regexp_full_match(${x}, ${numberForm}) THEN TRY_CAST(rtrim(${x}, 'dDfF') AS DOUBLE)
      WHEN lower(${x}) = 'true' THEN 1::DOUBLE WHEN lower(${x}) = 'false' THEN 0::DOUBLE END`,
  )

function toDouble(x: Sql, type: SqlType, zone: Zone): Sql | null {
  switch (type.kind) {
    case 'long':
    case 'boolean':
      return sql`CAST(${x} AS DOUBLE)`
    case 'timestamp':
    case 'date':
      return mapped(toLong(x, type, zone), (ms) => sql`CAST(${ms} AS DOUBLE)`)
    case 'string':
      return textToDouble(x)
    case 'json':
      return textToDouble(sql`json_extract_string(${x}, '$')`)
    default:
      return null
  }
}

function toBoolean(x: Sql, type: SqlType): Sql | null {
  if (type.kind === 'long') return sql`(${x} <> 0::BIGINT)`
  // Values that truncate to 0 are false, and so are negative ones.
  if (type.kind === 'double') return sql`(${x} >= 1::DOUBLE)`
  if (type.kind === 'string') return sql`(${textToDouble(x)} >= 1::DOUBLE)`
  return null
}

function toTimestamp(x: Sql, type: SqlType, zone: Zone): Sql | null {
  switch (type.kind) {
    case 'timestamp':
      return x
    case 'date':
      return toUtc(sql`CAST(${x} AS TIMESTAMP)`, zone)
    case 'long':
      return timeOfMs(x)
    case 'double':
      return timeOfMs(cutToLong(x))
    case 'string':
      return textToTimestamp(x, zone)
    default:
      return null
  }
}

/** ISO 8601, also with a space for the T. A text without a zone is read on the clocks of `zone`. */
export const textToTimestamp = (x: Sql, zone: Zone): Sql => timeOfMs(parseIsoTime(x, zone))

const furthestMs = sql.long(8_640_000_000_000_000)

/** Null beyond the range of the engine's times. */
export const timeOfMs = (ms: Sql): Sql =>
  bind(ms, (v) => sql`CASE WHEN ${v} BETWEEN -${furthestMs} AND ${furthestMs} THEN make_timestamp_ms(${v}) END`)
