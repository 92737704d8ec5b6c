// Times and ranges as somebody types them, and as saved views keep them.
import { addDuration, parseDuration } from './duration.ts'
import { earliestMs, msPerDay, namesZone, parseInstant } from './instant.ts'

/** Two of one kind are in the order of their `ms`. */
export interface When {
  /** An instant; what the clock of a zone shows, as if it were UTC's; or the midnight that begins a day, in whole days from today. */
  readonly kind: 'instant' | 'clock' | 'day'
  readonly ms: number
  /** A day was named, and no time in it. */
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

/** So long back, as `-6h`, in milliseconds; null where the text is none. */
export function agoMs(text: string): number | null {
  const [, count, unit] = ago.exec(text.trim().toLowerCase()) ?? []
  return count === undefined ? null : Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** What a text means: `2026-01-31 08:00`, `31.01.2026`, `-6h`, `now`, `yesterday`; with an offset or `Z` it needs no zone. Null where it cannot be read. */
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

/** So much earlier, an ISO 8601 duration; null where it is none, or reaches further back than times can be written. */
export function earlierMs(ms: number, duration: string): number | null {
  const parsed = parseDuration(duration)
  const earlier = parsed === null ? Number.NaN : addDuration(ms, parsed, -1)
  return earlier >= earliestMs ? earlier : null
}
