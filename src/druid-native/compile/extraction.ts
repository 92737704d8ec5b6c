import { doubleText } from '../../druid-sql/bind/conversions.ts'
import { upperCase, utf16Units, widthOf, withoutRepeats } from '../../druid-sql/functions/text-limits.ts'
import { concatenated } from '../../druid-sql/functions/texts.ts'
import { floorToBucket, wideRange } from '../../druid-time/bucket-sql.ts'
import { formatTime, patternPieces } from '../../druid-time/format-sql.ts'
import { bind, nextName } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import type { Scope } from '../expression/compile.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { DimensionSpec, Extraction, SearchSpec } from '../parse/query-nodes.ts'
import { extractPattern, matchesPattern, matchesWhole } from '../values/patterns.ts'
import { substringOf, textList } from '../values/text.ts'
import {
  convert,
  type ElementType,
  elementOf,
  listText,
  longForm,
  longValue,
  nodeOf,
  type Typed,
  textValue,
  toDouble,
  toLong,
  toText,
  transform,
  typedNull,
  type ValueType,
} from '../values/typed.ts'

/** Converts a dimension to another type. A text becomes a LONG only if it is a whole number, also in arrays. */
function convertDimension(value: Typed, type: ValueType): Typed {
  if (value.type === 'ARRAY<STRING>' && type === 'ARRAY<LONG>')
    return { type, sql: transform(value.sql, textToWholeLong) }
  return type === 'LONG' && value.type === 'STRING' ? longValue(textToWholeLong(value.sql)) : convert(value, type)
}

const decimalForm = sql.literal('[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?')

/** Converts a text to a LONG; null if it is not a whole number: `1e3` is one, `-1.5` is not. */
function textToWholeLong(text: Sql): Sql {
  const whole = (d: Sql): Sql =>
    sql`CASE WHEN ${d} = trunc(${d}) AND abs(${d}) < 9223372036854775808 THEN CAST(${d} AS BIGINT) END`
  return bind(
    text,
    (x) => sql`CASE WHEN regexp_full_match(${x}, ${longForm}) THEN TRY_CAST(${x} AS BIGINT)
      WHEN regexp_full_match(${x}, ${decimalForm}) THEN ${bind(sql`TRY_CAST(${x} AS DOUBLE)`, whole)} END`,
  )
}

/** Whether a text matches a search. */
export function matchesSearch(text: Sql, query: SearchSpec): Sql {
  const contains = (value: string, caseSensitive: boolean): Sql =>
    caseSensitive ? sql`contains(${text}, ${value})` : sql`contains(lower(${text}), ${value.toLowerCase()})`
  switch (query.kind) {
    case 'all':
      return sql`TRUE`
    case 'contains':
      return query.value === null ? sql`FALSE` : contains(query.value, query.caseSensitive)
    case 'fragment':
      return query.values.length === 0
        ? sql`TRUE`
        : sql`(${sql.join(
            query.values.map((value) => contains(value, query.caseSensitive)),
            ' AND ',
          )})`
    case 'regex':
      return matchesPattern(text, query.pattern)
  }
}

/** Applies an extraction function to a value. */
export function extract(value: Typed, extraction: Extraction): Typed {
  switch (extraction.kind) {
    case 'identity':
      return textValue(toText(value))
    case 'upper':
      return textValue(upperCase(toText(value)))
    case 'lower':
      return textValue(sql`lower(${toText(value)})`)
    case 'strlen':
      return textValue(sql`CAST(${withoutRepeats([toText(value)], utf16Units)} AS VARCHAR)`)
    case 'substring':
      return textValue(substringOf(toText(value), extraction.index, extraction.length))
    case 'partial':
      return textValue(
        bind(toText(value), (x) => sql`CASE WHEN ${matchesPattern(x, extraction.pattern)} THEN ${x} END`),
      )
    case 'searchQuery':
      return textValue(bind(toText(value), (x) => sql`CASE WHEN ${matchesSearch(x, extraction.query)} THEN ${x} END`))
    case 'regex':
      return textValue(extractRegex(toText(value), extraction))
    case 'cascade':
      return extraction.steps.reduce(extract, value)
    case 'lookup':
      return textValue(lookUp(toText(value), extraction))
    case 'bucket':
      return textValue(bucket(value, extraction))
    case 'stringFormat':
      return textValue(formatText(toText(value), widthOf(nodeOf(value).type), extraction), Number.POSITIVE_INFINITY)
    case 'timeFormat':
      return textValue(timeText(value, extraction))
  }
}

function extractRegex(text: Sql, { pattern, index, replaceMissing, missing }: Extraction & { kind: 'regex' }): Sql {
  return bind(
    text,
    (x) =>
      sql`CASE WHEN ${matchesPattern(sql`coalesce(${x}, '')`, pattern)} THEN ${extractPattern(sql`coalesce(${x}, '')`, pattern, index)} ELSE ${replaceMissing ? sql`CAST(${missing} AS VARCHAR)` : x} END`,
  )
}

function lookUp(text: Sql, { map, retain, missing }: Extraction & { kind: 'lookup' }): Sql {
  return bind(text, (x) => {
    const otherwise = retain ? x : sql`CAST(${missing} AS VARCHAR)`
    if (map.size === 0) return otherwise
    const keys = textList([...map.keys()])
    const values = textList([...map.values()])
    return sql`coalesce(${values}[list_position(${keys}, ${x})], ${otherwise})`
  })
}

function bucket(value: Typed, { size, offset }: Extraction & { kind: 'bucket' }): Sql {
  const at = (x: Sql): Sql =>
    sql`(floor((${x} - ${sql.double(offset)}) / ${sql.double(size)}) * ${sql.double(size)} + ${sql.double(offset)})`
  return bind(
    at(toDouble(value)),
    (x) =>
      sql`CASE WHEN ${x} = trunc(${x}) AND abs(${x}) < 9e18 THEN CAST(CAST(${x} AS BIGINT) AS VARCHAR) ELSE ${doubleText(x)} END`,
  )
}

function formatText(text: Sql, width: number, { format, nulls }: Extraction & { kind: 'stringFormat' }): Sql {
  const pieces = format.split(/%(?:1\$)?s/).map((piece) => sql.literal(piece.replaceAll('%%', '%')))
  return bind(text, (x) => {
    const value =
      nulls === 'nullString' ? sql`coalesce(${x}, 'null')` : nulls === 'emptyString' ? sql`coalesce(${x}, '')` : x
    const parts = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [value, piece]))
    return concatenated(parts, format.length + pieces.length * width)
  })
}

function timeText(
  value: Typed,
  { format, zone, locale, granularity, asMillis }: Extraction & { kind: 'timeFormat' },
): Sql {
  const ms = toLong(value)
  const floored =
    granularity === null || granularity.kind === 'all' ? ms : (floorToBucket(ms, granularity, wideRange) ?? ms)
  if (asMillis && format === null) return sql`CAST(${floored} AS VARCHAR)`
  return formatTime(floored, format === null ? null : patternPieces(format), zone, locale)
}

/** Keeps the values that `keep` matches or lists, or with `listed` false those that it does not list; all others become null. */
function kept(value: Typed, keep: NonNullable<DimensionSpec['keep']>): Typed {
  return textValue(
    bind(toText(value), (x) => {
      if ('pattern' in keep) return sql`CASE WHEN ${matchesWhole(x, keep.pattern)} THEN ${x} END`
      if ('prefix' in keep) return sql`CASE WHEN starts_with(${x}, ${keep.prefix}) THEN ${x} END`
      const texts = keep.values.filter((item) => item !== null).map((item) => sql`CAST(${item} AS VARCHAR)`)
      const listed = texts.length === 0 ? sql`FALSE` : sql`${x} IN (${sql.list(texts)})`
      return sql`CASE WHEN ${keep.listed ? listed : sql`NOT (${listed})`} THEN ${x} END`
    }),
  )
}

export interface Dimension {
  readonly name: string
  /** The grouping key. */
  readonly key: Typed
  /** Computes the dimension's value from its key. */
  finish(key: Sql): Typed
}

/** A dimension whose value is its grouping key. */
const groupedBy = (name: string, key: Typed): Dimension => ({
  name,
  key,
  finish: (value) => ({ type: key.type, sql: value }),
})

/** Unnests a list into rows and returns the column with its values. */
export type Explode = (list: Sql) => Sql

/**
 * Compiles a dimension. Conversions that only change the notation of a number are applied after grouping. A multi-value column requires `explode`,
 * which makes one row of each value.
 */
export function compileDimension(spec: DimensionSpec, scope: Scope, explode: Explode | null = null): Dimension {
  const column = scope.column(spec.dimension)
  const type = spec.outputType
  const element = elementOf(column.type)
  if (element !== null && !column.isMulti) return arrayDimension(spec, element, column)
  if (element === null && elementOf(type) !== null && column.type !== null)
    throw invalidRequest(`${spec.path}.outputType`, `"${spec.dimension}" is not an array`)
  if (column.isMulti) return multiDimension(spec, column, explode)
  return scalarDimension(spec, column)
}

/** Groups by the whole array, or by its text. */
function arrayDimension(spec: DimensionSpec, element: ElementType, column: Typed): Dimension {
  const { outputType: type, outputName: name } = spec
  if (spec.extraction !== null || spec.keep !== null) throw unsupported(spec.path, 'an extraction from an array')
  if (type === 'STRING') {
    return groupedBy(name, { type, sql: bind(column.sql, (list) => listText(list, element)) })
  }
  if (elementOf(type) === null)
    throw invalidRequest(`${spec.path}.outputType`, `"${spec.dimension}" is an array: use STRING or an array type`)
  return groupedBy(name, convertDimension(column, type))
}

/** Groups by each of the values; by null if there are none. */
function multiDimension(spec: DimensionSpec, column: Typed, explode: Explode | null): Dimension {
  if (explode === null) throw unsupported(spec.path, `the multi-value column "${spec.dimension}"`)
  if (spec.outputType !== 'STRING')
    throw invalidRequest(`${spec.path}.outputType`, `"${spec.dimension}" is a multi-value column: use STRING`)
  const texts = convert(column, 'ARRAY<STRING>').sql
  if (spec.keep === null) return scalarDimension(spec, textValue(explode(texts)))
  const name = nextName()
  const keeps = kept(textValue(name), spec.keep).sql
  const some = sql`list_filter(${texts}, lambda ${name}: ${keeps} IS NOT NULL)`
  return scalarDimension({ ...spec, keep: null }, textValue(explode(some)))
}

function scalarDimension(spec: DimensionSpec, column: Typed): Dimension {
  const type = spec.outputType
  if (column.type === null && spec.extraction === null)
    return groupedBy(spec.outputName, { type, sql: typedNull(type) })
  const extracted = spec.extraction === null ? column : extract(column, spec.extraction)
  const value = spec.keep === null ? extracted : kept(extracted, spec.keep)
  // Conversions to types other than text can map different values to one, which must then be one group.
  if (type !== 'STRING') return groupedBy(spec.outputName, convertDimension(value, type))
  return { name: spec.outputName, key: value, finish: (key) => convert({ type: value.type, sql: key }, type) }
}

/** The value of a dimension outside of grouping. */
export function dimensionValue(spec: DimensionSpec, scope: Scope): Typed {
  if (elementOf(scope.column(spec.dimension).type) !== null)
    throw unsupported(spec.path, `the array "${spec.dimension}" here`)
  const { key, finish } = compileDimension(spec, scope)
  return finish(key.sql)
}
