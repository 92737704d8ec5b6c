import { splitsAlike, splitText } from '../../druid-patterns/split-text.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { type Bound, combine } from '../bind/bound.ts'
import { as, asPlainNumber } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { arrayOf, boolean, long, type SqlType, string, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { asText, type BoundCall, type Catalogue, type ScalarFunction, special } from './signature.ts'
import { inRoom, joinedBytesMax, onceEach, withoutRepeats } from './text-room.ts'
import { matchable, patternOf } from './texts.ts'
import { unified } from './unified.ts'

function arrayOperand(call: BoundCall, index = 0): { readonly array: Bound; readonly element: SqlType } {
  const operand = call.operands[index]!
  if (operand.type.kind === 'array') return { array: operand, element: operand.type.element }
  if (operand.type.kind === 'null') return { array: as(operand, arrayOf(string)), element: string }
  throw sqlProblem(
    operand.place,
    `operand ${index + 1} of ${call.name} must be an array, not a value of type ${typeName(operand.type)}`,
  )
}

/** A function of an array and a value of its type. */
function withElement(
  result: (element: SqlType) => SqlType,
  render: (array: Sql, value: Sql) => Sql,
  valueFirst = false,
): ScalarFunction {
  return special(2, 2, (call) => {
    const { array, element } = arrayOperand(call, valueFirst ? 1 : 0)
    const value = as(call.operands[valueFirst ? 0 : 1]!, element)
    return combine(call.place, result(element), withoutRepeats([array.sql, value.sql], render), [array, value])
  })
}

/** A function of an array and a whole number. */
function at(render: (array: Sql, index: Sql) => Sql): ScalarFunction {
  return special(2, 2, (call) => {
    const { array, element } = arrayOperand(call)
    const index = as(call.operands[1]!, long)
    return combine(call.place, element, withoutRepeats([array.sql, index.sql], render), [array, index])
  })
}

function ofTwo(result: (element: SqlType) => SqlType, render: (a: Sql, b: Sql) => Sql): ScalarFunction {
  return special(2, 2, (call) => {
    const a = arrayOperand(call, 0).array
    // A single value counts as an array of one.
    const other = call.operands[1]!
    const b =
      other.type.kind === 'array'
        ? other
        : { ...as(other, arrayElement(a)), type: a.type, sql: sql`[${as(other, arrayElement(a)).sql}]` }
    const { operands, type } = unified([a, b])
    const element = type.kind === 'array' ? type.element : string
    const [left, right] = [operands[0]!.sql, operands[1]!.sql]
    return combine(call.place, result(element), withoutRepeats([left, right], render), operands)
  })
}

function arrayElement({ type }: Bound): SqlType {
  return type.kind === 'array' ? type.element : string
}

const arrayToText = special(2, 3, (call) => {
  const { array } = arrayOperand(call)
  const texts = as(asPlainNumber(array), arrayOf(string))
  const separator = as(call.operands[1]!, string)
  // The engine wants a separator that is known.
  const by = separator.sql
  const whole = onceEach([texts.sql], (list) => {
    const shown = sql`list_transform(${list}, lambda e: coalesce(e, 'null'))`
    const bytes = sql`(coalesce(list_sum(list_transform(${shown}, lambda e: strlen(e))), 0) + len(${list}) * strlen(${by}))`
    const joined = inRoom(bytes, joinedBytesMax, sql`array_to_string(${shown}, ${by})`)
    // To Druid a null by itself is no text.
    return sql`CASE WHEN len(${list}) = 1 AND ${list}[1] IS NULL THEN NULL ELSE ${joined} END`
  })
  return combine(call.place, string, whole, [texts, separator])
})

const arrayLength = special(1, 1, (call) => {
  const { array } = arrayOperand(call)
  return combine(call.place, long, sql`len(${array.sql})`, [array])
})

/** Elements of an array that is made by ARRAY_SLICE. */
const slicedMax = 10_000

/** Operands as short as these are written several times, which takes less time than a lambda. */
const repeatedTextMax = 64

/** What is beyond the end is null, and a slice of no meaning is none. Without `until`, all from `from` on. */
function slicePart(list: Sql, from: Sql, until: Sql | null): Sql {
  const to = until ?? sql`len(${list})`
  const part = sql`list_resize(${list}[${from} + 1:${to}], ${to} - ${from})`
  return sql`CASE WHEN ${list} IS NULL OR ${from} < 0 OR ${from} > len(${list}) OR ${from} > ${to} THEN NULL
    WHEN ${to} - ${from} > ${plainInteger(slicedMax)} THEN ${failing(`an array would have more than ${slicedMax} elements`)} ELSE ${part} END`
}

const arraySlice = special(2, 3, (call) => {
  const { array } = arrayOperand(call)
  const start = as(call.operands[1]!, long)
  const end = call.operands[2] === undefined ? null : as(call.operands[2], long)
  const parts = [array.sql, start.sql, end === null ? sql`NULL::BIGINT` : end.sql]
  const slice = parts.every(({ text }) => text.length <= repeatedTextMax)
    ? slicePart(sql`(${parts[0]!})`, sql`(${parts[1]!})`, end === null ? null : sql`(${parts[2]!})`)
    : onceEach(parts, (list, from, until) => slicePart(list, from, end === null ? null : until))
  return combine(call.place, array.type, slice, end === null ? [array, start] : [array, start, end])
})

/** Empty pieces at the end are left out. A separator that is known is a regular expression, as in Druid. */
const textToArray = special(2, 2, (call) => {
  const [text, separator] = [asText(call.operands[0]!), as(call.operands[1]!, string)]
  const known = call.operands[1]!.constant
  if (typeof known !== 'string' || /^[^\\^$.|?*+()[\]{}]?$/.test(known)) {
    const parts = withoutRepeats(
      [text.sql, separator.sql],
      (x, by) => sql`CASE WHEN length(${by}) <> 1 OR ${x} = '' THEN string_split(${x}, ${by})
        WHEN rtrim(${x}, ${by}) = '' THEN CAST([] AS VARCHAR[]) ELSE string_split(rtrim(${x}, ${by}), ${by}) END`,
    )
    return combine(call.place, arrayOf(string), parts, [text, separator])
  }
  if (!splitsAlike(known)) throw sqlProblem(separator.place, `${call.name} takes no pattern that matches nothing`)
  const parts = splitText(matchable(text, known), patternOf(call).re2)
  return combine(call.place, arrayOf(string), parts, [text])
})

/** A null in an array is an element as any other, which the engine passes over. In place of an array to look for, null is such an element. */
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
  // Where there is no array, there is none with one element more: list_append would make one.
  ARRAY_APPEND: withElement(arrayOf, (array, value) => sql`(${array} || [${value}])`),
  ARRAY_PREPEND: withElement(arrayOf, (array, value) => sql`([${value}] || ${array})`, true),
  ARRAY_CONCAT: ofTwo(arrayOf, (a, b) => sql`(${a} || ${b})`),
  ARRAY_SLICE: arraySlice,
  ARRAY_TO_STRING: arrayToText,
  STRING_TO_ARRAY: textToArray,
}
