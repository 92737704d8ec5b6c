// Filters that values lie between bounds, and the numbers that bounds and constants stand for.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainLong } from '../../model/long.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { Filter } from '../parse/query-nodes.ts'
import { alphanumericKey, lengthKey } from '../values/ordering.ts'
import { type Typed, textToDouble, toText } from '../values/typed.ts'

const isNumeric = (value: Typed): boolean => value.type === 'LONG' || value.type === 'DOUBLE' || value.type === 'FLOAT'

export const decimalForm = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** The exact long that a text stands for, as BigDecimal reads it. */
export function exactLong(text: string): bigint | null {
  if (/^[+-]?\d+$/.test(text)) return plainLong(text.replace('+', ''))
  const number = decimalForm.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? BigInt(number) : null
}

/** False where there is a value, unknown where there is none. */
export const never = (value: Typed): Sql => sql`(CASE WHEN ${value.sql} IS NULL THEN NULL ELSE FALSE END)`

/** True where there is a value, unknown where there is none. */
const always = (value: Typed): Sql => sql`(CASE WHEN ${value.sql} IS NULL THEN NULL ELSE TRUE END)`

/** `1.5f`, as Java writes a number of 32 bits. */
const javaSuffix = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]$/

interface Bounds<Value> {
  readonly lower: Value | null
  readonly upper: Value | null
  readonly lowerStrict: boolean
  readonly upperStrict: boolean
}

/** A value between bounds; a bound that is not there holds for all. */
function between(value: Sql, { lower, upper, lowerStrict, upperStrict }: Bounds<Sql>): Sql {
  const parts = [
    ...(lower === null ? [] : [sql`${value} ${lowerStrict ? sql`>` : sql`>=`} ${lower}`]),
    ...(upper === null ? [] : [sql`${value} ${upperStrict ? sql`<` : sql`<=`} ${upper}`]),
  ]
  return sql`(${sql.join(parts, ' AND ')})`
}

const mapBounds = <From, To>(bounds: Bounds<From>, map: (from: From) => To): Bounds<To> => ({
  ...bounds,
  lower: bounds.lower === null ? null : map(bounds.lower),
  upper: bounds.upper === null ? null : map(bounds.upper),
})

/**
 * Where there is no lower bound, null is below the upper one; a column of numbers has no such null, however they are compared. A text that is null
 * is out of the bounds, but for one that Druid finds by an index: of that it does not know.
 */
export function compileBound(filter: Filter & { kind: 'bound' }, value: Typed, byIndex: boolean): Sql {
  const condition = boundCondition(filter, value)
  if (isNumeric(value) && value.isUntold !== true) return condition
  if (filter.lower === null) return sql`coalesce(${condition}, TRUE)`
  return byIndex && value.type !== null ? condition : sql`coalesce(${condition}, FALSE)`
}

function boundCondition(filter: Filter & { kind: 'bound' }, value: Typed): Sql {
  if (value.type === null) return sql`CAST(NULL AS BOOLEAN)`
  const text = (constant: string): Sql => sql`CAST(${constant} AS VARCHAR)`
  switch (filter.ordering) {
    case 'numeric':
      return isNumeric(value) ? numericBound(value, filter) : numericTextBound(value.sql, filter)
    case 'strlen':
      return between(
        lengthKey(toText(value)),
        mapBounds(filter, (constant) => lengthKey(text(constant))),
      )
    case 'alphanumeric':
      return between(
        alphanumericKey(toText(value)),
        mapBounds(filter, (constant) => alphanumericKey(text(constant))),
      )
    case 'version':
      throw unsupported('', 'the ordering "version" in a filter')
    default:
      return between(toText(value), mapBounds(filter, text))
  }
}

/** As Java's parsers read it, which take more for a double. */
function parsedLiteral(text: string, type: Typed['type']): Sql | null {
  const suffix = type === 'LONG' ? null : javaSuffix.exec(text)
  return numberLiteral(suffix === null ? text : suffix[1]!, type)
}

/** A number as the column's type compares with it exactly; null for no number. */
function numberLiteral(text: string, type: Typed['type']): Sql | null {
  const long = type === 'LONG' ? exactLong(text) : null
  if (long !== null) return sql.long(long)
  const number = decimalForm.test(text) ? Number(text) : Number.NaN
  return Number.isNaN(number) ? null : sql.double(number)
}

/** To Druid what is no number comes before all numbers: it bounds nothing below, and leaves nothing above. */
function numericBound(value: Typed, filter: Bounds<string>): Sql {
  const upper = filter.upper === null ? null : parsedLiteral(filter.upper, value.type)
  if (filter.upper !== null && upper === null) return never(value)
  const lower = filter.lower === null ? null : parsedLiteral(filter.lower, value.type)
  return lower === null && upper === null ? always(value) : between(value.sql, { ...filter, lower, upper })
}

/** Texts by their numbers: those that are none come before all that are. */
function numericTextBound(text: Sql, filter: Bounds<string>): Sql {
  return bind(text, (x) =>
    bind(textToDouble(x), (number) => {
      const side = (constant: string, isLower: boolean, strict: boolean): Sql => {
        const operator = isLower ? (strict ? sql`>` : sql`>=`) : strict ? sql`<` : sql`<=`
        const literal = numberLiteral(constant, 'DOUBLE')
        if (literal === null)
          return sql`CASE WHEN ${number} IS NOT NULL THEN ${isLower ? sql`TRUE` : sql`FALSE`} ELSE ${x} ${operator} ${constant} END`
        return sql`CASE WHEN ${number} IS NOT NULL THEN ${number} ${operator} ${literal} WHEN ${x} IS NOT NULL THEN ${isLower ? sql`FALSE` : sql`TRUE`} END`
      }
      const parts = [
        ...(filter.lower === null ? [] : [side(filter.lower, true, filter.lowerStrict)]),
        ...(filter.upper === null ? [] : [side(filter.upper, false, filter.upperStrict)]),
      ]
      return sql`(${sql.join(parts, ' AND ')})`
    }),
  )
}

/** Unlike a bound, a range never holds for null. */
export function compileRange(filter: Filter & { kind: 'range' }, value: Typed): Sql {
  const bounds: Bounds<string> = {
    lower: filter.lower === null ? null : String(filter.lower),
    upper: filter.upper === null ? null : String(filter.upper),
    lowerStrict: filter.lowerOpen,
    upperStrict: filter.upperOpen,
  }
  if (value.type === null) return sql`CAST(NULL AS BOOLEAN)`
  if (filter.type === 'STRING')
    return between(
      toText(value),
      mapBounds(bounds, (text) => sql`CAST(${text} AS VARCHAR)`),
    )
  if (isNumeric(value)) return numericRange(value, bounds)
  // A text that is no number is out of the range; of null it is unknown.
  const inRange = numericRange({ type: 'DOUBLE', sql: textToDouble(value.sql) }, bounds)
  return sql`coalesce(${inRange}, ${never(value)})`
}

function numericRange(value: Typed, filter: Bounds<string>): Sql {
  const [lower, upper] = [filter.lower, filter.upper].map((text) =>
    text === null ? null : numberLiteral(text, value.type),
  )
  // A bound that is no number leaves nothing of a column of numbers.
  if ((filter.lower !== null && lower === null) || (filter.upper !== null && upper === null)) return never(value)
  return between(value.sql, { ...filter, lower: lower ?? null, upper: upper ?? null })
}
