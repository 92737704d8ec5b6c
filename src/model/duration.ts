import { civilFromDays, daysFromCivil, daysInMonth, msPerDay } from './instant.ts'

/** An ISO 8601 duration, added by the UTC calendar: years and months first, then weeks and days, then the time part. */
export interface Duration {
  readonly years: number
  readonly months: number
  readonly weeks: number
  readonly days: number
  readonly ms: number
}

const form =
  /^P(?!$)(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?!$)(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})(?:\.(\d+))?S)?)?$/

/** Parses `P1Y2M3W4DT5H6M7.5S`; returns null if the text is not a duration. Fractions finer than a millisecond are truncated. */
export function parseDuration(text: string): Duration | null {
  const match = form.exec(text)
  if (match === null) return null
  const part = (group: number): number => Number(match[group] ?? 0)
  const milliseconds = match[8] === undefined ? 0 : Number(match[8].slice(0, 3).padEnd(3, '0'))
  return {
    years: part(1),
    months: part(2),
    weeks: part(3),
    days: part(4),
    ms: part(5) * 3_600_000 + part(6) * 60_000 + part(7) * 1000 + milliseconds,
  }
}

/** Adds whole months, clamping the day to the end of the resulting month. */
export function addMonths(ms: number, months: number): number {
  if (months === 0) return ms
  const days = Math.floor(ms / msPerDay)
  const { year, month, day } = civilFromDays(days)
  const index = year * 12 + (month - 1) + months
  const newYear = Math.floor(index / 12)
  const newMonth = index - newYear * 12 + 1
  const newDay = Math.min(day, daysInMonth(newYear, newMonth))
  return daysFromCivil(newYear, newMonth, newDay) * msPerDay + (ms - days * msPerDay)
}

/** The part of a duration whose length does not depend on the date. */
export function fixedMs(duration: Duration): number {
  return (duration.weeks * 7 + duration.days) * msPerDay + duration.ms
}

/** Moves `ms` by the duration, forward (`sign` 1) or backward (-1). The result may be outside the years 0001 to 9999. */
export function addDuration(ms: number, duration: Duration, sign: 1 | -1): number {
  return addMonths(ms, sign * (duration.years * 12 + duration.months)) + sign * fixedMs(duration)
}
