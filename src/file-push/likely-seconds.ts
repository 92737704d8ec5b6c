import { jsonMembers } from '../lib/json-members.ts'
import { likelyUnits } from '../model/epoch.ts'
import { formatInstant } from '../model/instant.ts'

/** A count that was read as milliseconds, in 1970, and is a usual time as seconds. */
export interface ReadAsMilliseconds {
  /** From 1. */
  readonly row: number
  readonly property: string
  readonly count: string
}

/** The first time of some rows that is likely meant in seconds, by the types of their properties; null where there is none. */
export function firstLikelySeconds(
  rows: readonly string[],
  types: ReadonlyMap<string, string>,
): ReadAsMilliseconds | null {
  for (const [index, text] of rows.entries()) {
    // Of a property that comes twice the last value counts.
    const values = new Map(membersOrNone(text).map(({ name, value }) => [name, value]))
    for (const [property, count] of values) {
      const isTime = types.get(property) === 'timestamp'
      if (isTime && /^\d{9,10}$/.test(count) && likelyUnits(count)[0] === 'seconds')
        return { row: index + 1, property, count }
    }
  }
  return null
}

/** What is said of it. `which`: `D of the first row`. */
export function readAsMilliseconds({ count }: ReadAsMilliseconds, which: string): string {
  const [read, meant] = [Number(count), Number(count) * 1000].map(formatInstant)
  return `${which}, ${count}, is read as milliseconds: ${read}. As seconds it is ${meant}: write milliseconds or ISO 8601 where that is meant.`
}

/** None of what is no object. */
export function membersOrNone(text: string): ReturnType<typeof jsonMembers> {
  try {
    return jsonMembers(text)
  } catch {
    return []
  }
}
