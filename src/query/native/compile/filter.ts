// Filters as SQL conditions, in three-valued logic.
import { type Sql, sql } from '../../../lib/sql-text.ts'
import type { Scope } from '../expression/compile.ts'
import { truthOf } from '../expression/operators.ts'
import { alphanumericKey, lengthKey } from '../sql/ordering.ts'
import { likePattern, matchesPattern } from '../sql/patterns.ts'
import { textList } from '../sql/text.ts'
import { bind, elementOf, type Typed, textToDouble, textValue, toDouble, toLong, toText } from '../sql/typed.ts'
import { unsupported } from '../tree/json-reader.ts'
import type { Extraction, Filter, Scalar } from '../tree/nodes.ts'
import { equalsArray, hasElement, onAnyValue } from './array-filter.ts'
import { dimensionValue, extract, matchesSearch } from './extraction.ts'
import { compileAt } from './source.ts'

const isNumeric = (value: Typed): boolean => value.type === 'LONG' || value.type === 'DOUBLE' || value.type === 'FLOAT'

const decimalForm = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** The exact long that a text stands for, as BigDecimal reads it. */
function exactLong(text: string): bigint | null {
  if (/^[+-]?\d+$/.test(text)) {
    const value = BigInt(text.replace('+', ''))
    return value >= -(2n ** 63n) && value < 2n ** 63n ? value : null
  }
  const number = decimalForm.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? BigInt(number) : null
}

/** False where there is a value, unknown where there is none. */
const never = (value: Typed): Sql => sql`(CASE WHEN ${value.sql} IS NULL THEN NULL ELSE FALSE END)`

function operand(value: Typed, extraction: Extraction | null): Typed {
  return extraction === null
    ? value
    : extract(value.type === null ? textValue(sql`CAST(NULL AS VARCHAR)`) : value, extraction)
}

/** Equality with a constant, which is read as the column's type. */
function equalsConstant(value: Typed, constant: string): Sql {
  switch (value.type) {
    case null:
      return sql`CAST(NULL AS BOOLEAN)`
    case 'STRING':
      return sql`(${value.sql} = ${constant})`
    case 'LONG': {
      const long = exactLong(constant)
      return long === null ? never(value) : sql`(${value.sql} = ${sql.long(long)})`
    }
    default: {
      const number = decimalForm.test(constant) ? Number(constant) : Number.NaN
      return Number.isNaN(number) ? never(value) : sql`(${toDouble(value)} = ${sql.double(number)})`
    }
  }
}

const any = (conditions: readonly Sql[]): Sql => sql`(${sql.join(conditions, ' OR ')})`

/** A longer list is a parameter of its own: texts put together by what none of them holds. */
const listedMax = 100

function inValues(value: Typed, values: readonly (string | null)[]): Sql {
  const texts = values.filter((item) => item !== null)
  const isNull = values.includes(null) ? [sql`(${value.sql} IS NULL)`] : []
  if (texts.length === 0 && isNull.length === 0) return value.type === null ? sql`FALSE` : never(value)
  const found = texts.length === 0 || value.type === null ? [] : [amongTexts(value, texts)]
  return found.length + isNull.length === 0 ? sql`CAST(NULL AS BOOLEAN)` : any([...found, ...isNull])
}

function amongTexts(value: Typed, texts: readonly string[]): Sql {
  switch (value.type) {
    case 'LONG': {
      const longs = texts.map(exactLong).filter((long) => long !== null)
      return among(value, value.sql, longs.map(String), sql`BIGINT`, (text) => sql.long(BigInt(text)))
    }
    case 'DOUBLE':
    case 'FLOAT': {
      const numbers = texts.filter((text) => decimalForm.test(text)).map(Number)
      return among(value, toDouble(value), numbers.map(String), sql`DOUBLE`, (text) => sql.double(Number(text)))
    }
    default:
      return among(value, value.sql, texts, sql`VARCHAR`, (text) => sql`CAST(${text} AS VARCHAR)`)
  }
}

function among(value: Typed, typed: Sql, texts: readonly string[], type: Sql, literal: (text: string) => Sql): Sql {
  if (texts.length === 0) return never(value)
  if (texts.length <= listedMax) return sql`(${typed} IN (${sql.join(texts.map(literal), ', ')}))`
  return sql`(${typed} IN (SELECT CAST(unnest(${textList(texts)}) AS ${type})))`
}

export function compileFilter(filter: Filter, scope: Scope): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return sql`(${sql.join(
        filter.fields.map((field) => compileFilter(field, scope)),
        filter.kind === 'and' ? ' AND ' : ' OR ',
      )})`
    case 'not':
      return sql`(NOT ${compileFilter(filter.field, scope)})`
    case 'istrue':
      return sql`(${compileFilter(filter.field, scope)} IS TRUE)`
    case 'isfalse':
      return sql`(${compileFilter(filter.field, scope)} IS FALSE)`
    case 'constant':
      return filter.value ? sql`TRUE` : sql`FALSE`
    case 'expression':
      return truthOf(compileAt(filter.path, filter.expression, scope))
    case 'columnComparison':
      return compareColumns(filter, scope)
    case 'null': {
      const value = scope.column(filter.column)
      const isNull = (one: Typed): Sql => sql`(${one.sql} IS NULL)`
      return value.isMulti ? onAnyValue(value, filter.kind, isNull) : isNull(value)
    }
    case 'containsElement': {
      const value = scope.column(filter.column)
      if (elementOf(value.type) !== null) return hasElement(value, filter)
      const constant = filter.value === null ? null : constantText(filter.value, filter.type)
      return constant === null ? sql`(${value.sql} IS NULL)` : equalsConstant(value, constant)
    }
    case 'equalsArray':
      return equalsArray(scope.column(filter.column), filter)
    case 'equals':
    case 'inType':
    case 'range':
      return onAnyValue(scope.column(filter.column), filter.kind, (one) => compileTyped(filter, one))
    default:
      return onAnyValue(scope.column(filter.dimension), filter.kind, (one) =>
        compileDimensionFilter(filter, operand(one, filter.extraction)),
      )
  }
}

function compileTyped(filter: Filter & { kind: 'equals' | 'inType' | 'range' }, value: Typed): Sql {
  if (filter.kind === 'range') return compileRange(filter, value)
  if (filter.kind === 'equals') return equalsConstant(value, constantText(filter.value, filter.type))
  return inValues(
    value,
    filter.values.map((one) => (one === null ? null : constantText(one, filter.type))),
  )
}

/** A typed constant as text: a double has a point in it, which matters where it meets a text. */
function constantText(value: Scalar, type: string): string {
  const text = String(value)
  return (type === 'DOUBLE' || type === 'FLOAT') && /^-?\d+$/.test(text) ? `${text}.0` : text
}

type DimensionFilter = Extract<Filter, { dimension: string }>

function compileDimensionFilter(filter: DimensionFilter, value: Typed): Sql {
  switch (filter.kind) {
    case 'selector':
      return filter.value === null ? sql`(${value.sql} IS NULL)` : equalsConstant(value, filter.value)
    case 'in':
      return inValues(value, filter.values)
    case 'bound':
      return compileBound(filter, value)
    case 'like':
      return likePattern(toText(value), filter.pattern, filter.escapedBy)
    case 'regex':
      return matchesPattern(toText(value), filter.pattern)
    case 'search':
      return value.type === null ? sql`CAST(NULL AS BOOLEAN)` : matchesSearch(toText(value), filter.query)
    case 'interval': {
      const ms = toLong(value)
      return bind(ms, (x) =>
        any(
          filter.intervals.map(
            ({ startMs, endMs }) => sql`(${x} >= ${sql.long(startMs)} AND ${x} < ${sql.long(endMs)})`,
          ),
        ),
      )
    }
  }
}

function compareColumns(filter: Filter & { kind: 'columnComparison' }, scope: Scope): Sql {
  const texts = filter.dimensions.map((dimension) => toText(dimensionValue(dimension, scope)))
  const first = texts[0]
  if (first === undefined || texts.length === 1) return sql`TRUE`
  return sql`(${sql.join(
    texts.slice(1).map((text) => sql`${first} IS NOT DISTINCT FROM ${text}`),
    ' AND ',
  )})`
}

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

/** Where there is no lower bound, null is below the upper one; a column of numbers compared as numbers has no such null. */
function compileBound(filter: Filter & { kind: 'bound' }, value: Typed): Sql {
  const condition = boundCondition(filter, value)
  const byNumber = filter.ordering === 'numeric' && isNumeric(value)
  return filter.lower === null && !byNumber ? sql`coalesce(${condition}, TRUE)` : condition
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

/** A number as the column's type compares with it exactly; null for no number. */
function numberLiteral(text: string, type: Typed['type']): Sql | null {
  const long = type === 'LONG' ? exactLong(text) : null
  if (long !== null) return sql.long(long)
  const number = decimalForm.test(text) ? Number(text) : Number.NaN
  return Number.isNaN(number) ? null : sql.double(number)
}

function numericBound(value: Typed, filter: Bounds<string>): Sql {
  const [lower, upper] = [filter.lower, filter.upper].map((text) =>
    text === null ? null : numberLiteral(text, value.type),
  )
  // A bound that is no number leaves nothing of a column of numbers.
  if ((filter.lower !== null && lower === null) || (filter.upper !== null && upper === null)) return never(value)
  return between(value.sql, { ...filter, lower: lower ?? null, upper: upper ?? null })
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
function compileRange(filter: Filter & { kind: 'range' }, value: Typed): Sql {
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
  return isNumeric(value)
    ? numericBound(value, bounds)
    : numericBound({ type: 'DOUBLE', sql: textToDouble(value.sql) }, bounds)
}
