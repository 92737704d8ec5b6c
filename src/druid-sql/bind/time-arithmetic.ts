// Sums of times and intervals.

import { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { withoutRepeats } from '../functions/text-room.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { type Bound, combine } from './bound.ts'
import { as } from './conversions.ts'
import { timestampToLocal, toUtc } from './periods.ts'
import { interval, timestamp, typeName } from './types.ts'

export type NumberOperator = '+' | '-' | '*' | '/'

export function operatorText(operator: NumberOperator): Sql {
  return { '+': sql`+`, '-': sql`-`, '*': sql`*`, '/': sql`/` }[operator]
}

/** Times and intervals: what can be added to what. Null where neither side is one. */
export function timeArithmetic(operator: string, left: Bound, right: Bound, zone: Zone): Bound | null {
  const { place } = left
  const isTime = ({ type }: Bound): boolean => type.kind === 'timestamp' || type.kind === 'date'
  const isInterval = ({ type }: Bound): boolean => type.kind === 'interval'
  if (![left, right].some((side) => isTime(side) || isInterval(side))) return null
  const parts = [left, right]
  if (isTime(left) && isInterval(right) && (operator === '+' || operator === '-')) {
    return combine(place, timestamp, moved(as(left, timestamp).sql, operatorText(operator), right.sql, zone), parts)
  }
  if (isInterval(left) && isTime(right) && operator === '+')
    return combine(place, timestamp, moved(as(right, timestamp).sql, sql`+`, left.sql, zone), parts)
  if (isInterval(left) && isInterval(right) && (operator === '+' || operator === '-')) {
    return combine(place, interval, sql`(${left.sql} ${operatorText(operator)} ${right.sql})`, parts)
  }
  if (operator === '*' && isInterval(left) && right.type.kind === 'long')
    return combine(place, interval, sql`(${left.sql} * ${right.sql})`, parts)
  if (operator === '*' && isInterval(right) && left.type.kind === 'long')
    return combine(place, interval, sql`(${right.sql} * ${left.sql})`, parts)
  throw sqlProblem(
    place,
    `${typeName(left.type)} ${operator} ${typeName(right.type)} has no meaning: times take intervals, as in __time + INTERVAL '1' DAY`,
  )
}

/** Months go by the clocks of the zone, anything shorter is time that passes. */
function moved(at: Sql, operator: Sql, by: Sql, zone: Zone): Sql {
  if (zone === Zone.utc) return sql`(${at} ${operator} ${by})`
  return withoutRepeats([at, by], (x, length) => {
    const isLong = sql`date_part('year', ${length}) <> 0 OR date_part('month', ${length}) <> 0`
    const local = sql`(${timestampToLocal(x, zone)} ${operator} ${length})`
    return sql`CASE WHEN ${isLong} THEN ${toUtc(local, zone)} ELSE (${x} ${operator} ${length}) END`
  })
}
