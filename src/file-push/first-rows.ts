import type { KnownIngest, PropertyTypes } from './known-ingest.ts'
import { likelyFields } from './likely-fields.ts'
import { firstMisread, type MisreadTime, membersOrNone, mostlyCompactDates } from './misread-times.ts'
import type { RejectionTally } from './rejections.ts'
import type { PushedRows } from './rows.ts'

/** Longer rows are ignored. */
const rowBytesMax = 64 * 1024
/** The number of rows that are searched for a time that was probably meant differently. */
const rowsMax = 100

/** After this many bytes no more rows are read ahead before sending. */
const headBytesMax = 1024 * 1024

/** New names for properties. */
export type Renames = ReadonlyMap<string, string>

/** Remembers the first rows of a JSON file. The names in the first row suggest corrections of rejected names, and all show how times are meant. */
export class FirstRows {
  readonly #texts: string[] = []

  /** Returns the rows, after reading the first ones ahead. An error of reading ahead is thrown where the rows are consumed. */
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
   * Suggests fields for names in the row that are not fields, if at least half of the faults concern these names or fields that the row lacks. It is a
   * guess for the user to decide on; null if there is none.
   */
  likelyRenames(kinds: readonly RejectionTally[], { types }: Pick<KnownIngest, 'types'>): Renames | null {
    const members = membersOrNone(this.#texts[0] ?? '')
    const there = new Set(members.map(({ name }) => name))
    const unknown = members.filter(({ name }) => !types.has(name))
    const unfed = [...types].filter(([name]) => !there.has(name)).map(([name, type]) => ({ name, type }))
    const named = new Set([...unknown, ...unfed].map(({ name }) => name))
    const listed = kinds.reduce((sum, { rows }) => sum + rows, 0)
    const ofNames = kinds
      .filter(({ code, field }) => field !== null && named.has(field) && isOfNames(code))
      .reduce((sum, { rows }) => sum + rows, 0)
    if (listed === 0 || 2 * ofNames < listed) return null
    const likely = likelyFields(
      unknown.map(({ name, value }) => ({ name, cell: value.startsWith('"') ? JSON.parse(value) : value })),
      unfed,
    )
    const renames = unknown.flatMap(({ name, value }, place) => {
      const field = likely[place] ?? null
      // A string field accepts no JSON number, whatever the name.
      const isTaken = field !== null && (value.startsWith('"') || types.get(field) !== 'string')
      return isTaken ? [[name, field] as const] : []
    })
    return renames.length === 0 ? null : new Map(renames)
  }

  /** The first time in the rows that was probably meant differently; null if there is none. */
  misread({ types }: Pick<KnownIngest, 'types'>): MisreadTime | null {
    return firstMisread(this.#texts, types)
  }

  /** A compact date, if more than half of the rows have one in its property; else null. */
  compactDates({ types }: Pick<KnownIngest, 'types'>): MisreadTime | null {
    return mostlyCompactDates(this.#texts, types)
  }
}

const isOfNames = (code: string): boolean => code === 'unknown_field' || code.startsWith('missing_')

/** Whether rows were rejected because of names that the ingest does not know. */
export function hasUnknownNames(kinds: readonly RejectionTally[], types: PropertyTypes): boolean {
  return types.size > 0 && kinds.some(({ code }) => code === 'unknown_field')
}
