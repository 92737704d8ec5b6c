// Parses text as times in SQL, as Joda-Time's ISO 8601 parser does for Druid.
import { bind } from '../lib/bind-sql.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import { fromLocal, toLocal } from './bucket-sql.ts'
import type { Zone } from './zone.ts'

/**
 * A year, optionally with a month and a day, a week, or a day of the year. Then optionally `T` or a blank, a time whose last part may have a
 * fraction, and an offset. `10` is a year.
 */
const form = [
  '([+-]?[0-9]{1,9})',
  '(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?|-([0-9]{3})|-[wW]([0-9]{1,2})(?:-([0-9]))?)?',
  '(?:[Tt ](?:([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2}))?)?(?:[.,]([0-9]{1,9}))?)?',
  '([Zz]|[+-][0-9]{2}(?::[0-9]{2}(?::[0-9]{2})?|[0-9]{2}(?:[0-9]{2})?)?)?)?',
].join('')
const whole = sql.literal(`^${form}$`)
const parts = ['y', 'month', 'day', 'ordinal', 'week', 'weekday', 'h', 'm', 's', 'f', 'z'] as const
const names = sql`[${sql.list(parts.map((name) => sql.literal(name)))}]`

type Part = (name: (typeof parts)[number], otherwise: number) => Sql

/** Added to every year so that no dividend is negative. */
const earlier = 400_000_000

/** Days since 1970 of a date of the Gregorian calendar. */
function dayNumber(year: Sql, month: Sql, day: Sql): Sql {
  return bind(
    sql`(${year} + ${sql.long(earlier)} - CASE WHEN ${month} <= 2 THEN 1 ELSE 0 END)`,
    (y) =>
      sql`(${y} * 365 + ${y} // 4 - ${y} // 100 + ${y} // 400 + (153 * ((${month} + 9) % 12) + 2) // 5 + ${day} - 1 - ${sql.long((earlier / 400) * 146_097 + 719_468)})`,
  )
}

const isLeap = (year: Sql): Sql => sql`(${year} % 4 = 0 AND (${year} % 100 <> 0 OR ${year} % 400 = 0))`

/** The Monday of the week that holds 4 January. */
function firstMonday(year: Sql): Sql {
  // 1970 began on a Thursday.
  return bind(dayNumber(year, sql`1`, sql`4`), (fourth) => sql`(${fourth} - ((${fourth} + 3) % 7 + 7) % 7)`)
}

/** Days since 1970; null for a month, week or day that does not exist. */
function dateOf(part: Part): Sql {
  const year = part('y', 0)
  const [month, day] = [part('month', 1), part('day', 1)]
  const days = sql`CASE WHEN ${month} = 2 THEN CASE WHEN ${isLeap(year)} THEN 29 ELSE 28 END WHEN ${month} IN (4, 6, 9, 11) THEN 30 ELSE 31 END`
  const byMonth = sql`CASE WHEN ${month} BETWEEN 1 AND 12 AND ${day} BETWEEN 1 AND ${days} THEN ${dayNumber(year, month, day)} END`
  const ordinal = part('ordinal', 0)
  const byDay = sql`CASE WHEN ${ordinal} BETWEEN 1 AND CASE WHEN ${isLeap(year)} THEN 366 ELSE 365 END THEN ${dayNumber(year, sql`1`, sql`1`)} + ${ordinal} - 1 END`
  const weekday = part('weekday', 1)
  const byWeek = bind(
    sql`(${firstMonday(year)} + (${part('week', 1)} - 1) * 7)`,
    (monday) =>
      sql`CASE WHEN ${part('week', 1)} > 0 AND ${monday} < ${firstMonday(sql`(${year} + 1)`)} AND ${weekday} BETWEEN 1 AND 7 THEN ${monday} + ${weekday} - 1 END`,
  )
  return sql`CASE WHEN ${part('week', -1)} >= 0 THEN ${byWeek} WHEN ${part('ordinal', -1)} >= 0 THEN ${byDay} ELSE ${byMonth} END`
}

/** Milliseconds of the day; null for a time that no clock shows. A fraction is one of the last part present. */
function timeOf(part: Part, fraction: Sql): Sql {
  const [hour, minute, second] = [part('h', 0), part('m', 0), part('s', 0)]
  const unit = sql`CASE WHEN ${part('s', -1)} >= 0 THEN 1000 WHEN ${part('m', -1)} >= 0 THEN 60000 ELSE 3600000 END`
  const rest = sql`CAST(rpad(${fraction}, 9, '0') AS BIGINT) * ${unit} // 1000000000`
  return sql`CASE WHEN ${hour} < 24 AND ${minute} < 60 AND ${second} < 60 THEN ${hour} * 3600000 + ${minute} * 60000 + ${second} * 1000 + ${rest} END`
}

/** An offset such as `+hh` or `+hh:mm` in milliseconds; null when it is a day or longer, or has 60 minutes or seconds or more. */
function offsetOf(zone: Sql): Sql {
  return bind(sql`replace(${zone}, ':', '')`, (text) => {
    const field = (place: number): Sql => sql`CAST('0' || substring(${text}, ${sql.long(place)}, 2) AS BIGINT)`
    const seconds = sql`(${field(2)} * 3600 + ${field(4)} * 60 + ${field(6)})`
    return sql`CASE WHEN ${field(2)} < 24 AND ${field(4)} < 60 AND ${field(6)} < 60 THEN CASE WHEN ${text}[1] = '-' THEN ${seconds} * -1000 ELSE ${seconds} * 1000 END END`
  })
}

/** The instant at which a zone's clocks show a local time: the first where they show it twice, null where they skip it. */
export function shownInstant(localMs: Sql, zone: Zone): Sql {
  if (zone.fixed) return fromLocal(localMs, zone)
  const shows = (at: Sql, local: Sql): Sql => sql`${toLocal(at, zone)} = ${local}`
  return bind(localMs, (local) => {
    const before = sql`(${local} - 86400000)`
    const byOffsetBefore = sql`(${local} - ${toLocal(before, zone)} + ${before})`
    return bind(byOffsetBefore, (first) =>
      bind(
        fromLocal(local, zone),
        (at) => sql`CASE WHEN ${shows(first, local)} THEN ${first} WHEN ${shows(at, local)} THEN ${at} END`,
      ),
    )
  })
}

/** The instant, in milliseconds, of an ISO 8601 text, on the zone's clocks where the text has no offset; null for any other text. */
export function parseIsoTime(text: Sql, zone: Zone): Sql {
  return bind(text, (x) =>
    bind(sql`regexp_extract(${x}, ${whole}, ${names})`, (found) => {
      const field = (name: string): Sql => sql`${found}[${sql.literal(name)}]`
      const part: Part = (name, otherwise) => sql`coalesce(TRY_CAST(${field(name)} AS BIGINT), ${sql.long(otherwise)})`
      const local = sql`(${dateOf(part)} * 86400000 + ${timeOf(part, field('f'))})`
      const instant = bind(
        local,
        (ms) =>
          sql`CASE WHEN ${field('z')} = '' THEN ${shownInstant(ms, zone)} WHEN ${field('z')} IN ('Z', 'z') THEN ${ms} ELSE ${ms} - ${offsetOf(field('z'))} END`,
      )
      return sql`CASE WHEN ${field('y')} <> '' THEN ${instant} END`
    }),
  )
}
