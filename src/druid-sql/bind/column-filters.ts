// Columns that are compared with constants where rows are chosen: Druid makes filters of such conditions, and leaves out what the columns are cast to.
// A text is equal to a number that it stands for (`007` to 7, `-1.5` not to -1); one that stands for none is another, and comes before all that do.
// A number is equal to a text that stands for it (`CAST(n AS VARCHAR) = '02'`).
import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import type { Bound, StoredColumn } from './bound.ts'
import { convert, numberForm } from './conversions.ts'
import { doubleLiteral, duckSql, join, literal, longLiteral, type SqlText } from './duck-sql.ts'
import { string } from './types.ts'

type Constant = string | number | bigint

/** True, false, or null where the column is. Null where this is no column and a constant that Druid makes a filter of. */
export function comparedColumn(
  left: Bound,
  operator: ComparisonOperator,
  right: Bound,
  isAmongSeveral = false,
): SqlText | null {
  return (
    truthOfText(left, operator, right) ??
    comparedWith(left, operator, right, isAmongSeveral) ??
    comparedWith(right, turnedRound[operator], left, isAmongSeveral)
  )
}

/** A text that is asked for being true is so as `true` alone. */
function truthOfText(left: Bound, operator: ComparisonOperator, right: Bound): SqlText | null {
  const [text, { constant }] = left.type.kind === 'string' ? [left, right] : [right, left]
  if (text.type.kind !== 'string' || text.constant !== undefined || typeof constant !== 'boolean') return null
  if (operator !== '=' && operator !== '<>') return null
  return (operator === '=') === constant ? isTrueText(text.sql) : duckSql`(NOT ${isTrueText(text.sql)})`
}

const isTruth = (constant: Bound['constant']): boolean => typeof constant === 'boolean'

/** A text that is there is true or it is not. */
function amongTruths(text: SqlText, truths: ReadonlySet<Bound['constant']>): SqlText | null {
  if (truths.size === 2) return duckSql`(CASE WHEN ${text} IS NOT NULL THEN TRUE END)`
  if (truths.size === 0) return null
  return truths.has(true) ? isTrueText(text) : duckSql`(NOT ${isTrueText(text)})`
}

const isTrueText = (text: SqlText): SqlText => duckSql`(lower(${text}) = 'true')`

/** Whether a value is true where rows are chosen: elsewhere numbers are cut, and texts are taken for numbers. Null where it is so everywhere. */
export function isTrueWhereChosen({ sql: value, type }: Bound): SqlText | null {
  if (type.kind === 'double') return duckSql`(${value} > 0::DOUBLE)`
  return type.kind === 'string' ? isTrueText(value) : null
}

function comparedWith(
  operand: Bound,
  operator: ComparisonOperator,
  other: Bound,
  isAmongSeveral = false,
): SqlText | null {
  const constant = comparedConstant(operand, other)
  if (operand.stored === undefined || constant === null) return null
  if (operator === '=' || operator === '<>') {
    const isEqual = equalTo(operand.stored, [constant], isAmongSeveral)
    return operator === '=' ? isEqual : duckSql`(NOT ${isEqual})`
  }
  return ordered(operand.stored, operator, constant)
}

/** Whether a column has one of some constants; with null among them it is not known of any other value. */
export function columnAmong(operand: Bound, others: readonly Bound[], isAmongSeveral = false): SqlText | null {
  const there = others.filter(({ constant }) => constant !== null)
  const truths = new Set(there.map(({ constant }) => constant))
  if (operand.type.kind === 'string' && operand.constant === undefined && [...truths].every(isTruth))
    return amongTruths(operand.sql, truths)
  const isAmong = there.length === 0 ? null : amongThose(operand, there, isAmongSeveral)
  return isAmong === null || there.length === others.length ? isAmong : duckSql`(CASE WHEN ${isAmong} THEN TRUE END)`
}

function amongThose(operand: Bound, others: readonly Bound[], isAmongSeveral: boolean): SqlText | null {
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
export function columnBetween(operand: Bound, [low, high]: readonly [Bound, Bound]): SqlText | null {
  const [above, below] = [comparedWith(operand, '>=', low), comparedWith(operand, '<=', high)]
  return above === null || below === null ? null : duckSql`(${above} AND ${below})`
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

function equalTo(
  { sql: column, type }: StoredColumn,
  constants: readonly Constant[],
  isAmongSeveral: boolean,
): SqlText {
  if (type.kind === 'string') return textEqualTo(column, constants, isAmongSeveral)
  const numbers = constants.map((constant) => (typeof constant === 'string' ? numberOf(constant) : constant))
  const literals = numbers.flatMap((number) => {
    if (number === null) return []
    if (type.kind === 'double') return [doubleLiteral(Number(number))]
    const whole = wholeOf(number)
    return whole === null ? [] : [longLiteral(whole)]
  })
  const isEqual = literals.length === 0 ? duckSql`FALSE` : duckSql`${column} IN (${join(literals, ', ')})`
  return whereThere(column, isEqual)
}

function textEqualTo(text: SqlText, constants: readonly Constant[], isAmongSeveral: boolean): SqlText {
  const texts = constants.filter((constant) => typeof constant === 'string')
  if (texts.length > 0) return duckSql`(${text} IN (${join(texts.map(literal), ', ')}))`
  const numbers = constants.filter((constant) => typeof constant !== 'string')
  const wholes = numbers.filter((number) => typeof number === 'bigint')
  const fractions = numbers.filter((number) => typeof number === 'number')
  const isAmong = (some: readonly (number | bigint)[]): SqlText =>
    duckSql`${decimalOf(text)} IN (${join(
      some.map((number) => doubleLiteral(Number(number))),
      ', ',
    )})`
  if (wholes.length === 0) return whereThere(text, duckSql`coalesce(${isAmong(numbers)}, FALSE)`)
  // Every digit of a whole number counts.
  const ofWhole = duckSql`TRY_CAST(${text} AS BIGINT) IN (${join(wholes.map(longLiteral), ', ')})`
  const either = fractions.length === 0 ? ofWhole : duckSql`(${ofWhole} OR ${isAmong(fractions)})`
  const isWhole = duckSql`regexp_full_match(${text}, '[+-]?[0-9]{1,19}')`
  // Among several whole numbers Druid looks for such texts alone: 1000 is found in `1e3`, and 7 or 1000 is not.
  const isOneOfSeveral = fractions.length === 0 && (isAmongSeveral || new Set(wholes).size > 1)
  const ofOthers = isOneOfSeveral ? duckSql`FALSE` : isAmong(numbers)
  return whereThere(text, duckSql`coalesce(CASE WHEN ${isWhole} THEN ${either} ELSE ${ofOthers} END, FALSE)`)
}

/** The double that a text stands for; true and false are none here. */
const decimalOf = (text: SqlText): SqlText =>
  duckSql`CASE WHEN regexp_full_match(${text}, ${numberForm}) THEN TRY_CAST(rtrim(${text}, 'dDfF') AS DOUBLE) END`

const orders = {
  '<': { sign: duckSql`<`, ofOthers: duckSql`TRUE` },
  '<=': { sign: duckSql`<=`, ofOthers: duckSql`TRUE` },
  '>': { sign: duckSql`>`, ofOthers: duckSql`FALSE` },
  '>=': { sign: duckSql`>=`, ofOthers: duckSql`FALSE` },
} as const

function ordered(column: StoredColumn, operator: keyof typeof orders, constant: Constant): SqlText {
  const { sign, ofOthers } = orders[operator]
  if (typeof constant === 'string')
    return duckSql`(${convert(column, string) ?? column.sql} ${sign} ${literal(constant)})`
  const number = typeof constant === 'bigint' ? longLiteral(constant) : doubleLiteral(constant)
  if (column.type.kind !== 'string') return duckSql`(${column.sql} ${sign} ${number})`
  const isWithin = duckSql`${decimalOf(column.sql)} ${sign} ${doubleLiteral(Number(constant))}`
  return whereThere(column.sql, duckSql`coalesce(${isWithin}, ${ofOthers})`)
}

const whereThere = (column: SqlText, condition: SqlText): SqlText =>
  duckSql`(CASE WHEN ${column} IS NOT NULL THEN ${condition} END)`

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
