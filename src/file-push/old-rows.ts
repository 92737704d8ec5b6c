import { jsonMembers } from '../lib/json-members.ts'
import { parseInstant } from '../model/instant.ts'
import type { KeptSince } from './known-ingest.ts'

/** Counts the rows that are older than their entity keeps its items: they are stored, and nobody is shown them. */
export class OldRows {
  readonly #kept: KeptSince | null
  #count = 0

  /** Null where all rows are kept: then none is looked at. */
  constructor(kept: KeptSince | null) {
    this.#kept = kept
  }

  get count(): number {
    return this.#count
  }

  get keptFromMs(): number | null {
    return this.#kept?.fromMs ?? null
  }

  /** `texts` are rows as JSON. What is none, or has no time, is none of them: it is rejected. */
  add(texts: readonly Uint8Array[]): void {
    if (this.#kept === null) return
    for (const text of texts) if (isOld(new TextDecoder().decode(text), this.#kept)) this.#count++
  }
}

function isOld(row: string, { timeProperty, fromMs }: KeptSince): boolean {
  const ms = timeIn(row, timeProperty)
  return ms !== null && ms < fromMs
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
