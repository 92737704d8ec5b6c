// Times as numbers of units since 1970-01-01T00:00Z.
import { earliestMs, latestMs } from './instant.ts'

/** Units of epoch counts, which may have fractions; ordered by their decimal digits of a second (0, 3, 6, 9). */
export const epochUnits = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'] as const
export type EpochUnit = (typeof epochUnits)[number]

const digitsOf: Readonly<Record<EpochUnit, number>> = { seconds: 0, milliseconds: 3, microseconds: 6, nanoseconds: 9 }
const epochForm = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/

/** Converts a count to milliseconds since 1970, exactly, rounded down to the millisecond; null if it is no count or is outside the years 0001 to 9999. */
export function epochMs(text: string, unit: EpochUnit): number | null {
  const match = epochForm.exec(text.trim())
  if (match === null) return null
  const [, sign, whole, fraction = ''] = match
  const digits = digitsOf[unit]
  const exact = BigInt(whole! + fraction.slice(0, 9).padEnd(9, '0'))
  const scale = 10n ** BigInt(9 + digits - 3)
  const signed = sign === '-' ? -exact : exact
  // Rounds down, also before 1970.
  const ms = Number(signed >= 0n ? signed / scale : -((-signed + scale - 1n) / scale))
  return ms < earliestMs || ms > latestMs ? null : ms
}

/** Bounds of plausible times: for seconds counts from 1e8 to 4e9, for finer units times from 1990 to the same end. */
const likelySecondsFromMs = 1e11
const likelyFromMs = Date.UTC(1990, 0, 1)
const likelyUntilMs = 4e12

/** The units in which a count is a plausible time, most likely first. */
export function likelyUnits(text: string): readonly EpochUnit[] {
  return epochUnits.filter((unit) => {
    const ms = epochMs(text, unit)
    return ms !== null && ms >= (unit === 'seconds' ? likelySecondsFromMs : likelyFromMs) && ms <= likelyUntilMs
  })
}
