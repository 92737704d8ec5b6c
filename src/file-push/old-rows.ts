import { jsonMembers } from '../lib/json-members.ts'
import { parseInstant } from '../model/instant.ts'
import type { RetainedSince } from './known-ingest.ts'

/** How many rows a text of the file is, and when they were: null where it has no time, and of what is none. */
export interface RowAge {
  readonly rows: number
  readonly ms: number | null
}

/** Counts the rows that are older than their entity keeps its items: they are stored, and nobody is shown them. */
export class OldRows {
  readonly #kept: RetainedSince | null
  readonly #ageOf: (text: Uint8Array, kept: RetainedSince) => RowAge
  #count = 0

  /** Null where all rows are kept: then none is looked at. Without `ageOf` texts are rows as JSON. */
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
