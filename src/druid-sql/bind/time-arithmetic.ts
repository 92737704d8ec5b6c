// Arithmetic with times and intervals.

import { Zone } from '../../druid-time/zone.ts'
import { bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { numberTexts, wrapped } from '../functions/numbers.ts'
import { withoutRepeats } from '../functions/text-limits.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { as } from './conversions.ts'
import { timestampToLocal, toUtc } from './periods.ts'
import { type Bound, called, engineFunction } from './tree.ts'
import { interval, timestamp, typeName } from './types.ts'

export type NumberOperator = '+' | '-' | '*' | '/'

export interface OperatorOptions {
  readonly operator: NumberOperator
}

const signs = { '+': sql`+`, '-': sql`-`, '*': sql`*`, '/': sql`/` }

/**
 * Arithmetic of whole numbers uses functions. With operators the engine moves a constant to the other side of a comparison, rewrites `l + 1 < 0` as
 * `l < -1`, and does not notice that the sum wraps around.
 */
const plainArithmetic = { '+': sql`add`, '-': sql`subtract`, '*': sql`multiply` } as const

/** Arithmetic of numbers, and of intervals. */
export const arithmetic = engineFunction<OperatorOptions>((texts, node, meaning) => {
  const { operator } = node.options
  const [x, y] = node.type.kind === 'interval' ? [texts[0]!, texts[1]!] : numberTexts(texts, node, meaning)
  if (node.type.kind !== 'long' || operator === '/') return sql`(${x} ${signs[operator]} ${y})`
  if (!meaning.wraps) return sql`${plainArithmetic[operator]}(${x}, ${y})`
  const sign = signs[operator]
  return bind2(
    x,
    y,
    (a, b) => sql`coalesce(TRY(${a} ${sign} ${b}), ${wrapped(sql`(${a}::HUGEINT ${sign} ${b}::HUGEINT)`)})`,
  )
})

/** A time plus or minus an interval. */
export const movedBy = engineFunction<OperatorOptions>(([at, by], { options: { operator } }, { zone }) =>
  moved(at!, signs[operator], by!, zone),
)

/** Arithmetic with times and intervals; null where neither side is one. Throws a Problem for a combination without a meaning. */
export function timeArithmetic(operator: NumberOperator | '%', left: Bound, right: Bound): Bound | null {
  const { place } = left
  const isTime = ({ type }: Bound): boolean => type.kind === 'timestamp' || type.kind === 'date'
  const isInterval = ({ type }: Bound): boolean => type.kind === 'interval'
  if (![left, right].some((side) => isTime(side) || isInterval(side))) return null
  if (operator === '+' || operator === '-') {
    if (isTime(left) && isInterval(right))
      return called(place, timestamp, movedBy, [as(left, timestamp), right], { operator })
    if (isInterval(left) && isTime(right) && operator === '+')
      return called(place, timestamp, movedBy, [as(right, timestamp), left], { operator })
    if (isInterval(left) && isInterval(right)) return called(place, interval, arithmetic, [left, right], { operator })
  }
  if (operator === '*' && isInterval(left) && right.type.kind === 'long')
    return called(place, interval, arithmetic, [left, right], { operator })
  if (operator === '*' && isInterval(right) && left.type.kind === 'long')
    return called(place, interval, arithmetic, [right, left], { operator })
  throw sqlProblem(
    place,
    `${typeName(left.type)} ${operator} ${typeName(right.type)} has no meaning: times take intervals, as in __time + INTERVAL '1' DAY`,
  )
}

/** Months and years are added on the clocks of the zone; anything shorter is elapsed time. */
function moved(at: Sql, operator: Sql, by: Sql, zone: Zone): Sql {
  if (zone === Zone.utc) return sql`(${at} ${operator} ${by})`
  return withoutRepeats([at, by], (x, length) => {
    const isLong = sql`date_part('year', ${length}) <> 0 OR date_part('month', ${length}) <> 0`
    const local = sql`(${timestampToLocal(x, zone)} ${operator} ${length})`
    return sql`CASE WHEN ${isLong} THEN ${toUtc(local, zone)} ELSE (${x} ${operator} ${length}) END`
  })
}
