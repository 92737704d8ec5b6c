import { msPerDay } from '../../../model/instant.ts'
import { baseOf } from '../deletions/visible-file.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import type { Expiry } from './expiry.ts'

/** The number of rows that are converted to hours in one step; each step is recorded before the next. */
const rowsAtOnce = 50_000_000

/** Files whose rows before a date expire while their hours are kept. */
export interface ExpiringFiles {
  readonly entityId: number
  readonly files: readonly SealedFile[]
  /** The start of a UTC day. */
  readonly untilMs: number
}

interface ConversionParts {
  readonly store: { readonly position: number }
  readonly expiry: Pick<Expiry, 'sinceMs' | 'keptRules'>
}

/** Finds rows that are due to expire while their hours are kept. */
export class HourConversions {
  readonly #parts: ConversionParts
  /** By entity: the known date, and the position before which rows have to be sealed so that each hour is computed from all its rows. */
  readonly #known = new Map<number, { readonly sinceMs: number; readonly position: number }>()

  constructor(parts: ConversionParts) {
    this.#parts = parts
  }

  /** Whether rows from this position on have to be sealed. */
  needsSeal(frozenPosition: number): boolean {
    for (const { position } of this.#known.values()) if (position > frozenPosition) return true
    return false
  }

  /** Updates the dates of entities; `position` is the pipeline's position. Returns true when rows have to be sealed for a new date. */
  note(entityIds: Iterable<number>, position: number): boolean {
    let isNew = false
    for (const entityId of entityIds) {
      const sinceMs = this.#parts.expiry.keptRules(entityId) && this.#parts.expiry.sinceMs(entityId)
      if (sinceMs === null) this.#known.delete(entityId)
      else if (this.#known.get(entityId)?.sinceMs !== sinceMs) {
        this.#known.set(entityId, { sinceMs, position })
        isNew = true
      }
    }
    return isNew
  }

  /** Null when none are due. All files with rows before a date are chosen together, so that each hour is computed from all its rows. */
  choose(files: readonly SealedFile[], damaged: ReadonlySet<SealedFile>): ExpiringFiles | null {
    for (const [entityId, { sinceMs, position }] of this.#known) {
      if (this.#parts.store.position < position) continue
      const due = files.filter((file) => {
        const { info } = baseOf(file)
        return info.entityId === entityId && info.kind !== 'hours' && info.firstMs < sinceMs && !damaged.has(file)
      })
      if (due.length === 0) continue
      const untilMs = firstDays(due, sinceMs)
      return { entityId, untilMs, files: due.filter((file) => baseOf(file).info.firstMs < untilMs) }
    }
    return null
  }
}

/** The end of the oldest days that are converted to hours in one step; at least one day. */
function firstDays(files: readonly SealedFile[], sinceMs: number): number {
  const days = files.flatMap((file) => {
    const { day, rows } = baseOf(file).info
    return day === null ? [] : [{ endMs: (day + 1) * msPerDay, rows }]
  })
  let rows = 0
  for (const { endMs, rows: ofDay } of days.sort((left, right) => left.endMs - right.endMs)) {
    rows += ofDay
    if (rows >= rowsAtOnce) return Math.min(endMs, sinceMs)
  }
  return sinceMs
}
