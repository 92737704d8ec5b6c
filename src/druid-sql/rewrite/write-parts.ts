// The parts of expressions that hold no others, written in Druid's SQL.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainLong } from '../../model/long.ts'
import type { CastType, Expression, FrameBound } from '../parse/syntax.ts'
import { digits, quotedText, word } from './raw-sql.ts'

export function writeCastType({ name, isArray, scale }: CastType): Sql {
  const type = scale === null ? word(name) : sql`DECIMAL(38, ${digits(scale)})`
  return isArray ? sql`${type} ARRAY` : type
}

/** Druid takes no more digits than a long has, and no number beyond all doubles. */
export function writeNumber(text: string): Sql {
  if (!Number.isFinite(Number(text))) return sql`CAST(NULL AS DOUBLE)`
  const isLong = plainLong(text) !== null
  return isLong || /e/i.test(text) || text.length <= plainDigits ? digits(text) : digits(`${text}E0`)
}

/** Fewer are a number to Druid, with a point or without. */
const plainDigits = 18

export function writeIntervalLiteral({ value, negative, from, to }: Extract<Expression, { kind: 'interval' }>): Sql {
  const sign = negative ? sql`-` : sql``
  const until = to === null ? sql`` : sql` TO ${word(to)}`
  return sql`INTERVAL ${sign}${quotedText(value)} ${word(from)}${until}`
}

export function writeFrameBound(bound: FrameBound): Sql {
  switch (bound.kind) {
    case 'unboundedPreceding':
      return sql`UNBOUNDED PRECEDING`
    case 'unboundedFollowing':
      return sql`UNBOUNDED FOLLOWING`
    case 'currentRow':
      return sql`CURRENT ROW`
    case 'preceding':
      return sql`${digits(bound.rows)} PRECEDING`
    case 'following':
      return sql`${digits(bound.rows)} FOLLOWING`
  }
}
