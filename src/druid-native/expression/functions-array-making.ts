// Functions that return arrays.

import { splitsAlike, splitText } from '../../druid-sql/functions/arrays.ts'
import { javaPattern } from '../../druid-sql/functions/texts.ts'
import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { isBrokenPattern, isPortablePattern } from '../values/patterns.ts'
import { convert, nodeOf, nullValue, type Typed, toLong, toText } from '../values/typed.ts'
import { arrayFrom, arrayOf, arrayValue, asElement, boundedLength, hasNull } from './arrays.ts'
import { type Call, type ExpressionFunction, type FunctionTable, many } from './call.ts'
import { commonType } from './functions-conditional.ts'

function makeArray(args: readonly Typed[]): Typed {
  const values = args.map(asElement)
  const kind = commonType(values.map(nodeOf))?.kind ?? 'long'
  return arrayFrom(kind === 'string' ? 'STRING' : kind === 'long' ? 'LONG' : 'DOUBLE', values)
}

/** Adds an element to an array; null if the array is null. */
const adding = (at: 0 | 1, add: (list: Sql, item: Sql) => Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: (args) => {
    const array = arrayOf(args[at]!)
    if (array === null) return nullValue
    const body = (list: Sql): Sql =>
      sql`CASE WHEN ${list} IS NOT NULL THEN ${boundedLength(sql`len(${list})`, add(list, convert(args[1 - at]!, array.element).sql))} END`
    return arrayValue(array.element, bind(array.sql, body))
  },
})

/** Merges two arrays of one type; null if either is null. */
const merging = (merge: (a: Sql, b: Sql) => Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: ([left, right], call) => {
    const [a, b] = [arrayOf(left!), arrayOf(right!)]
    if (a === null || b === null) return nullValue
    if (a.element !== b.element)
      return call.unsupported(`a combination of arrays of different types (${a.element} and ${b.element})`)
    const both = (x: Sql, y: Sql): Sql =>
      sql`CASE WHEN ${x} IS NOT NULL AND ${y} IS NOT NULL THEN ${boundedLength(sql`len(${x}) + len(${y})`, merge(x, y))} END`
    return arrayValue(a.element, bind2(a.sql, b.sql, both))
  },
})

/** Sorts and removes duplicates, null first. */
const asSet = (list: Sql): Sql =>
  bind(
    list,
    (x) =>
      sql`CASE WHEN ${hasNull(x)} THEN list_prepend(NULL, list_sort(list_distinct(${x}))) ELSE list_sort(list_distinct(${x})) END`,
  )

/** Elements from start to end (exclusive), with nulls for those beyond the array; null if start or end is invalid. */
function slice([array, from, until]: readonly Typed[]): Typed {
  const list = arrayOf(array!)
  if (list === null) return nullValue
  const body = (x: Sql): Sql => {
    const start = sql`coalesce(${toLong(from!)}, 0)`
    const end = until === undefined ? sql`len(${x})` : sql`coalesce(${toLong(until)}, 0)`
    const part = (s: Sql, e: Sql): Sql =>
      sql`CASE WHEN ${x} IS NULL OR ${s} < 0 OR ${s} > len(${x}) OR ${s} > ${e} THEN NULL
        ELSE ${boundedLength(sql`${e} - ${s}`, sql`list_resize(${x}[${s} + 1 : ${e}], least(${e} - ${s}, 1000000))`)} END`
    return bind2(start, end, part)
  }
  return arrayValue(list.element, bind(list.sql, body))
}

/** Splits a text at the matches of a constant pattern. */
function split([text]: readonly Typed[], call: Call): Typed {
  const literal = call.literal(1)
  if (literal === undefined) return call.unsupported('a pattern that is not a constant')
  const pattern = String(literal ?? '')
  if (isBrokenPattern(pattern)) return call.refuse(`"${pattern}" is not a regular expression`)
  if (!isPortablePattern(pattern) || !splitsAlike(pattern))
    return call.unsupported(
      'a pattern with look-around, back-references or possessive quantifiers, or one that matches an empty string,',
    )
  return arrayValue('STRING', splitText(toText(text!), javaPattern({ pattern }).re2))
}

const asTexts = (value: Typed): Typed => (value.type === null ? nullValue : convert(value, 'ARRAY<STRING>'))

export const arrayMakingFunctions = {
  array: { args: [1, many], compile: makeArray },
  array_append: adding(0, (list, item) => sql`list_append(${list}, ${item})`),
  array_prepend: adding(1, (list, item) => sql`list_prepend(${item}, ${list})`),
  array_concat: merging((a, b) => sql`list_concat(${a}, ${b})`),
  array_set_add: adding(0, (list, item) => asSet(sql`list_append(${list}, ${item})`)),
  array_set_add_all: merging((a, b) => asSet(sql`list_concat(${a}, ${b})`)),
  array_slice: { args: [2, 3], compile: slice },
  string_to_array: { args: [2, 2], compile: split },
  array_to_mv: { args: [1, 1], compile: ([value]) => asTexts(value!) },
  mv_to_array: {
    args: [1, 1],
    compile: ([value], call) => (call.isColumn(0) ? asTexts(value!) : call.refuse('the argument must be a column')),
  },
  mv_harmonize_nulls: {
    args: [1, 1],
    compile: ([value]) => {
      const none = sql`CAST([NULL] AS VARCHAR[])`
      if (value!.type === null) return arrayValue('STRING', none)
      return arrayValue(
        'STRING',
        bind(asTexts(value!).sql, (x) => sql`CASE WHEN len(${x}) > 0 THEN ${x} ELSE ${none} END`),
      )
    },
  },
} as const satisfies FunctionTable
