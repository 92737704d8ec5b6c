// Columns that are compared with constants where rows are chosen: Druid makes filters of such conditions, and leaves out what the columns are cast to.
// A text is equal to a number that it stands for (`007` to 7, `-1.5` not to -1); one that stands for none is another, and comes before all that do.
// A number is equal to a text that stands for it (`CAST(n AS VARCHAR) = '02'`).

import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Bound, StoredColumn } from './bound.ts'
import { convert, numberForm } from './conversions.ts'
import { doubleLiteral } from './engine-names.ts'
import { string } from './types.ts'

type Constant = string | number | bigint

/** True, false, or null where the column is. Null where this is no column and a constant that Druid makes a filter of. */
export function comparedColumn(
  left: Bound,
  operator: ComparisonOperator,
  right: Bound,
  isAmongSeveral = false,
): Sql | null {
  return (
    truthOfText(left, operator, right) ??
    comparedWith(left, operator, right, isAmongSeveral) ??
    comparedWith(right, turnedRound[operator], left, isAmongSeveral)
  )
}

/** A text that is asked for being true is so as `true` alone. */
function truthOfText(left: Bound, operator: ComparisonOperator, right: Bound): Sql | null {
  const [text, { constant }] = left.type.kind === 'string' ? [left, right] : [right, left]
  if (text.type.kind !== 'string' || text.constant !== undefined || typeof constant !== 'boolean') return null
  if (operator !== '=' && operator !== '<>') return null
  return (operator === '=') === constant ? isTrueText(text.sql) : sql`(NOT ${isTrueText(text.sql)})`
}

const isTruth = (constant: Bound['constant']): boolean => typeof constant === 'boolean'

/** A text that is there is true or it is not. */
function amongTruths(text: Sql, truths: ReadonlySet<Bound['constant']>): Sql | null {
  if (truths.size === 2) return sql`(CASE WHEN ${text} IS NOT NULL THEN TRUE END)`
  if (truths.size === 0) return null
  return truths.has(true) ? isTrueText(text) : sql`(NOT ${isTrueText(text)})`
}

const isTrueText = (text: Sql): Sql => sql`(lower(${text}) = 'true')`

/** Whether a value is true where rows are chosen: elsewhere numbers are cut, and texts are taken for numbers. Null where it is so everywhere. */
export function isTrueWhereChosen({ sql: value, type }: Bound): Sql | null {
  if (type.kind === 'double') return sql`(${value} > 0::DOUBLE)`
  return type.kind === 'string' ? isTrueText(value) : null
}

function comparedWith(operand: Bound, operator: ComparisonOperator, other: Bound, isAmongSeveral = false): Sql | null {
  const constant = comparedConstant(operand, other)
  if (operand.stored === undefined || constant === null) return null
  if (operator === '=' || operator === '<>') {
    const isEqual = equalTo(operand.stored, [constant], isAmongSeveral)
    return operator === '=' ? isEqual : sql`(NOT ${isEqual})`
  }
  return ordered(operand.stored, operator, constant)
}

/** Whether a column has one of some constants; with null among them it is not known of any other value. */
export function columnAmong(operand: Bound, others: readonly Bound[], isAmongSeveral = false): Sql | null {
  const there = others.filter(({ constant }) => constant !== null)
  const truths = new Set(there.map(({ constant }) => constant))
  if (operand.type.kind === 'string' && operand.constant === undefined && [...truths].every(isTruth))
    return amongTruths(operand.sql, truths)
  const isAmong = there.length === 0 ? null : amongThose(operand, there, isAmongSeveral)
  return isAmong === null || there.length === others.length ? isAmong : sql`(CASE WHEN ${isAmong} THEN TRUE END)`
}

function amongThose(operand: Bound, others: readonly Bound[], isAmongSeveral: boolean): Sql | null {
  const constants = others.map((other) => comparedConstant(operand, other))
  const known = constants.filter((constant) => constant !== null)
  const isOfTexts = known.some((constant) => typeof constant === 'string')
  const isMixed = isOfTexts && known.some((constant) => typeof constant !== 'string')
  if (operand.stored === undefined || known.length < constants.length || isMixed) return null
  return equalTo(operand.stored, known, isAmongSeveral)
}

/** The numbers of one kind that a column of texts is compared with; null where it is not so. */
export function soughtNumbers(operand: Bound, others: readonly Bound[]): SoughtNumbers | null {
  const constants = others.map((other) => comparedConstant(operand, other))
  const numbers = constants.filter((constant) => typeof constant === 'bigint' || typeof constant === 'number')
  const kinds = new Set(numbers.map((number) => typeof number))
  if (operand.stored?.type.kind !== 'string' || numbers.length < constants.length || kinds.size > 1) return null
  return { column: operand.stored.sql.text, comparedAs: [operand.type.kind, ...kinds].join(' '), numbers }
}

export interface SoughtNumbers {
  /** What tells the column. */
  readonly column: string
  /** What tells what it is cast to, and the kind of the numbers. */
  readonly comparedAs: string
  readonly numbers: readonly (number | bigint)[]
}

/** Whether a column lies between two constants, both of them within. */
export function columnBetween(operand: Bound, [low, high]: readonly [Bound, Bound]): Sql | null {
  const [above, below] = [comparedWith(operand, '>=', low), comparedWith(operand, '<=', high)]
  return above === null || below === null ? null : sql`(${above} AND ${below})`
}

/** What a column is compared with, of the type that it is cast to; null where that changes nothing. */
function comparedConstant({ stored, type }: Bound, { constant, type: other }: Bound): Constant | null {
  if (stored === undefined) return null
  const isOfText = stored.type.kind === 'string'
  if (typeof constant === 'string' && other.kind === 'string') {
    if (!stored.isCast) return null
    return type.kind === 'string' ? constant : numberOf(constant)
  }
  const isNumber = (typeof constant === 'number' || typeof constant === 'bigint') && isNumeric(other.kind)
  if (!isNumber || !(isOfText || stored.isCast)) return null
  return type.kind === 'double' ? Number(constant) : constant
}

const isNumeric = (kind: string): boolean => kind === 'long' || kind === 'double'

function equalTo({ sql: column, type }: StoredColumn, constants: readonly Constant[], isAmongSeveral: boolean): Sql {
  if (type.kind === 'string') return textEqualTo(column, constants, isAmongSeveral)
  const numbers = constants.map((constant) => (typeof constant === 'string' ? numberOf(constant) : constant))
  const literals = numbers.flatMap((number) => {
    if (number === null) return []
    if (type.kind === 'double') return [doubleLiteral(Number(number))]
    const whole = wholeOf(number)
    return whole === null ? [] : [sql.long(whole)]
  })
  const isEqual = literals.length === 0 ? sql`FALSE` : sql`${column} IN (${sql.join(literals, ', ')})`
  return whereThere(column, isEqual)
}

function textEqualTo(text: Sql, constants: readonly Constant[], isAmongSeveral: boolean): Sql {
  const texts = constants.filter((constant) => typeof constant === 'string')
  if (texts.length > 0) return sql`(${text} IN (${sql.join(texts.map(sql.literal), ', ')}))`
  const numbers = constants.filter((constant) => typeof constant !== 'string')
  const wholes = numbers.filter((number) => typeof number === 'bigint')
  const fractions = numbers.filter((number) => typeof number === 'number')
  const isAmong = (some: readonly (number | bigint)[]): Sql =>
    sql`${decimalOf(text)} IN (${sql.join(
      some.map((number) => doubleLiteral(Number(number))),
      ', ',
    )})`
  if (wholes.length === 0) return whereThere(text, sql`coalesce(${isAmong(numbers)}, FALSE)`)
  // Every digit of a whole number counts.
  const ofWhole = sql`TRY_CAST(${text} AS BIGINT) IN (${sql.join(wholes.map(sql.long), ', ')})`
  const either = fractions.length === 0 ? ofWhole : sql`(${ofWhole} OR ${isAmong(fractions)})`
  const isWhole = sql`regexp_full_match(${text}, '[+-]?[0-9]{1,19}')`
  // Among several whole numbers Druid looks for such texts alone: 1000 is found in `1e3`, and 7 or 1000 is not.
  const isOneOfSeveral = fractions.length === 0 && (isAmongSeveral || new Set(wholes).size > 1)
  const ofOthers = isOneOfSeveral ? sql`FALSE` : isAmong(numbers)
  return whereThere(text, sql`coalesce(CASE WHEN ${isWhole} THEN ${either} ELSE ${ofOthers} END, FALSE)`)
}

/** The double that a text stands for; true and false are none here. */
const decimalOf = (text: Sql): Sql =>
  sql`CASE WHEN regexp_full_match(${text}, ${numberForm}) THEN TRY_CAST(rtrim(${text}, 'dDfF') AS DOUBLE) END`

const orders = {
  '<': { sign: sql`<`, ofOthers: sql`TRUE` },
  '<=': { sign: sql`<=`, ofOthers: sql`TRUE` },
  '>': { sign: sql`>`, ofOthers: sql`FALSE` },
  '>=': { sign: sql`>=`, ofOthers: sql`FALSE` },
} as const

function ordered(column: StoredColumn, operator: keyof typeof orders, constant: Constant): Sql {
  const { sign, ofOthers } = orders[operator]
  if (typeof constant === 'string')
    return sql`(${convert(column, string) ?? column.sql} ${sign} ${sql.literal(constant)})`
  const number = typeof constant === 'bigint' ? sql.long(constant) : doubleLiteral(constant)
  if (column.type.kind !== 'string') return sql`(${column.sql} ${sign} ${number})`
  const isWithin = sql`${decimalOf(column.sql)} ${sign} ${doubleLiteral(Number(constant))}`
  return whereThere(column.sql, sql`coalesce(${isWithin}, ${ofOthers})`)
}

const whereThere = (column: Sql, condition: Sql): Sql => sql`(CASE WHEN ${column} IS NOT NULL THEN ${condition} END)`

/** The number that a text stands for. */
function numberOf(text: string): number | bigint | null {
  if (/^[+-]?\d{1,18}$/.test(text)) return BigInt(text.replace('+', ''))
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? 1n : text === 'false' ? 0n : null
}

const longMax = 2n ** 63n - 1n

/** The long that is equal to a number, as Java casts it; null where there is none. */
function wholeOf(number: number | bigint): bigint | null {
  if (typeof number === 'bigint') return number
  if (!Number.isInteger(number) || Math.abs(number) > 2 ** 63) return null
  const whole = BigInt(number)
  return whole > longMax ? longMax : whole
}
