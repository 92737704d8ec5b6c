import type { KnownIngest, PropertyTypes } from './known-ingest.ts'
import { likelyFields } from './likely-fields.ts'
import { firstMisread, type MisreadTime, membersOrNone, mostlyCompactDates } from './misread-times.ts'
import type { RejectionTally } from './rejections.ts'
import type { PushedRows } from './rows.ts'

/** A longer row is not looked at. */
const rowBytesMax = 64 * 1024
/** In so many rows a time is looked for that is likely meant otherwise. */
const rowsMax = 100

/** Behind so many bytes no further row is read before any is sent. */
const headBytesMax = 1024 * 1024

/** Another name for each of some properties. */
export type Renames = ReadonlyMap<string, string>

/** Remembers the first rows of a JSON file: the first one's names tell what rejected names should be, and all tell how times are meant. */
export class FirstRows {
  readonly #texts: string[] = []

  /** The rows, of which the first are known before any is taken. A fault of reading them is met where they are taken. */
  async of(rows: PushedRows): Promise<PushedRows> {
    const reading = rows[Symbol.asyncIterator]()
    const groups: IteratorResult<readonly Uint8Array[]>[] = []
    const faults: unknown[] = []
    for (let bytes = 0; this.#texts.length < rowsMax && bytes < headBytesMax; ) {
      const next = await reading.next().catch((error: unknown) => {
        faults.push(error)
        return null
      })
      if (next === null) break
      groups.push(next)
      if (next.done) break
      for (const row of next.value.slice(0, rowsMax - this.#texts.length)) {
        this.#texts.push(row.length > rowBytesMax ? '' : new TextDecoder().decode(row))
      }
      bytes += next.value.reduce((sum, row) => sum + row.length, 0)
    }
    return (async function* () {
      for (const group of groups) {
        if (group.done) return
        yield group.value
      }
      if (faults.length > 0) throw faults[0]
      yield* { [Symbol.asyncIterator]: () => reading }
    })()
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

  /** The first time of the rows that is likely meant otherwise; null where there is none. */
  misread({ types }: Pick<KnownIngest, 'types'>): MisreadTime | null {
    return firstMisread(this.#texts, types)
  }

  /** A compact date, where more than half of the rows have one in its property; null where that is not so. */
  compactDates({ types }: Pick<KnownIngest, 'types'>): MisreadTime | null {
    return mostlyCompactDates(this.#texts, types)
  }
}

const isOfNames = (code: string): boolean => code === 'unknown_field' || code.startsWith('missing_')

/** Whether rows were rejected for names that the ingest does not know. */
export function hasUnknownNames(kinds: readonly RejectionTally[], types: PropertyTypes): boolean {
  return types.size > 0 && kinds.some(({ code }) => code === 'unknown_field')
}
