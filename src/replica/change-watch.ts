import type { RecordedTime } from './journal-marks.ts'

export interface ChangeWatchParts {
  /** The amount of the operator's changes to the catalog so far. */
  readonly changes: () => number
  readonly noted: () => RecordedTime
}

/** Records when the first of the operator's changes was made that the replica lacks. */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts
  #seen: { readonly changes: number; readonly at: RecordedTime }
  /** The first change that neither a moment nor the one being made has; and the first that only the one being made has. */
  #first: RecordedTime | null = null
  #firstOfMaking: RecordedTime | null = null

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts
    this.#seen = { changes: parts.changes(), at: parts.noted() }
  }

  /** To be called at intervals: a change counts from the last call that did not see it. */
  check(): void {
    const changes = this.#parts.changes()
    if (changes !== this.#seen.changes) this.#first ??= this.#seen.at
    this.#seen = { changes, at: this.#parts.noted() }
  }

  get hasChanges(): boolean {
    return this.#first !== null
  }

  /** When the first change was made that the replica lacks, by the steady clock; null when it has all. */
  get sinceMs(): number | null {
    return this.#firstOfMaking?.steadyMs ?? this.#first?.steadyMs ?? null
  }

  /** Makes a moment of the state seen last: `make` gets the time of the first change that only this moment will have. */
  async making<T>(
    make: (first: RecordedTime | null) => Promise<T>,
  ): Promise<{ readonly made: T; readonly changes: number }> {
    const first = this.#first
    const { changes } = this.#seen
    this.#first = null
    this.#firstOfMaking = first
    try {
      return { made: await make(first), changes }
    } catch (error) {
      this.#first = first ?? this.#first
      throw error
    } finally {
      this.#firstOfMaking = null
    }
  }
}
