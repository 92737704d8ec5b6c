// Functions that query arrays.

import { joinedBytesMax, withinLimit } from '../../druid-sql/functions/text-limits.ts'
import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import {
  convert,
  longValue,
  nullValue,
  type Typed,
  textValue,
  toDouble,
  toLong,
  toText,
  transform,
  truthValue,
  typedNull,
} from '../values/typed.ts'
import { type ArrayOf, arrayOf, elementValue, hasNull, positionIn, quantileOf } from './arrays.ts'
import type { Call, ExpressionFunction, FunctionTable } from './call.ts'

const two = (compile: (array: ArrayOf, other: Typed, call: Call) => Typed): ExpressionFunction => ({
  args: [2, 2],
  compile: ([array, other], call) => {
    const list = arrayOf(array!)
    return list === null ? nullValue : compile(list, other!, call)
  },
})

/** The element at an index that starts at 0 or 1. A null index counts as 0; an index out of range returns null. */
const elementAt = (first: 0 | 1): ExpressionFunction =>
  two(({ element, sql: list }, index) => {
    const body = (at: Sql): Sql => sql`CASE WHEN ${at} > 0 THEN ${list}[${at}] END`
    return elementValue(element, bind(sql`(coalesce(${toLong(index)}, 0) + ${sql.long(1 - first)})`, body))
  })

/** The index of the first element equal to the value; types must match. */
const indexOf = (first: 0 | 1): ExpressionFunction =>
  two(({ element, sql: list }, value) => {
    const item =
      value.type === null || value.type === element
        ? sql`${positionIn(list, value.type === null ? typedNull(element) : value.sql)}`
        : sql`CASE WHEN ${value.sql} IS NULL THEN ${positionIn(list, typedNull(element))} ELSE 0 END`
    return longValue(
      bind(item, (at) => sql`CASE WHEN ${at} > 0 THEN CAST(${at} AS BIGINT) - ${sql.long(1 - first)} END`),
    )
  })

/** Whether the array contains a value, or all values of another array, converted to the array's type. */
const contains = two((array, other) =>
  truthValue(
    bind(array.sql, (list) => {
      const has = other.type?.startsWith('ARRAY') ? hasAll(list, array, other) : hasOne(list, array, other)
      return sql`CASE WHEN ${list} IS NOT NULL THEN ${has} END`
    }),
  ),
)

function hasOne(list: Sql, array: ArrayOf, value: Typed): Sql {
  const found = sql`${positionIn(list, convert(value, array.element).sql)} > 0`
  if (value.type === null || value.type === array.element) return found
  // Unlike null, a value that the array's type cannot represent is not in it.
  return sql`CASE WHEN ${value.sql} IS NOT NULL AND ${convert(value, array.element).sql} IS NULL THEN FALSE ELSE ${found} END`
}

function hasAll(list: Sql, array: ArrayOf, other: Typed): Sql {
  const missing = sql`list_filter(${convert(other, `ARRAY<${array.element}>`).sql}, lambda e: ${positionIn(list, sql`e`)} = 0)`
  return sql`CASE WHEN ${other.sql} IS NULL THEN ${hasNull(list)} ELSE len(${missing}) = 0 END`
}

const overlap = two((array, other) => {
  const others = arrayOf(other)
  const body = (list: Sql): Sql => {
    if (others === null) return sql`CASE WHEN ${list} IS NOT NULL THEN FALSE END`
    const converted = convert({ type: `ARRAY<${others.element}>`, sql: others.sql }, `ARRAY<${array.element}>`).sql
    const shared = sql`list_filter(${converted}, lambda e: ${positionIn(list, sql`e`)} > 0)`
    return sql`CASE WHEN ${list} IS NOT NULL THEN coalesce(len(${shared}) > 0, FALSE) END`
  }
  return truthValue(bind(array.sql, body))
})

/** Whether a value is exactly in an array: 2.5 is not in [2]. */
function scalarInArray([value, array]: readonly Typed[]): Typed {
  const list = arrayOf(array!)
  if (list === null) return nullValue
  const one = value!.type === null ? null : arrayOf(value!)!
  const asDoubles = one !== null && list.element !== 'STRING' && one.element !== list.element
  const all = asDoubles ? convert({ type: `ARRAY<${list.element}>`, sql: list.sql }, 'ARRAY<DOUBLE>').sql : list.sql
  const item = asDoubles ? toDouble(value!) : convert(value!, list.element).sql
  return truthValue(
    bind2(
      all,
      item,
      (
        x,
        e,
      ) => sql`CASE WHEN ${x} IS NULL THEN NULL WHEN ${value!.sql} IS NULL THEN CASE WHEN ${hasNull(x)} THEN TRUE END
        WHEN ${e} IS NULL THEN FALSE ELSE ${positionIn(x, e)} > 0 END`,
    ),
  )
}

/** Joins the elements' texts. A null element is written as "null", but an array of a single null yields null. */
const joined = two(({ element, sql: list }, between, call) => {
  const texts = (x: Sql): Sql => transform(x, (item) => sql`coalesce(${toText(elementValue(element, item))}, 'null')`)
  const items = bind(list, (x) => sql`CASE WHEN len(${x}) <> 1 OR ${x}[1] IS NOT NULL THEN ${texts(x)} END`)
  const literal = call.literal(1)
  const withinJoinedLimit = (x: Sql, separator: Sql, whole: Sql): Sql =>
    withinLimit(
      sql`(coalesce(list_sum(list_transform(${x}, lambda e: strlen(e))), 0) + len(${x}) * strlen(${separator}))`,
      joinedBytesMax,
      whole,
    )
  if (literal === null || typeof literal === 'string') {
    const separator = sql.literal(literal ?? '')
    const join = (x: Sql): Sql => withinJoinedLimit(x, separator, sql`array_to_string(${x}, ${separator})`)
    return textValue(bind(items, join), Number.POSITIVE_INFINITY)
  }
  // The engine only joins with constant separators, so each element is preceded by the separator.
  const join = (x: Sql, s: Sql): Sql =>
    withinJoinedLimit(x, s, sql`array_to_string(flatten(${transform(x, (item) => sql`[${s}, ${item}]`)})[2:], '')`)
  return textValue(bind2(items, sql`coalesce(${toText(between)}, '')`, join), Number.POSITIVE_INFINITY)
})

export const arrayFunctions = {
  array_length: {
    args: [1, 1],
    compile: ([array]) => {
      const list = arrayOf(array!)
      return list === null ? nullValue : longValue(sql`CAST(len(${list.sql}) AS BIGINT)`)
    },
  },
  array_offset: elementAt(0),
  array_ordinal: elementAt(1),
  array_offset_of: indexOf(0),
  array_ordinal_of: indexOf(1),
  array_contains: contains,
  array_overlap: overlap,
  scalar_in_array: { args: [2, 2], compile: scalarInArray },
  array_to_string: joined,
  array_quantile: two((array, rank) => (array.element === 'STRING' ? nullValue : quantileOf(array, toDouble(rank)))),
} as const satisfies FunctionTable
