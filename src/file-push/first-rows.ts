import type { KnownIngest, PropertyTypes } from './known-ingest.ts'
import { likelyFields } from './likely-fields.ts'
import { firstLikelySeconds, membersOrNone, type ReadAsMilliseconds } from './likely-seconds.ts'
import type { RejectionTally } from './rejections.ts'
import type { PushedRows } from './rows.ts'

/** A longer row is not looked at. */
const rowBytesMax = 64 * 1024
/** In so many rows a time is looked for that is likely meant in seconds. */
const rowsMax = 100

/** Another name for each of some properties. */
export type Renames = ReadonlyMap<string, string>

/** Remembers the first rows of a JSON file: the first one's names tell what rejected names should be, and all tell how times are meant. */
export class FirstRows {
  readonly #texts: string[] = []

  async *of(rows: PushedRows): AsyncGenerator<readonly Uint8Array[]> {
    for await (const group of rows) {
      for (const row of group.slice(0, rowsMax - this.#texts.length)) {
        this.#texts.push(row.length > rowBytesMax ? '' : new TextDecoder().decode(row))
      }
      yield group
    }
  }

  /**
   * What names of the row that are no fields may become, where half of the faults or more are of these names or of fields that the row lacks: a
   * guess, for a person to decide. Null where there is none.
   */
  likelyRenames(kinds: readonly RejectionTally[], { types }: Pick<KnownIngest, 'types'>): Renames | null {
    const members = membersOrNone(this.#texts[0] ?? '')
    const there = new Set(members.map(({ name }) => name))
    const unknown = members.filter(({ name }) => !types.has(name))
    const unfed = [...types].filter(([name]) => !there.has(name)).map(([name, type]) => ({ name, type }))
    const named = new Set([...unknown, ...unfed].map(({ name }) => name))
    const told = kinds.reduce((sum, { rows }) => sum + rows, 0)
    const ofNames = kinds
      .filter(({ code, field }) => field !== null && named.has(field) && isOfNames(code))
      .reduce((sum, { rows }) => sum + rows, 0)
    if (told === 0 || 2 * ofNames < told) return null
    const likely = likelyFields(
      unknown.map(({ name, value }) => ({ name, cell: value.startsWith('"') ? JSON.parse(value) : value })),
      unfed,
    )
    const renames = unknown.flatMap(({ name, value }, place) => {
      const field = likely[place] ?? null
      // A field of texts takes no number of JSON, under whichever name.
      const isTaken = field !== null && (value.startsWith('"') || types.get(field) !== 'string')
      return isTaken ? [[name, field] as const] : []
    })
    return renames.length === 0 ? null : new Map(renames)
  }

  /** The first time of the rows that is likely meant in seconds; null where there is none. */
  likelySeconds({ types }: Pick<KnownIngest, 'types'>): ReadAsMilliseconds | null {
    return firstLikelySeconds(this.#texts, types)
  }
}

const isOfNames = (code: string): boolean => code === 'unknown_field' || code.startsWith('missing_')

/** Whether rows were rejected for names that the ingest does not know. */
export function hasUnknownNames(kinds: readonly RejectionTally[], types: PropertyTypes): boolean {
  return types.size > 0 && kinds.some(({ code }) => code === 'unknown_field')
}
