import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { as, asPlainNumber, constantOf } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { type Bound, called, engineFunction } from '../bind/tree.ts'
import { arrayOf, boolean, long, type SqlType, string, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { asText, type BoundCall, type Catalogue, type ScalarFunction, special } from './signature.ts'
import { joinedBytesMax, onceEach, withinLimit, withoutRepeats } from './text-limits.ts'
import { javaPattern, matchable, type PatternOptions, patternOf } from './texts.ts'
import { unifiedType } from './unified.ts'

function arrayOperand(call: BoundCall, index = 0): { readonly array: Bound; readonly element: SqlType } {
  const operand = call.operands[index]!
  if (operand.type.kind === 'array') return { array: operand, element: operand.type.element }
  if (operand.type.kind === 'null') return { array: as(operand, arrayOf(string)), element: string }
  throw sqlProblem(
    operand.place,
    `operand ${index + 1} of ${call.name} must be an array, not a value of type ${typeName(operand.type)}`,
  )
}

/** A function of an array and a value of its element type. */
function withElement(
  result: (element: SqlType) => SqlType,
  render: (array: Sql, value: Sql) => Sql,
  valueFirst = false,
): ScalarFunction {
  const fn = engineFunction((operands) => withoutRepeats(operands, render))
  return special(2, 2, (call) => {
    const { array, element } = arrayOperand(call, valueFirst ? 1 : 0)
    const value = as(call.operands[valueFirst ? 0 : 1]!, element)
    return called(call.place, result(element), fn, [array, value])
  })
}

/** A function of an array and a whole number. */
function at(render: (array: Sql, index: Sql) => Sql): ScalarFunction {
  const fn = engineFunction((operands) => withoutRepeats(operands, render))
  return special(2, 2, (call) => {
    const { array, element } = arrayOperand(call)
    return called(call.place, element, fn, [array, as(call.operands[1]!, long)])
  })
}

/** `[x]`. */
const arrayOfOne = engineFunction(([x]) => sql`[${x!}]`)

function ofTwo(result: (element: SqlType) => SqlType, render: (a: Sql, b: Sql) => Sql): ScalarFunction {
  const fn = engineFunction((operands) => withoutRepeats(operands, render))
  return special(2, 2, (call) => {
    const a = arrayOperand(call, 0).array
    // A single value counts as an array of one.
    const other = call.operands[1]!
    const b =
      other.type.kind === 'array' ? other : called(other.place, a.type, arrayOfOne, [as(other, arrayElement(a))])
    const type = unifiedType([a, b])
    const element = type.kind === 'array' ? type.element : string
    return called(call.place, result(element), fn, [as(a, type), as(b, type)])
  })
}

function arrayElement({ type }: Bound): SqlType {
  return type.kind === 'array' ? type.element : string
}

/** The engine requires the separator to be a constant. */
const joinedElements = engineFunction(([texts, by]) =>
  onceEach([texts!], (list) => {
    const shown = sql`list_transform(${list}, lambda e: coalesce(e, 'null'))`
    const bytes = sql`(coalesce(list_sum(list_transform(${shown}, lambda e: strlen(e))), 0) + len(${list}) * strlen(${by!}))`
    const joined = withinLimit(bytes, joinedBytesMax, sql`array_to_string(${shown}, ${by!})`)
    // Druid returns null for an array with a single null.
    return sql`CASE WHEN len(${list}) = 1 AND ${list}[1] IS NULL THEN NULL ELSE ${joined} END`
  }),
)

const arrayToText = special(2, 3, (call) => {
  const texts = as(asPlainNumber(arrayOperand(call).array), arrayOf(string))
  return called(call.place, string, joinedElements, [texts, as(call.operands[1]!, string)])
})

const length = engineFunction(([list]) => sql`len(${list!})`)
const arrayLength = special(1, 1, (call) => called(call.place, long, length, [arrayOperand(call).array]))

/** The most elements of an array made by ARRAY_SLICE. */
const slicedMax = 10_000

/** Elements beyond the end are null, and an invalid slice is null. Without `to`, it extends to the end. */
function slicePart(list: Sql, from: Sql, to = sql`len(${list})`): Sql {
  const part = sql`list_resize(${list}[${from} + 1:${to}], ${to} - ${from})`
  return sql`CASE WHEN ${list} IS NULL OR ${from} < 0 OR ${from} > len(${list}) OR ${from} > ${to} THEN NULL
    WHEN ${to} - ${from} > ${plainInteger(slicedMax)} THEN ${failing(`an array would have more than ${slicedMax} elements`)} ELSE ${part} END`
}

const slice = engineFunction((texts) =>
  withoutRepeats(texts, (list, from, until) => slicePart(sql`(${list})`, sql`(${from})`, until && sql`(${until})`)),
)

const arraySlice = special(2, 3, (call) => {
  const { array } = arrayOperand(call)
  const ends = call.operands.slice(1).map((operand) => as(operand, long))
  return called(call.place, array.type, slice, [array, ...ends])
})

/** Empty pieces at the end are dropped. */
const split = engineFunction((texts) =>
  withoutRepeats(
    texts,
    (x, by) => sql`CASE WHEN length(${by}) <> 1 OR ${x} = '' THEN string_split(${x}, ${by})
        WHEN rtrim(${x}, ${by}) = '' THEN CAST([] AS VARCHAR[]) ELSE string_split(rtrim(${x}, ${by}), ${by}) END`,
  ),
)

const splitByPattern = engineFunction<PatternOptions>(([x], { operands: [text], options }) =>
  splitText(matchable(x!, text!.type, options.pattern), javaPattern(options).re2),
)

/** A constant separator is a regular expression, as in Druid. */
const textToArray = special(2, 2, (call) => {
  const [text, separator] = [asText(call.operands[0]!), as(call.operands[1]!, string)]
  const known = constantOf(call.operands[1]!)
  if (typeof known !== 'string' || /^[^\\^$.|?*+()[\]{}]?$/.test(known))
    return called(call.place, arrayOf(string), split, [text, separator])
  if (!splitsAlike(known))
    throw sqlProblem(separator.place, `${call.name} does not accept a pattern that matches an empty string`)
  return called(call.place, arrayOf(string), splitByPattern, [text], patternOf(call))
})

/** In Druid a null element counts like any other; the engine skips it. A null in place of the array to look for means a null element. */
const hasNull = (array: Sql): Sql => sql`(list_count(${array}) < len(${array}))`

export const arrays: Catalogue = {
  ARRAY_LENGTH: arrayLength,
  CARDINALITY: arrayLength,
  MV_LENGTH: arrayLength,
  ARRAY_OFFSET: at((array, index) => sql`CASE WHEN ${index} BETWEEN 0 AND 2147483646 THEN ${array}[${index} + 1] END`),
  ARRAY_ORDINAL: at((array, index) => sql`CASE WHEN ${index} >= 1 THEN ${array}[${index}] END`),
  ARRAY_CONTAINS: ofTwo(
    () => boolean,
    (a, b) =>
      sql`CASE WHEN ${b} IS NULL THEN ${hasNull(a)} ELSE list_has_all(${a}, ${b}) AND (NOT ${hasNull(b)} OR ${hasNull(a)}) END`,
  ),
  ARRAY_OVERLAP: ofTwo(
    () => boolean,
    (a, b) =>
      sql`CASE WHEN ${b} IS NULL AND ${a} IS NOT NULL THEN FALSE ELSE list_has_any(${a}, ${b}) OR (${hasNull(a)} AND ${hasNull(b)}) END`,
  ),
  SCALAR_IN_ARRAY: withElement(
    () => boolean,
    (array, value) =>
      sql`CASE WHEN ${value} IS NOT NULL THEN list_contains(${array}, ${value}) WHEN list_count(${array}) < len(${array}) THEN TRUE END`,
    true,
  ),
  ARRAY_OFFSET_OF: withElement(
    () => long,
    (array, value) => sql`(CAST(list_position(${array}, ${value}) AS BIGINT) - 1)`,
  ),
  ARRAY_ORDINAL_OF: withElement(
    () => long,
    (array, value) => sql`CAST(list_position(${array}, ${value}) AS BIGINT)`,
  ),
  // A null array stays null: list_append would make an array of it.
  ARRAY_APPEND: withElement(arrayOf, (array, value) => sql`(${array} || [${value}])`),
  ARRAY_PREPEND: withElement(arrayOf, (array, value) => sql`([${value}] || ${array})`, true),
  ARRAY_CONCAT: ofTwo(arrayOf, (a, b) => sql`(${a} || ${b})`),
  ARRAY_SLICE: arraySlice,
  ARRAY_TO_STRING: arrayToText,
  STRING_TO_ARRAY: textToArray,
}

/** Patterns that split a text into its characters. */
const emptyPatterns = ['', '|']

/** Whether RE2 splits by a pattern at the same places as Java. It does not if the pattern also matches an empty text. */
export function splitsAlike(pattern: string): boolean {
  if (emptyPatterns.includes(pattern)) return true
  try {
    return !new RegExp(pattern).test('')
  } catch {
    return true
  }
}

/** Splits a text at the matches of a pattern, without empty texts at the end, as Java does. */
export function splitText(text: Sql, pattern: string): Sql {
  const trailing = (p: Sql): Sql =>
    sql`(coalesce(list_position(list_reverse(list_transform(${p}, lambda e: e <> '')), TRUE), len(${p}) + 1) - 1)`
  const parts = (p: Sql): Sql => sql`CASE WHEN len(${p}) = 1 THEN ${p} ELSE ${p}[1 : len(${p}) - ${trailing(p)}] END`
  return bind(sql`string_split_regex(${text}, ${sql.literal(pattern)})`, parts)
}
