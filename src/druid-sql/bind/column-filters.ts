// Comparisons of columns with constants in conditions that select rows. Druid makes filters of them, and ignores what the columns are cast to.
// A text equals a number that it represents (`007` equals 7, `-1.5` does not equal -1). Any other text is unequal to all numbers, and less.
// A number equals a text that represents it (`CAST(n AS VARCHAR) = '02'`).

import { type ComparisonOperator, swapped } from '../../lib/comparison-operator.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Place } from '../parse/sql-problem.ts'
import { castText, constantOf, numberForm } from './conversions.ts'
import { doubleLiteral } from './engine-names.ts'
import { conjunction, not } from './logic.ts'
import {
  type Bound,
  type ConstantValue,
  called,
  type EngineFunction,
  engineFunction,
  type StoredColumn,
} from './tree.ts'
import { boolean, type SqlType, string } from './types.ts'

type Constant = string | number | bigint

/** A condition that is null where the column is. Null unless the operands are a column and a constant of which Druid makes a filter. */
export function comparedColumn(left: Bound, operator: ComparisonOperator, right: Bound, place: Place): Bound | null {
  return (
    truthOfText(left, operator, right, place) ??
    comparedWith(left, operator, right, place) ??
    comparedWith(right, swapped[operator], left, place)
  )
}

const filter = (place: Place, fn: EngineFunction<null>, operand: Bound): Bound => called(place, boolean, fn, [operand])

/** A text compared with TRUE or FALSE: only `true`, in any case, is true. */
function truthOfText(left: Bound, operator: ComparisonOperator, right: Bound, place: Place): Bound | null {
  const [text, other] = left.type.kind === 'string' ? [left, right] : [right, left]
  const constant = constantOf(other)
  if (text.type.kind !== 'string' || constantOf(text) !== undefined || typeof constant !== 'boolean') return null
  if (operator !== '=' && operator !== '<>') return null
  const isTrue = filter(place, trueText, text)
  return (operator === '=') === constant ? isTrue : not(isTrue, place)
}

const trueText = engineFunction(([text]) => sql`(lower(${text!}) = 'true')`)
const positive = engineFunction(([x]) => sql`(${x!} > 0::DOUBLE)`)
const trueWhereThere = engineFunction(([text]) => sql`(CASE WHEN ${text!} IS NOT NULL THEN TRUE END)`)
const trueOrUnknown = engineFunction(([condition]) => sql`(CASE WHEN ${condition!} THEN TRUE END)`)

/** Every text that is not null is either true or not true. */
function amongTruths(text: Bound, truths: ReadonlySet<ConstantValue | undefined>, place: Place): Bound | null {
  if (truths.size === 2) return filter(place, trueWhereThere, text)
  if (truths.size === 0) return null
  const isTrue = filter(place, trueText, text)
  return truths.has(true) ? isTrue : not(isTrue, place)
}

/** Whether a value is true in a condition that selects rows. Elsewhere numbers are truncated and texts read as numbers. Null if both are the same. */
export function isTrueWhereChosen(value: Bound, place: Place): Bound | null {
  if (value.type.kind === 'double') return filter(place, positive, value)
  return value.type.kind === 'string' ? filter(place, trueText, value) : null
}

function comparedWith({ stored, type }: Bound, operator: ComparisonOperator, other: Bound, place: Place): Bound | null {
  const constant = stored === undefined ? null : comparedConstant(stored, type, other)
  if (stored === undefined || constant === null) return null
  if (operator === '=' || operator === '<>') {
    const isEqual = called(place, boolean, equalTo, [stored.column], { constants: [constant] })
    return operator === '=' ? isEqual : not(isEqual, place)
  }
  return called(place, boolean, ordered, [stored.column], { operator, constant })
}

/** Whether a column equals one of several constants. With null among them, the result is unknown for any other value. */
export function columnAmong(operand: Bound, others: readonly Bound[], place: Place): Bound | null {
  const there = others.filter((other) => constantOf(other) !== null)
  const truths = new Set(there.map(constantOf))
  const areTruths = [...truths].every((constant) => typeof constant === 'boolean')
  if (operand.type.kind === 'string' && constantOf(operand) === undefined && areTruths)
    return amongTruths(operand, truths, place)
  const isAmong = there.length === 0 ? null : amongThose(operand, there, place)
  return isAmong === null || there.length === others.length ? isAmong : filter(place, trueOrUnknown, isAmong)
}

function amongThose({ stored, type }: Bound, others: readonly Bound[], place: Place): Bound | null {
  if (stored === undefined) return null
  const constants = others.map((other) => comparedConstant(stored, type, other)).filter((one) => one !== null)
  const isOfTexts = constants.some((constant) => typeof constant === 'string')
  const isMixed = isOfTexts && constants.some((constant) => typeof constant !== 'string')
  if (constants.length < others.length || isMixed) return null
  return called(place, boolean, equalTo, [stored.column], { constants })
}

/** Whether a column is between two constants, both inclusive. */
export function columnBetween(operand: Bound, [low, high]: readonly [Bound, Bound], place: Place): Bound | null {
  const above = comparedWith(operand, '>=', low, place)
  const below = comparedWith(operand, '<=', high, place)
  return above === null || below === null ? null : called(place, boolean, conjunction, [above, below])
}

/** The constant to compare a column with, in the type that the column is cast to; null where that makes no difference. */
function comparedConstant({ column, isCast }: StoredColumn, type: SqlType, other: Bound): Constant | null {
  const constant = constantOf(other)
  if (typeof constant === 'string' && other.type.kind === 'string') {
    if (!isCast) return null
    return type.kind === 'string' ? constant : numberOf(constant)
  }
  const isOfNumbers = other.type.kind === 'long' || other.type.kind === 'double'
  const isNumber = (typeof constant === 'number' || typeof constant === 'bigint') && isOfNumbers
  if (!isNumber || !(column.type.kind === 'string' || isCast)) return null
  return type.kind === 'double' ? Number(constant) : constant
}

interface EqualOptions {
  readonly constants: readonly Constant[]
}

const equalTo = engineFunction<EqualOptions>(([x], { operands: [stored], options: { constants } }) => {
  const { type } = stored!
  if (type.kind === 'string') return textEqualTo(x!, constants)
  const numbers = constants.map((constant) => (typeof constant === 'string' ? numberOf(constant) : constant))
  const literals = numbers.flatMap((number) => {
    if (number === null) return []
    if (type.kind === 'double') return [doubleLiteral(Number(number))]
    const whole = wholeOf(number)
    return whole === null ? [] : [sql.long(whole)]
  })
  const isEqual = literals.length === 0 ? sql`FALSE` : sql`${x!} IN (${sql.list(literals)})`
  return whereNotNull(x!, isEqual)
})

function textEqualTo(text: Sql, constants: readonly Constant[]): Sql {
  const texts = constants.filter((constant) => typeof constant === 'string')
  if (texts.length > 0) return sql`(${text} IN (${sql.list(texts.map(sql.literal))}))`
  const numbers = constants.filter((constant) => typeof constant !== 'string')
  const wholes = numbers.filter((number) => typeof number === 'bigint')
  const fractions = numbers.filter((number) => typeof number === 'number')
  const isAmong = (some: readonly (number | bigint)[]): Sql =>
    sql`${decimalOf(text)} IN (${sql.list(some.map((number) => doubleLiteral(Number(number))))})`
  if (wholes.length === 0) return whereNotNull(text, sql`coalesce(${isAmong(numbers)}, FALSE)`)
  // Every digit of a whole number is significant.
  const ofWhole = sql`TRY_CAST(${text} AS BIGINT) IN (${sql.list(wholes.map(sql.long))})`
  const either = fractions.length === 0 ? ofWhole : sql`(${ofWhole} OR ${isAmong(fractions)})`
  const isWhole = sql`regexp_full_match(${text}, '[+-]?[0-9]{1,19}')`
  return whereNotNull(text, sql`coalesce(CASE WHEN ${isWhole} THEN ${either} ELSE ${isAmong(numbers)} END, FALSE)`)
}

/** The double that a text represents; `true` and `false` represent none here. */
const decimalOf = (text: Sql): Sql =>
  sql`CASE WHEN regexp_full_match(${text}, ${numberForm}) THEN TRY_CAST(rtrim(${text}, 'dDfF') AS DOUBLE) END`

const orders = {
  '<': { sign: sql`<`, ofOthers: sql`TRUE` },
  '<=': { sign: sql`<=`, ofOthers: sql`TRUE` },
  '>': { sign: sql`>`, ofOthers: sql`FALSE` },
  '>=': { sign: sql`>=`, ofOthers: sql`FALSE` },
} as const

interface OrderOptions {
  readonly operator: keyof typeof orders
  readonly constant: Constant
}

const ordered = engineFunction<OrderOptions>(
  ([x], { operands: [stored], options: { operator, constant } }, { zone }) => {
    const { sign, ofOthers } = orders[operator]
    const { type } = stored!
    if (typeof constant === 'string')
      return sql`(${castText(stored!, x!, string, zone)} ${sign} ${sql.literal(constant)})`
    const number = typeof constant === 'bigint' ? sql.long(constant) : doubleLiteral(constant)
    if (type.kind !== 'string') return sql`(${x!} ${sign} ${number})`
    const isWithin = sql`${decimalOf(x!)} ${sign} ${doubleLiteral(Number(constant))}`
    return whereNotNull(x!, sql`coalesce(${isWithin}, ${ofOthers})`)
  },
)

const whereNotNull = (column: Sql, condition: Sql): Sql => sql`(CASE WHEN ${column} IS NOT NULL THEN ${condition} END)`

/** The number that a text represents; null if it represents none. */
function numberOf(text: string): number | bigint | null {
  if (/^[+-]?\d{1,18}$/.test(text)) return BigInt(text.replace('+', ''))
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? 1n : text === 'false' ? 0n : null
}

const longMax = 2n ** 63n - 1n

/** The long equal to a number, as Java casts it; null where there is none. */
function wholeOf(number: number | bigint): bigint | null {
  if (typeof number === 'bigint') return number
  if (!Number.isInteger(number) || Math.abs(number) > 2 ** 63) return null
  const whole = BigInt(number)
  return whole > longMax ? longMax : whole
}
