// Time literals and intervals: `INTERVAL '1 02:03' DAY TO MINUTE` of SQL, and `start/end` of ISO 8601.

import { type Period, periodDays, periodMonths, periodTimeMs } from '../../druid-time/iso.ts'
import { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { addDuration, parseDuration } from '../../model/duration.ts'
import { namesZone, parseInstant } from '../../model/instant.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, TimeUnit } from '../parse/syntax.ts'
import { type PeriodParts, unitPeriod, writeInterval } from './periods.ts'
import type { IntervalNode } from './tree.ts'

/** The half-open range of `start/end`, where one of the two may be a period. */
export function readInterval(text: string, zone: Zone, place: Place): [startMs: number, endMs: number] {
  const wrong = sqlProblem(
    place,
    `${quoted(text)} is not an interval: write it as '2026-01-01/2026-02-01' or '2026-01-01/P1M'`,
  )
  const [first = '', second = '', ...more] = text.split('/')
  if (more.length > 0) throw wrong
  const [from, to] = [instantOf(first), instantOf(second)]
  const inZone = (ms: number, said: string): number =>
    zone === Zone.utc || namesZone(said) ? ms : zone.momentsOf(ms).moments[0]
  if (from !== null && to !== null) return [inZone(from, first), inZone(to, second)]
  const [before, after] = [parseDuration(first), parseDuration(second)]
  if (from !== null && after !== null) return [inZone(from, first), inZone(addDuration(from, after, 1), first)]
  if (to !== null && before !== null) return [inZone(addDuration(to, before, -1), second), inZone(to, second)]
  throw wrong
}

function instantOf(text: string): number | null {
  const whole = /^\d{4}$/.test(text) ? `${text}-01-01` : /^\d{4}-\d\d$/.test(text) ? `${text}-01` : text
  return parseInstant(whole)
}

/** The instant of a time literal; null if it is malformed. */
export function timeLiteralMs({ type, value }: Extract<Expression, { kind: 'time' }>): number | null {
  const forms = { TIMESTAMP: /^\d{4}-\d{1,2}-\d{1,2}( \d{1,2}:\d{2}:\d{2}(\.\d+)?)?$/, DATE: /^\d{4}-\d{1,2}-\d{1,2}$/ }
  const padded = value.replace(/(^|[- ])(\d)(?=$|[-: ])/g, '$10$2')
  return forms[type].test(value) ? parseInstant(padded) : null
}

const fields: readonly TimeUnit[] = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND']

/** An interval literal as an interval of the engine. */
export function intervalText({ isNegative, steps }: Pick<IntervalNode, 'isNegative' | 'steps'>): Sql {
  if (Object.values(steps).every((part) => part === 0)) return sql`to_milliseconds(0)`
  return isNegative ? sql`(-(${writeInterval(steps)}))` : sql`(${writeInterval(steps)})`
}

/** Parses an interval literal of SQL: the amount that it adds to an instant. */
export function readIntervalLiteral({
  value,
  negative,
  from,
  to,
  place,
}: Extract<Expression, { kind: 'interval' }>): Pick<IntervalNode, 'isNegative' | 'steps'> {
  const wrong = sqlProblem(
    place,
    `${quoted(value)} is not an interval of ${from}${to === null ? '' : ` TO ${to}`}: write it as INTERVAL '1' DAY`,
  )
  const trimmed = value.trim()
  const isNegative = trimmed.startsWith('-') !== negative
  const digits = trimmed.replace(/^[+-]/, '')
  const numbers = digits.split(/[-: .]/)
  const first = fields.indexOf(from)
  const last = to === null ? first : fields.indexOf(to)
  const isSimple = to === null && numbers.length === 1
  const parts = isSimple ? [from] : fields.slice(first, last + 1)
  if (!/^\d{1,9}(?:[-: ]\d{1,9})*(?:\.\d{1,9})?$/.test(digits)) throw wrong
  if (first < 0 && !isSimple) throw wrong
  const hasFraction = digits.includes('.')
  if (numbers.length !== parts.length + (hasFraction ? 1 : 0) || (hasFraction && parts.at(-1) !== 'SECOND')) throw wrong
  let steps: PeriodParts = { months: 0, days: 0, ms: 0 }
  for (const [index, unit] of parts.entries()) steps = add(steps, unitPeriod(unit), Number(numbers[index]))
  if (hasFraction) steps = { ...steps, ms: steps.ms + Number(numbers.at(-1)!.slice(0, 3).padEnd(3, '0')) }
  return { isNegative, steps }
}

function add(sum: PeriodParts, unit: Period, count: number): PeriodParts {
  return {
    months: sum.months + periodMonths(unit) * count,
    days: sum.days + periodDays(unit) * count,
    ms: sum.ms + periodTimeMs(unit) * count,
  }
}
