// Filters that compare values with bounds.

import { conjunction, is, not } from '../../druid-sql/bind/logic.ts'
import { type Bound, called, literal } from '../../druid-sql/bind/tree.ts'
import { boolean, double, type Kind, long, string } from '../../druid-sql/bind/types.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { compared } from '../expression/operators.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { Filter } from '../parse/query-nodes.ts'
import { alphanumericKey, lengthKey } from '../values/ordering.ts'
import { asType, nowhere, textToDouble, valueIn, written, writtenSql } from '../values/typed.ts'
import { decimalForm, exactLong, falseWhereThere, isTrue, never } from './equality-filter.ts'

const isNumeric = ({ type: { kind } }: Bound): boolean => kind === 'long' || kind === 'double' || kind === 'float'

/** `1.5f`, a float in Java's notation. */
const javaSuffix = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]$/

interface Bounds<Value> {
  readonly lower: Value | null
  readonly upper: Value | null
  readonly lowerStrict: boolean
  readonly upperStrict: boolean
}

/** Whether a value lies between bounds; a missing bound is always met. */
function between(value: Bound, { lower, upper, lowerStrict, upperStrict }: Bounds<Bound>): Bound {
  const operand = value.type.kind === 'float' ? asType(value, double) : value
  const parts = [
    ...(lower === null ? [] : [compared(lowerStrict ? '>' : '>=', operand, lower)]),
    ...(upper === null ? [] : [compared(upperStrict ? '<' : '<=', operand, upper)]),
  ]
  return called(nowhere, boolean, conjunction, parts)
}

const mapBounds = <From, To>(bounds: Bounds<From>, map: (from: From) => To): Bounds<To> => ({
  ...bounds,
  lower: bounds.lower === null ? null : map(bounds.lower),
  upper: bounds.upper === null ? null : map(bounds.upper),
})

/**
 * Without a lower bound, a null text is below the upper bound; a null in a numeric column is not, whatever the ordering. With a lower bound, a null
 * text is out of bounds (false), but unknown where Druid uses an index.
 */
export function bindBound(filter: Filter & { kind: 'bound' }, value: Bound, byIndex: boolean): Bound {
  const condition = boundCondition(filter, value)
  if (isNumeric(value) && valueIn(value)?.isUndeclaredType !== true) return condition
  if (filter.lower === null) return is(condition, { what: 'FALSE', negated: true, isWrittenAsTrue: false }, nowhere)
  if (byIndex && value.type.kind !== 'null') return condition
  return isTrue(condition)
}

function boundCondition(filter: Filter & { kind: 'bound' }, value: Bound): Bound {
  if (value.type.kind === 'null') return literal(nowhere, boolean, null)
  switch (filter.ordering) {
    case 'numeric':
      return isNumeric(value)
        ? numericBound(value, filter)
        : written(boolean, numericTextBound(writtenSql(value), filter))
    case 'strlen':
      return betweenTexts(value, filter, lengthKey)
    case 'alphanumeric':
      return betweenTexts(value, filter, alphanumericKey)
    case 'version':
      throw unsupported('', 'the ordering "version" in a filter')
    default:
      return betweenTexts(value, filter)
  }
}

/** Compares texts, or their sort keys. */
function betweenTexts(value: Bound, bounds: Bounds<string>, key?: (text: Sql) => Sql): Bound {
  const sideOf = (text: Bound): Bound => (key === undefined ? text : written(string, key(writtenSql(text))))
  return between(
    sideOf(asType(value, string)),
    mapBounds(bounds, (text) => sideOf(literal(nowhere, string, text))),
  )
}

/** Parses a number as Java does, which accepts more notations for doubles. */
function parsedLiteral(text: string, kind: Kind): Bound | null {
  const suffix = kind === 'long' ? null : javaSuffix.exec(text)
  return numberLiteral(suffix === null ? text : suffix[1]!, kind)
}

/** Parses a number to a constant that compares exactly with the column's type; null if the text is not a number. */
function numberLiteral(text: string, kind: Kind): Bound | null {
  const whole = kind === 'long' ? exactLong(text) : null
  if (whole !== null) return literal(nowhere, long, whole)
  return decimalForm.test(text) ? literal(nowhere, double, Number(text)) : null
}

/** Druid sorts texts that are not numbers before all numbers: as a lower bound such a text admits all, as an upper bound none. */
function numericBound(value: Bound, filter: Bounds<string>): Bound {
  const { lower, upper } = mapBounds(filter, (text) => parsedLiteral(text, value.type.kind))
  if (filter.upper !== null && upper === null) return never(value)
  return lower === null && upper === null ? not(never(value), nowhere) : between(value, { ...filter, lower, upper })
}

/** Compares texts by their numbers; texts that are not numbers sort first. */
function numericTextBound(text: Sql, filter: Bounds<string>): Sql {
  return bind(text, (x) =>
    bind(textToDouble(x), (number) => {
      const side = (constant: string, isLower: boolean, strict: boolean): Sql => {
        const operator = isLower ? (strict ? sql`>` : sql`>=`) : strict ? sql`<` : sql`<=`
        if (!decimalForm.test(constant))
          return sql`CASE WHEN ${number} IS NOT NULL THEN ${isLower ? sql`TRUE` : sql`FALSE`} ELSE ${x} ${operator} ${constant} END`
        return sql`CASE WHEN ${number} IS NOT NULL THEN ${number} ${operator} ${sql.double(Number(constant))} WHEN ${x} IS NOT NULL THEN ${isLower ? sql`FALSE` : sql`TRUE`} END`
      }
      const parts = [
        ...(filter.lower === null ? [] : [side(filter.lower, true, filter.lowerStrict)]),
        ...(filter.upper === null ? [] : [side(filter.upper, false, filter.upperStrict)]),
      ]
      return sql`(${sql.join(parts, ' AND ')})`
    }),
  )
}

/** Unlike a bound, a range never matches null. */
export function bindRange(filter: Filter & { kind: 'range' }, value: Bound): Bound {
  const bounds: Bounds<string> = {
    lower: filter.lower === null ? null : String(filter.lower),
    upper: filter.upper === null ? null : String(filter.upper),
    lowerStrict: filter.lowerOpen,
    upperStrict: filter.upperOpen,
  }
  if (value.type.kind === 'null') return literal(nowhere, boolean, null)
  if (filter.type === 'STRING') return betweenTexts(value, bounds)
  if (isNumeric(value)) return numericRange(value, bounds)
  // A text that is not a number is out of range; for null the result is unknown.
  return falseWhereThere(numericRange(written(double, textToDouble(writtenSql(value))), bounds), value)
}

function numericRange(value: Bound, filter: Bounds<string>): Bound {
  const { lower, upper } = mapBounds(filter, (text) => numberLiteral(text, value.type.kind))
  // A bound that is not a number matches nothing in a numeric column.
  if ((filter.lower !== null && lower === null) || (filter.upper !== null && upper === null)) return never(value)
  return between(value, { ...filter, lower, upper })
}
