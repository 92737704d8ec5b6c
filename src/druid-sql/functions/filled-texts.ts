// Texts that are padded to a length, or repeated.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { as, constantOf } from '../bind/conversions.ts'
import { type Bound, called, type EngineFunction, engineFunction } from '../bind/tree.ts'
import { long, string, wideString } from '../bind/types.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import { type ScalarFunction, special } from './signature.ts'
import {
  clamped,
  isFree,
  onceEach,
  pairedUnits,
  requestedCharactersMax,
  utf16Units,
  widthOf,
  withinLimit,
  withoutRepeats,
} from './text-limits.ts'

/** A text repeated up to `units` UTF-16 units; one less where the last character would be split. */
function utf16Filler(text: Sql, units: Sql): Sql {
  return bind(text, (x) =>
    bind(pairedUnits(x), (each) =>
      bind(units, (all) => {
        const fitting = sql`len(list_filter(range(1, length(${x}) + 1), lambda k: ${pairedUnits(sql`left(${x}, k)`)} <= ${all} % ${each}))`
        return sql`(repeat(${x}, ${all} // ${each}) || left(${x}, ${fitting}))`
      }),
    ),
  )
}

const pair = sql.literal(String.raw`([\x{10000}-\x{10FFFF}])`)
/** A code point that is not a character, and so occurs in no text. */
const mark = sql.literal('\uffff')
const markedPair = sql.literal('\uffff\\1')

/** The first `units` UTF-16 units of a text; one less where the last character would be split. */
const utf16Start = (text: Sql, units: Sql): Sql =>
  sql`CASE WHEN strlen(${text}) = length(${text}) THEN left(${text}, ${units})
    ELSE replace(left(regexp_replace(${text}, ${pair}, ${markedPair}, 'g'), ${units}), ${mark}, '') END`

/** Whether a text has characters of two UTF-16 units. */
const holdsPairs = (text: Sql): Sql => sql`length(${text}) <> ${pairedUnits(text)}`

/** With an empty padding Druid adds nothing; the engine would fail. */
const padding = (side: 'left' | 'right'): EngineFunction =>
  engineFunction(([text, count, padding = sql`' '`], { operands: [, , pad], type }) => {
    const known = pad && constantOf(pad)
    const mayHoldPairs = pad !== undefined && !(typeof known === 'string' && !/[\u{10000}-\u{10FFFF}]/u.test(known))
    const filled = (x: Sql, length: Sql, by: Sql): Sql => {
      const name = side === 'left' ? sql`lpad` : sql`rpad`
      const plain = sql`${name}(${x}, CAST(greatest(${clamped(length)} - (${utf16Units(x)} - length(${x})), 0) AS INTEGER), ${by})`
      if (!mayHoldPairs) return plain
      const missing = sql`(${clamped(length)} - ${utf16Units(x)})`
      const filler = utf16Filler(by, missing)
      const whole = side === 'left' ? sql`${filler} || ${x}` : sql`${x} || ${filler}`
      return sql`CASE WHEN ${holdsPairs(by)} AND ${missing} > 0 THEN ${whole} ELSE ${plain} END`
    }
    const body = (x: Sql, length: Sql, by: Sql, guard: (text: Sql) => Sql): Sql =>
      sql`CASE WHEN ${length} IS NULL OR ${x} IS NULL OR ${by} IS NULL THEN NULL WHEN ${length} < 0 THEN '' WHEN ${length} = 0 THEN NULL WHEN ${by} = '' OR ${utf16Units(x)} >= ${length} THEN ${utf16Start(x, length)}
        ELSE ${guard(filled(x, length, by))} END`
    const parts = [text!, count!, padding]
    return isFree(widthOf(type))
      ? withoutRepeats(parts, (x, length, by) => body(x, length, by, (whole) => whole))
      : onceEach(parts, (x, length, by) =>
          body(x, length, by, (whole) => withinLimit(clamped(length), requestedCharactersMax, whole)),
        )
  })

export const leftPadding = padding('left')
export const rightPadding = padding('right')

/** `parts` are a text, a length, and the padding, by default a blank. */
export const padded = (place: Place, fn: EngineFunction, parts: readonly Bound[]): Bound =>
  called(place, wideString(constantCount(parts[1]!)), fn, parts)

export const paddedText = (fn: EngineFunction): ScalarFunction =>
  special(2, 3, ({ place, operands: [text, count, padding] }) => {
    const parts = [as(text!, string), as(count!, long), ...(padding === undefined ? [] : [as(padding, string)])]
    const width = constantCount(count!)
    if (width < Number.POSITIVE_INFINITY) checkConstantLength(width, place)
    return padded(place, fn, parts)
  })

/** The value of a constant count; infinite for any other. */
function constantCount(count: Bound): number {
  const constant = constantOf(count)
  if (constant === null) return 0
  return typeof constant === 'bigint' ? Math.max(0, Number(constant)) : Number.POSITIVE_INFINITY
}

/** Refuses a text that is known to be too long before the query runs, on both engines. */
function checkConstantLength(characters: number, place: Place): void {
  if (characters > requestedCharactersMax)
    throw sqlProblem(place, `a string could become longer than ${requestedCharactersMax} characters`)
}

const repeated = engineFunction((texts, { type }) => {
  const body = (x: Sql, count: Sql, guard: (text: Sql) => Sql): Sql =>
    sql`CASE WHEN ${count} >= 1 THEN ${guard(sql`repeat(${x}, ${clamped(count)})`)} END`
  return isFree(widthOf(type))
    ? body(texts[0]!, texts[1]!, (text) => text)
    : onceEach(texts, (x, count) =>
        body(x, count, (text) => withinLimit(sql`(strlen(${x}) * ${clamped(count)})`, requestedCharactersMax, text)),
      )
})

const repeatedWidth = ([text, count]: readonly Bound[]): number => widthOf(text!.type) * constantCount(count!)

/** `parts` are a text and the number of repetitions. */
export const repeatedTimes = (place: Place, parts: readonly Bound[]): Bound =>
  called(place, wideString(repeatedWidth(parts)), repeated, parts)

export const repeatedText = special(2, 2, ({ place, operands: [text, count] }) => {
  const parts = [as(text!, string), as(count!, long)]
  if (typeof constantOf(text!) === 'string' && typeof constantOf(count!) === 'bigint')
    checkConstantLength(repeatedWidth(parts), place)
  return repeatedTimes(place, parts)
})
