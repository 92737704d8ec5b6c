// Instants are milliseconds since 1970-01-01T00:00Z, in the years 0001 to 9999. Internally they are always UTC.

export const msPerDay = 86_400_000
/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z. */
export const earliestMs = -62_135_596_800_000
export const latestMs = 253_402_300_799_999

export interface CivilDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** The inverse of `daysFromCivil`. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((5 * dayOfYear + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * m + 2) / 5) + 1,
  }
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const extended = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/
const basic = /^(\d{4})(\d\d)(\d\d)(?:[Tt ](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

const matchOf = (text: string): RegExpExecArray | null => {
  const inner = text.trim()
  return extended.exec(inner) ?? basic.exec(inner)
}

function offsetMinutes(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = zone.length === 3 ? 0 : Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/** Whether the parts are a valid time of day. 24:00 is valid and is the next midnight: meters write it. */
export function isClockTime(hour: number, minute: number, second: number, ms: number): boolean {
  return hour === 24 ? minute + second + ms === 0 : hour < 24 && minute < 60 && second < 60
}

/**
 * Parses an ISO 8601 calendar date or date-time to milliseconds; returns null for any other text. A space may replace the T, and surrounding blanks
 * are ignored. No zone means UTC; a date alone is its midnight, 24:00 is the next midnight; finer fractions are truncated to the millisecond.
 */
export function parseInstant(text: string): number | null {
  const match = matchOf(text)
  if (match === null) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)]
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  if (!isClockTime(hour, minute, second, milliseconds)) return null
  const offset = offsetMinutes(match[8])
  if (offset === null) return null
  const ms =
    daysFromCivil(year, month, day) * msPerDay + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds
  return ms < earliestMs || ms > latestMs ? null : ms
}

const compact = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d{3})?)?)?)?$/
const compactOfShortYear = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/
const compactParts = ['MM', 'dd', 'HH', 'mm', 'ss', 'SSS']

/**
 * Recognizes a date of 1950 to 2100 written in digits alone, as `202601310800`, or with a two-digit year, as `260131080000`. Returns its pattern and
 * instant, or null. Read as milliseconds since 1970, no such number is a time of 1982 to 2500. Two-digit years are 2015 to 2035;
 * without seconds (`2601310800`) they start at 2022, where the digits are no longer a plausible count of seconds.
 */
export function compactDate(digits: string): { readonly pattern: string; readonly ms: number } | null {
  const ofLongYear = partsIn(compact, digits)
  const date = ofLongYear && dateOfParts('yyyy', ofLongYear, [1950, 2100])
  const ofShortYear = partsIn(compactOfShortYear, digits)
  if (date !== null || ofShortYear === null) return date
  const [year = 0, ...rest] = ofShortYear
  return dateOfParts('yy', [2000 + year, ...rest], [rest.length === 5 ? 2015 : 2022, 2035])
}

function partsIn(form: RegExp, digits: string): readonly number[] | null {
  return (
    form
      .exec(digits)
      ?.slice(1)
      .flatMap((part) => (part === undefined ? [] : Number(part))) ?? null
  )
}

function dateOfParts(
  yearPattern: string,
  parts: readonly number[],
  [firstYear, lastYear]: readonly [number, number],
): { readonly pattern: string; readonly ms: number } | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = parts
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month))
    return null
  if (!isClockTime(hour, minute, second, ms)) return null
  const clockMs = ((hour * 60 + minute) * 60 + second) * 1000 + ms
  return {
    pattern: yearPattern + compactParts.slice(0, parts.length - 1).join(''),
    ms: daysFromCivil(year, month, day) * msPerDay + clockMs,
  }
}

/** Whether a text that is a valid instant contains a zone or offset. */
export const namesZone = (text: string): boolean => matchOf(text)?.[8] !== undefined

/** Whether a text that is a valid instant marks the start or end of a day in any time zone: a date alone, or 24:00. */
export function isDayBound(text: string): boolean {
  const hour = matchOf(text)?.[4]
  return hour === undefined || hour === '24'
}

/** Whether a text has the form of a date but no calendar has that day: `2026-11-31`. */
export function isNoSuchDay(text: string): boolean {
  const match = matchOf(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

/** Years outside 0000 to 9999 occur only as bucket starts. They use ISO 8601's expanded form, as `Date` does. */
function formatYear(year: number): string {
  if (year >= 0 && year <= 9999) return pad(year, 4)
  return `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}`
}

/** `2026-01-01T00:00:00.000Z`, the only form in which the service outputs instants. */
export function formatInstant(ms: number): string {
  const days = Math.floor(ms / msPerDay)
  const { year, month, day } = civilFromDays(days)
  const rest = ms - days * msPerDay
  const time = `${pad(Math.floor(rest / 3_600_000), 2)}:${pad(Math.floor(rest / 60_000) % 60, 2)}`
  return `${formatYear(year)}-${pad(month, 2)}-${pad(day, 2)}T${time}:${pad(Math.floor(rest / 1000) % 60, 2)}.${pad(rest % 1000, 3)}Z`
}

export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms)
}
