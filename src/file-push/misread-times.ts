// Finds integers that are read as milliseconds but were probably meant differently.
import { jsonMembers } from '../lib/json-members.ts'
import { epochMs, likelyUnits } from '../model/epoch.ts'
import { compactDate, formatInstant } from '../model/instant.ts'

/** A count that was read as milliseconds, and is a plausible time otherwise. */
export interface MisreadTime {
  /** From 1. */
  readonly row: number
  readonly property: string
  readonly count: string
  /** `seconds`, or the pattern of a compact date. */
  readonly likelyUnit: string
  readonly likelyMs: number
}

/** The first time in the rows that was probably meant differently, by the types of their properties; null if there is none. */
export function firstMisread(rows: readonly string[], types: ReadonlyMap<string, string>): MisreadTime | null {
  return misreadTimes(rows, types).next().value ?? null
}

/** The first compact date of a property that has one in more than half of the rows; null if no property does. */
export function mostlyCompactDates(rows: readonly string[], types: ReadonlyMap<string, string>): MisreadTime | null {
  const dates = [...misreadTimes(rows, types)].filter(({ likelyUnit }) => likelyUnit !== 'seconds')
  const ofProperty = (property: string): number => dates.filter((date) => date.property === property).length
  return dates.find(({ property }) => 2 * ofProperty(property) > rows.length) ?? null
}

function* misreadTimes(rows: readonly string[], types: ReadonlyMap<string, string>): Generator<MisreadTime, undefined> {
  for (const [index, text] of rows.entries()) {
    // If a property repeats, its last value counts.
    const values = new Map(membersOrNone(text).map(({ name, value }) => [name, value]))
    for (const [property, count] of values) {
      const meaning = types.get(property) === 'timestamp' && /^\d+$/.test(count) ? meaningOf(count) : null
      if (meaning !== null) yield { row: index + 1, property, count, ...meaning }
    }
  }
}

function meaningOf(count: string): Pick<MisreadTime, 'likelyUnit' | 'likelyMs'> | null {
  const date = compactDate(count)
  if (date !== null) return { likelyUnit: date.pattern, likelyMs: date.ms }
  const isSeconds = /^\d{9,10}$/.test(count) && likelyUnits(count)[0] === 'seconds'
  return isSeconds ? { likelyUnit: 'seconds', likelyMs: Number(count) * 1000 } : null
}

/** The message for the user. `which` names the value, such as `D of the first row`. */
export function misreadText({ count, likelyUnit, likelyMs }: MisreadTime, which: string): string {
  const readMs = epochMs(count, 'milliseconds')
  const read = readMs === null ? 'not a date' : formatInstant(readMs)
  const wayOut =
    likelyUnit === 'seconds'
      ? 'if that is meant, write milliseconds or ISO 8601.'
      : `if that is meant, write ISO 8601, or push CSV with --time-format ${likelyUnit}.`
  const as = likelyUnit === 'seconds' ? 'seconds' : `a date (${likelyUnit})`
  return `${which}, ${count}, is read as milliseconds: ${read}. As ${as} it is ${formatInstant(likelyMs)}: ${wayOut}`
}

/** Empty if the text is not an object. */
export function membersOrNone(text: string): ReturnType<typeof jsonMembers> {
  try {
    return jsonMembers(text)
  } catch {
    return []
  }
}
