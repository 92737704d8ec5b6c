import type { RecordedTime } from './journal-marks.ts'

export interface ChangeWatchParts {
  /** How much the operator's side has changed in the catalog so far. */
  readonly changes: () => number
  readonly noted: () => RecordedTime
}

/** When the first of the operator's changes was made that the replica lacks. */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts
  #seen: { readonly changes: number; readonly at: RecordedTime }
  /** Of the changes that no moment has, nor the one that is being made; and of those that only that one has. */
  #first: RecordedTime | null = null
  #firstOfMaking: RecordedTime | null = null

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts
    this.#seen = { changes: parts.changes(), at: parts.noted() }
  }

  /** To be called now and then: a change counts as of the last time that it was not there. */
  look(): void {
    const changes = this.#parts.changes()
    if (changes !== this.#seen.changes) this.#first ??= this.#seen.at
    this.#seen = { changes, at: this.#parts.noted() }
  }

  get hasChanges(): boolean {
    return this.#first !== null
  }

  /** When the first was made that the replica lacks, by the clock that runs evenly; null when it has all. */
  get sinceMs(): number | null {
    return this.#firstOfMaking?.steadyMs ?? this.#first?.steadyMs ?? null
  }

  /** A moment is made of what was seen last: `make` is told of the first change that only it will have. */
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
