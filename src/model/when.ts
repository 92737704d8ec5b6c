// Times and ranges as typed by users and stored in saved views.
import { addDuration, parseDuration } from './duration.ts'
import { earliestMs, msPerDay, namesZone, parseInstant } from './instant.ts'

/** Values of the same kind are ordered by `ms`. */
export interface When {
  /** An instant; a local clock time of some zone, encoded as if it were UTC; or the midnight at the start of a day, in whole days relative to today. */
  readonly kind: 'instant' | 'clock' | 'day'
  readonly ms: number
  /** Whether the text names a day without a time. */
  readonly isDay: boolean
}

export const whenForms = 'a time such as 2026-01-31 08:00, 31.01.2026, yesterday, now or -6h'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: msPerDay, w: 7 * msPerDay } as const
const isDate = /^\d{4}-?\d\d-?\d\d$/
const dayFirst = /^(\d\d?)\.(\d\d?)\.(\d{4})/
const shortHour = /(?<=^\d{4}-\d\d-\d\d[T ])\d:/i
const ago = /^-(\d+(?:\.\d+)?)(s|m|h|d|w)$/
const dayNames = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
])

/** The length of an offset into the past such as `-6h`, in milliseconds; null if the text is not one. */
export function agoMs(text: string): number | null {
  const [, count, unit] = ago.exec(text.trim().toLowerCase()) ?? []
  return count === undefined ? null : Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** Parses `2026-01-31 08:00`, `31.01.2026`, `-6h`, `now` or `yesterday`; a text with an offset or `Z` needs no zone. Null if it cannot be parsed. */
export function parseWhen(text: string, nowMs: number): When | null {
  const written = text.trim()
  const word = written.toLowerCase()
  const days = dayNames.get(word)
  if (days !== undefined) return { kind: 'day', ms: days * msPerDay, isDay: true }
  const back = word === 'now' ? 0 : agoMs(word)
  if (back !== null) return nowMs - back < earliestMs ? null : { kind: 'instant', ms: nowMs - back, isDay: false }
  const iso = written
    .replace(dayFirst, (_, day, month, year) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
    .replace(shortHour, (hour) => `0${hour}`)
  const ms = parseInstant(iso)
  return ms === null ? null : { kind: namesZone(iso) ? 'instant' : 'clock', ms, isDay: isDate.test(iso) }
}

/** `ms` minus an ISO 8601 duration; null if the duration is invalid, or the result is before the earliest instant. */
export function earlierMs(ms: number, duration: string): number | null {
  const parsed = parseDuration(duration)
  const earlier = parsed === null ? Number.NaN : addDuration(ms, parsed, -1)
  return earlier >= earliestMs ? earlier : null
}
