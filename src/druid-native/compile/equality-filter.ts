// Filters that compare a value with constants, and the interpretation of texts as such constants.

import { disjunction, is } from '../../druid-sql/bind/logic.ts'
import { type Bound, called, engineFunction, literal } from '../../druid-sql/bind/tree.ts'
import { boolean, double, type Kind, long } from '../../druid-sql/bind/types.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainLong } from '../../model/long.ts'
import type { Scalar } from '../parse/json-reader.ts'
import type { Filter } from '../parse/query-nodes.ts'
import { textList } from '../values/text.ts'
import { asType, digitsToLong, nowhere, textToDouble, textToLong, written, writtenSql } from '../values/typed.ts'

export const decimalForm = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** The exact long of a text, as BigDecimal parses it; null if there is none. */
export function exactLong(text: string): bigint | null {
  if (/^[+-]?\d+$/.test(text)) return plainLong(text.replace('+', ''))
  const number = decimalForm.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? BigInt(number) : null
}

/** Longer lists are passed as one parameter: texts joined by a separator that none of them contains. */
const listedMax = 100

/** Up to this many texts are matched while scanning a column, so that other columns are read only for matching rows; longer lists are joined. */
const soughtMax = 16

type Constants = readonly string[] | readonly bigint[] | readonly number[]

/** Whether a value equals one of some constants of its type; unknown for null, even without constants. */
export const among = engineFunction<{ readonly constants: Constants }>(([x], { options: { constants } }) => {
  const [first] = constants
  if (first === undefined) return sql`(CASE WHEN ${x!} IS NOT NULL THEN FALSE END)`
  if (constants.length > listedMax) {
    const type = typeof first === 'string' ? sql`VARCHAR` : typeof first === 'bigint' ? sql`BIGINT` : sql`DOUBLE`
    return sql`(${x!} IN (SELECT CAST(unnest(${textList(constants.map(String))}) AS ${type})))`
  }
  const literals = sql.list(constants.map(constantSql))
  const areSought = typeof first === 'string' && constants.length > 1 && constants.length <= soughtMax
  return areSought ? sql`list_contains([${literals}], ${x!})` : sql`(${x!} IN (${literals}))`
})

function constantSql(constant: string | bigint | number): Sql {
  if (typeof constant === 'string') return sql`CAST(${constant} AS VARCHAR)`
  return typeof constant === 'bigint' ? sql.long(constant) : sql.double(constant)
}

const amongConstants = (value: Bound, constants: Constants): Bound =>
  called(nowhere, boolean, among, [value], { constants })

/** False for a value, unknown for null. */
export const never = (value: Bound): Bound => amongConstants(value, [])

/** Whether a value equals one of the texts, which are parsed as its type. */
function amongTexts(value: Bound, texts: readonly string[]): Bound {
  switch (value.type.kind) {
    case 'null':
      return literal(nowhere, boolean, null)
    case 'long':
      return amongConstants(
        value,
        texts.map(exactLong).filter((one) => one !== null),
      )
    case 'double':
    case 'float':
      return amongConstants(asType(value, double), texts.filter((text) => decimalForm.test(text)).map(Number))
    default:
      return amongConstants(value, texts)
  }
}

/** `wrapsIsTrue` adds `IS TRUE`: see `needsIsTrue` in `bind-truth.ts`. */
export const isNull = (value: Bound, wrapsIsTrue = false): Bound =>
  is(value, { what: 'NULL', negated: false, isWrittenAsTrue: wrapsIsTrue }, nowhere)

/** Converts unknown to false. */
export const isTrue = (condition: Bound): Bound =>
  is(condition, { what: 'TRUE', negated: false, isWrittenAsTrue: false }, nowhere)

const any = (conditions: readonly Bound[]): Bound =>
  conditions.length === 1 ? conditions[0]! : called(nowhere, boolean, disjunction, conditions)

/** Equality with a constant, which is parsed as the column's type. */
export const equalsText = (value: Bound, constant: string): Bound =>
  amongTexts(value.type.kind === 'json' ? asType(value, double) : value, [constant])

/** `wrapsIsTrue` applies to the test for null. */
export function amongValues(value: Bound, values: readonly (string | null)[], wrapsIsTrue: boolean): Bound {
  if (values.length === 0) return value.type.kind === 'null' ? literal(nowhere, boolean, false) : never(value)
  const texts = values.filter((one) => one !== null)
  const parts = texts.length === 0 ? [] : [amongTexts(value, texts)]
  return any(values.includes(null) ? [...parts, isNull(value, wrapsIsTrue)] : parts)
}

export function amongTyped(value: Bound, { type, values }: Filter & { kind: 'inType' }, wrapsIsTrue: boolean): Bound {
  const texts = values.map((one) => (one === null ? null : constantText(one, type)))
  const number = numberIn(value, type, new Set(texts).size > 1)
  if (number === null) return amongValues(value, texts, wrapsIsTrue)
  const found = falseWhereThere(
    amongTexts(
      number,
      texts.filter((text) => text !== null),
    ),
    value,
  )
  return texts.includes(null) ? any([found, isNull(value, wrapsIsTrue)]) : found
}

export function equalsTyped(value: Bound, constant: Scalar, type: string): Bound {
  const number = numberIn(value, type, false)
  const text = constantText(constant, type)
  return number === null ? equalsText(value, text) : falseWhereThere(equalsText(number, text), value)
}

/** Makes a condition on the number of a text false if the text is not a number; for null it stays unknown. */
export const falseWhereThere = (condition: Bound, text: Bound): Bound =>
  written(boolean, sql`coalesce(${writtenSql(condition)}, ${writtenSql(never(text))})`)

/**
 * The number of a text that is compared with numeric constants: `007` equals 7. Null if no such comparison applies. For several whole numbers
 * Druid only matches texts of digits: 1000 matches `1e3`, but 7 or 1000 does not.
 */
function numberIn(value: Bound, type: string, isAmongSeveral: boolean): Bound | null {
  if (value.type.kind !== 'string' || type === 'STRING') return null
  const text = writtenSql(value)
  if (type !== 'LONG') return written(double, textToDouble(text))
  if (isAmongSeveral) return written(long, digitsToLong(text))
  const whole = bind(text, (x) =>
    bind(textToLong(x), (one) => sql`(CASE WHEN CAST(${one} AS DOUBLE) = ${textToDouble(x)} THEN ${one} END)`),
  )
  return written(long, whole)
}

/** A typed constant as text. Doubles always have a decimal point, which matters in comparisons with texts. */
function constantText(value: Scalar, type: string): string {
  const text = String(value)
  return (type === 'DOUBLE' || type === 'FLOAT') && /^-?\d+$/.test(text) ? `${text}.0` : text
}

/** Whether a text is not a number of this type; always false for text types. */
export function isNoNumber(text: string, kind: Kind): boolean {
  if (kind === 'long') return exactLong(text) === null
  return (kind === 'double' || kind === 'float') && !decimalForm.test(text)
}
