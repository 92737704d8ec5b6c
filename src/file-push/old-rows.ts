import { jsonMembers } from '../lib/json-members.ts'
import { parseInstant } from '../model/instant.ts'
import type { RetainedSince } from './known-ingest.ts'

/** The number of rows of a text of the file, and their time; null if it has none or is invalid. */
export interface RowAge {
  readonly rows: number
  readonly ms: number | null
}

/** Counts the rows that are older than their entity's retention: they are stored but never shown. */
export class OldRows {
  readonly #kept: RetainedSince | null
  readonly #ageOf: (text: Uint8Array, kept: RetainedSince) => RowAge
  #count = 0

  /** `kept` is null if all rows are kept; then none is checked. By default texts are JSON rows. */
  constructor(kept: RetainedSince | null, ageOf: (text: Uint8Array, kept: RetainedSince) => RowAge = ageOfJson) {
    this.#kept = kept
    this.#ageOf = ageOf
  }

  get count(): number {
    return this.#count
  }

  get retainedFromMs(): number | null {
    return this.#kept?.fromMs ?? null
  }

  add(texts: readonly Uint8Array[]): void {
    const kept = this.#kept
    if (kept === null) return
    for (const text of texts) {
      const { ms, rows } = this.#ageOf(text, kept)
      if (ms !== null && ms < kept.fromMs) this.#count += rows
    }
  }
}

const decoder = new TextDecoder()

function ageOfJson(text: Uint8Array, { timeProperty }: RetainedSince): RowAge {
  return { rows: 1, ms: timeIn(decoder.decode(text), timeProperty) }
}

function timeIn(row: string, property: string): number | null {
  let value: unknown
  try {
    const members = jsonMembers(row.trim())
    value = JSON.parse(members.findLast(({ name }) => name === property)?.value ?? 'null')
  } catch {
    return null
  }
  if (typeof value === 'string') return parseInstant(value)
  return typeof value === 'number' ? value : null
}
