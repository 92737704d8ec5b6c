// Times as counts since 1970-01-01T00:00Z.
import { earliestMs, latestMs } from './instant.ts'

/** Whole and broken counts since 1970, by the digits of a second behind their point. */
export const epochUnits = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'] as const
export type EpochUnit = (typeof epochUnits)[number]

const digitsOf: Readonly<Record<EpochUnit, number>> = { seconds: 0, milliseconds: 3, microseconds: 6, nanoseconds: 9 }
const epochForm = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/

/** Milliseconds since 1970 of a count, digit by digit, cut to the millisecond; null where it is none, or beyond the years 0001 to 9999. */
export function epochMs(text: string, unit: EpochUnit): number | null {
  const match = epochForm.exec(text.trim())
  if (match === null) return null
  const [, sign, whole, fraction = ''] = match
  const digits = digitsOf[unit]
  const exact = BigInt(whole! + fraction.slice(0, 9).padEnd(9, '0'))
  const scale = 10n ** BigInt(9 + digits - 3)
  const signed = sign === '-' ? -exact : exact
  // The millisecond that it lies in, also before 1970.
  const ms = Number(signed >= 0n ? signed / scale : -((-signed + scale - 1n) / scale))
  return ms < earliestMs || ms > latestMs ? null : ms
}

/** Counts between these are likely meant so: seconds from 1e8 up to 4e9, finer ones from 1990 on. */
const likelySecondsFromMs = 1e11
const likelyFromMs = Date.UTC(1990, 0, 1)
const likelyUntilMs = 4e12

/** The units by which a count is a likely time, the likeliest first. */
export function likelyUnits(text: string): readonly EpochUnit[] {
  return epochUnits.filter((unit) => {
    const ms = epochMs(text, unit)
    return ms !== null && ms >= (unit === 'seconds' ? likelySecondsFromMs : likelyFromMs) && ms <= likelyUntilMs
  })
}
