// How times are written in a CSV file: their format, their time zone, and which moment an ambiguous time means.
import { formatOffset, Zone } from '../druid-time/zone.ts'
import { type EpochUnit, epochMs, epochUnits } from '../model/epoch.ts'
import { earliestMs, formatInstant, isDayBound, latestMs, namesZone, parseInstant } from '../model/instant.ts'
import { patternParser, type TimeParser, type WrittenTime } from './time-pattern.ts'

/** Which of two moments a local time means that occurs twice, or never. */
export const ambiguousChoices = ['earlier', 'later'] as const
export type AmbiguousChoice = (typeof ambiguousChoices)[number]

export interface TimeRules {
  readonly unit: EpochUnit | null
  /** Null if only ISO 8601 and counts are read. */
  readonly read: TimeParser | null
  readonly zone: Zone
  /** Null if an ambiguous time is an error. */
  readonly ambiguous: AmbiguousChoice | null
}

/** ISO 8601, in UTC unless the time has a zone. */
export const usualTimes: TimeRules = { unit: null, read: null, zone: Zone.utc, ambiguous: null }

/** A cell that the service would accept as a time, but whose time is uncertain. */
export class CellTimeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CellTimeError'
  }
}

/** A local time that occurs twice, or never. */
export class AmbiguousTimeError extends CellTimeError {
  constructor(message: string) {
    super(message)
    this.name = 'AmbiguousTimeError'
  }
}

/** Builds rules from the user's choices; an empty text means the default. Throws an `Error` that describes the valid choices. */
export function timeRules(format: string, zoneName: string, ambiguous: AmbiguousChoice | null): TimeRules {
  const unit = epochUnits.find((known) => known === format) ?? null
  const read = unit !== null || format === '' || format === 'iso' ? null : patternParser(format)
  const zone = zoneName === '' ? Zone.utc : Zone.find(zoneName)
  if (zone === null) {
    throw new Error(
      `"${zoneName}" is not a time zone. Give a name of the tz database, like Europe/Madrid, or an offset like +02:00.`,
    )
  }
  return unit === null && read === null && zone === Zone.utc ? usualTimes : { unit, read, zone, ambiguous }
}

function isoTime(text: string): WrittenTime | null {
  const ms = parseInstant(text)
  return ms === null ? null : { localMs: ms, offsetMs: namesZone(text) ? 0 : null, isDayBound: isDayBound(text) }
}

const short = (ms: number): string => formatInstant(ms).replace(/(?::00)?\.000Z$/, 'Z')

function ambiguity(text: string, moments: readonly [number, number], skipped: boolean, zone: Zone): string {
  const said = moments.map((ms) => {
    const offset = zone.offset(ms)
    return `${short(ms + offset).slice(0, -1)}${formatOffset(offset)} (${short(ms)})`
  })
  const why = skipped
    ? `does not exist in ${zone.name}, whose clocks were set forward then: it could be`
    : `occurs twice in ${zone.name}, whose clocks were set back then: it is`
  return `"${text}" ${why} ${said.join(' or ')}. Choose earlier or later for such times${skipped ? '' : ': both passes of the hour become the same one'}.`
}

function momentOf(text: string, { localMs, isDayBound }: WrittenTime, { zone, ambiguous }: TimeRules): number {
  const { moments, skipped } = zone.momentsOf(localMs)
  const [first, second] = moments
  if (second === undefined) return first
  // If the clock skips midnight, the day begins after the gap: the text does not state the skipped time itself.
  if (skipped && isDayBound) return zone.sameOffsetSince(second)
  if (ambiguous === null) throw new AmbiguousTimeError(ambiguity(text, [first, second], skipped, zone))
  return ambiguous === 'earlier' ? first : second
}

/** The instant of a cell, or null if it is not in the format. Throws `CellTimeError`. */
export function timeOfCell(text: string, rules: TimeRules): number | null {
  if (rules.unit !== null) return epochMs(text, rules.unit) ?? noOtherTime(text, otherFormat)
  const written = rules.read === null ? isoTime(text) : rules.read(text)
  if (written === null) return rules.read === null ? null : noOtherTime(text, otherFormat)
  const { localMs, offsetMs } = written
  const ms = offsetMs === null ? momentOf(text, written, rules) : localMs - offsetMs
  return ms < earliestMs || ms > latestMs ? noOtherTime(text, 'is in UTC outside the years 0001 to 9999.') : ms
}

const otherFormat = 'is ISO 8601, not in the given format of times.'

/** Null for text that is not a time: it is sent unchanged, to be rejected. Throws for ISO 8601, which would be stored as a different time than intended. */
function noOtherTime(text: string, why: string): null {
  if (parseInstant(text) === null) return null
  throw new CellTimeError(`"${text}" ${why}`)
}
