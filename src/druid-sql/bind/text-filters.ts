// Columns of texts that are compared with numbers where rows are chosen: Druid makes filters of such conditions, also where the column is cast to a number.
// A text is equal to a number that it stands for (`007` to 7, `-1.5` not to -1); one that stands for none is another, and comes before all that do.
import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import type { Bound } from './bound.ts'
import { as, decimalOf } from './conversions.ts'
import { duckSql, join, type SqlText } from './duck-sql.ts'
import { double } from './types.ts'

/** True, false, or null of a null text. Null where this is no column of texts beside a number. */
export function comparedText(left: Bound, operator: ComparisonOperator, right: Bound): SqlText | null {
  if (isNumber(right)) return comparedWith(left, operator, right)
  return isNumber(left) ? comparedWith(right, turnedRound[operator], left) : null
}

function comparedWith({ storedText }: Bound, operator: ComparisonOperator, number: Bound): SqlText | null {
  if (storedText === undefined) return null
  switch (operator) {
    case '=':
      return equalTo(storedText, [number])
    case '<>':
      return duckSql`(NOT ${equalTo(storedText, [number])})`
    default: {
      const { sign, ofOthers } = orders[operator]
      const isWithin = duckSql`${decimalOf(storedText)} ${sign} ${as(number, double).sql}`
      return whereThere(storedText, duckSql`coalesce(${isWithin}, ${ofOthers})`)
    }
  }
}

/** Whether a text lies between two numbers, both of them within. Null where this is no column of texts between numbers. */
export function textBetween(operand: Bound, [low, high]: readonly [Bound, Bound]): SqlText | null {
  const [above, below] = [comparedText(operand, '>=', low), comparedText(operand, '<=', high)]
  return above === null || below === null ? null : duckSql`(${above} AND ${below})`
}

const orders = {
  '<': { sign: duckSql`<`, ofOthers: duckSql`TRUE` },
  '<=': { sign: duckSql`<=`, ofOthers: duckSql`TRUE` },
  '>': { sign: duckSql`>`, ofOthers: duckSql`FALSE` },
  '>=': { sign: duckSql`>=`, ofOthers: duckSql`FALSE` },
} as const

/** Whether a text is one of some numbers. Null where this is no column of texts, or not all are numbers. */
export function textAmong({ storedText }: Bound, numbers: readonly Bound[]): SqlText | null {
  return storedText === undefined || !numbers.every(isNumber) ? null : equalTo(storedText, numbers)
}

function equalTo(text: SqlText, numbers: readonly Bound[]): SqlText {
  const number = decimalOf(text)
  const doubles = duckSql`${number} IN (${listOf(numbers.map((one) => as(one, double)))})`
  const wholes = numbers.filter(({ type }) => type.kind === 'long')
  const others = numbers.filter(({ type }) => type.kind !== 'long')
  if (wholes.length === 0) return whereThere(text, duckSql`coalesce(${doubles}, FALSE)`)
  // Every digit of a whole number counts.
  const ofWhole = duckSql`TRY_CAST(${text} AS BIGINT) IN (${listOf(wholes)})`
  const either = others.length === 0 ? ofWhole : duckSql`(${ofWhole} OR ${number} IN (${listOf(others)}))`
  return whereThere(
    text,
    duckSql`coalesce(CASE WHEN regexp_full_match(${text}, '[+-]?[0-9]{1,19}') THEN ${either} ELSE ${doubles} END, FALSE)`,
  )
}

const listOf = (numbers: readonly Bound[]): SqlText =>
  join(
    numbers.map(({ sql }) => sql),
    ', ',
  )

const whereThere = (text: SqlText, condition: SqlText): SqlText =>
  duckSql`(CASE WHEN ${text} IS NOT NULL THEN ${condition} END)`

const isNumber = ({ type, constant }: Bound): boolean =>
  (type.kind === 'long' || type.kind === 'double') && (typeof constant === 'bigint' || typeof constant === 'number')
