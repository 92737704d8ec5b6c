// Filters as SQL conditions, in three-valued logic.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Scope } from '../expression/compile.ts'
import { truthOf } from '../expression/operators.ts'
import type { Extraction, Filter, Scalar } from '../parse/query-nodes.ts'
import { likePattern, matchesPattern } from '../values/patterns.ts'
import { textList } from '../values/text.ts'
import {
  digitsToLong,
  elementOf,
  type Typed,
  textToDouble,
  textToLong,
  textValue,
  toDouble,
  toLong,
  toText,
  writtenSql,
} from '../values/typed.ts'
import { equalsArray, hasElement, onAnyValue } from './array-filter.ts'
import { compileBound, compileRange, decimalForm, exactLong, never } from './compile-bound.ts'
import { dimensionValue, extract, matchesSearch } from './extraction.ts'
import { type FilterIndex, indexWithin, noIndex } from './filter-index.ts'
import { bindAt } from './source-rows.ts'

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

const any = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`FALSE` : sql`(${sql.join(conditions, ' OR ')})`

/** A longer list is a parameter of its own: texts put together by what none of them holds. */
const listedMax = 100

/** So few texts are looked for while a column is read, so that the others are read for rows that pass alone; more are joined. */
const soughtMax = 16

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
    default: {
      const literal = (text: string): Sql => sql`CAST(${text} AS VARCHAR)`
      if (texts.length > 1 && texts.length <= soughtMax)
        return sql`list_contains([${sql.join(texts.map(literal), ', ')}], ${value.sql})`
      return among(value, value.sql, texts, sql`VARCHAR`, literal)
    }
  }
}

function among(value: Typed, typed: Sql, texts: readonly string[], type: Sql, literal: (text: string) => Sql): Sql {
  if (texts.length === 0) return never(value)
  if (texts.length <= listedMax) return sql`(${typed} IN (${sql.join(texts.map(literal), ', ')}))`
  return sql`(${typed} IN (SELECT CAST(unnest(${textList(texts)}) AS ${type})))`
}

/** `index`: by which Druid answers this filter. `isPart`: whether it comes to the same that it is false and that it is unknown. */
export function compileFilter(filter: Filter, scope: Scope, index: FilterIndex = noIndex, isPart = true): Sql {
  const within = (field: Filter): Sql => compileFilter(field, scope, indexWithin(field, index), false)
  switch (filter.kind) {
    case 'and':
    case 'or':
      return sql`(${sql.join(
        filter.fields.map((field) => compileFilter(field, scope, index, isPart)),
        filter.kind === 'and' ? ' AND ' : ' OR ',
      )})`
    case 'not':
      return sql`(NOT ${within(filter.field)})`
    case 'istrue':
      return sql`(${within(filter.field)} IS TRUE)`
    case 'isfalse':
      return sql`(${within(filter.field)} IS FALSE)`
    default: {
      const condition = compileLeaf(filter, scope, index)
      return !isPart && condition.text.endsWith(' IS NULL)') ? sql`(${condition} IS TRUE)` : condition
    }
  }
}

function compileLeaf(
  filter: Exclude<Filter, { kind: 'and' | 'or' | 'not' | 'istrue' | 'isfalse' }>,
  scope: Scope,
  index: FilterIndex,
): Sql {
  switch (filter.kind) {
    case 'constant':
      return filter.value ? sql`TRUE` : sql`FALSE`
    case 'expression':
      return writtenSql(truthOf(bindAt(filter.path, filter.expression, scope)))
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
      return filter.value === null ? sql`(${value.sql} IS NULL)` : equalsTyped(value, filter.value, filter.type)
    }
    case 'equalsArray':
      return equalsArray(scope.column(filter.column), filter)
    case 'equals':
    case 'inType':
    case 'range':
      return onAnyValue(scope.column(filter.column), filter.kind, (one) => compileTyped(filter, one))
    case 'bound': {
      const byIndex =
        index.isIndexed(filter.dimension) && filter.ordering === 'lexicographic' && filter.extraction === null
      return onAnyValue(scope.column(filter.dimension), filter.kind, (one) =>
        compileBound(filter, operand(one, filter.extraction), byIndex),
      )
    }
    default:
      return onAnyValue(scope.column(filter.dimension), filter.kind, (one) =>
        compileDimensionFilter(filter, operand(one, filter.extraction), scope.isFinished ?? false),
      )
  }
}

function compileTyped(filter: Filter & { kind: 'equals' | 'inType' | 'range' }, value: Typed): Sql {
  if (filter.kind === 'range') return compileRange(filter, value)
  if (filter.kind === 'equals') return equalsTyped(value, filter.value, filter.type)
  const texts = filter.values.map((one) => (one === null ? null : constantText(one, filter.type)))
  const number = numberIn(value, filter.type, new Set(texts).size > 1)
  if (number === null) return inValues(value, texts)
  const numbers = texts.filter((text) => text !== null)
  const isNull = numbers.length < texts.length ? [sql`(${value.sql} IS NULL)`] : []
  return any([sql`coalesce(${amongTexts(number, numbers)}, ${never(value)})`, ...isNull])
}

function equalsTyped(value: Typed, constant: Scalar, type: string): Sql {
  const number = numberIn(value, type, false)
  const text = constantText(constant, type)
  return number === null ? equalsConstant(value, text) : sql`coalesce(${equalsConstant(number, text)}, ${never(value)})`
}

/**
 * The number that a text stands for where it is compared with numbers: `007` is equal to 7. Null where none is compared. Among several whole
 * numbers Druid looks for texts of digits alone: 1000 is found in `1e3`, and 7 or 1000 is not.
 */
function numberIn(value: Typed, type: string, isAmongSeveral: boolean): Typed | null {
  if (value.type !== 'STRING' || type === 'STRING') return null
  if (type !== 'LONG') return { type: 'DOUBLE', sql: textToDouble(value.sql) }
  if (isAmongSeveral) return { type: 'LONG', sql: digitsToLong(value.sql) }
  const whole = bind(value.sql, (text) =>
    bind(textToLong(text), (long) => sql`(CASE WHEN CAST(${long} AS DOUBLE) = ${textToDouble(text)} THEN ${long} END)`),
  )
  return { type: 'LONG', sql: whole }
}

/** A typed constant as text: a double has a point in it, which matters where it meets a text. */
export function constantText(value: Scalar, type: string): string {
  const text = String(value)
  return (type === 'DOUBLE' || type === 'FLOAT') && /^-?\d+$/.test(text) ? `${text}.0` : text
}

/** Whether a text is no number of the type; of texts none is. */
function isNoNumber(text: string, type: Typed['type']): boolean {
  if (type === 'LONG') return exactLong(text) === null
  return (type === 'DOUBLE' || type === 'FLOAT') && !decimalForm.test(text)
}

type DimensionFilter = Exclude<Extract<Filter, { dimension: string }>, { kind: 'bound' }>

function compileDimensionFilter(filter: DimensionFilter, value: Typed, isFinished: boolean): Sql {
  switch (filter.kind) {
    case 'selector': {
      const findsNull = filter.value === null || (isFinished && isNoNumber(filter.value, value.type))
      return findsNull ? sql`(${value.sql} IS NULL)` : equalsConstant(value, filter.value)
    }
    case 'in':
      return inValues(value, filter.values)
    case 'like':
      return likePattern(toText(value), filter.pattern, filter.escapedBy)
    case 'regex':
      return matchesPattern(toText(value), filter.pattern)
    case 'search':
      return value.type === null
        ? sql`CAST(NULL AS BOOLEAN)`
        : bind(toText(value), (x) => sql`CASE WHEN ${x} IS NOT NULL THEN ${matchesSearch(x, filter.query)} END`)
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
  const same = texts.slice(1).map((text) => sql`${first} IS NOT DISTINCT FROM ${text}`)
  return sql`((${sql.join(same, ' AND ')}) IS TRUE)`
}
