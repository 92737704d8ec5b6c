// What is being validated, written where it outlives the validator: who comes after one that ended without a word knows what it was at.

/** Entries that one step validates, or the next rows of one. */
export interface ValidatedSpan {
  /** That of the first entry. */
  readonly position: number
  /** The first row that is validated. */
  readonly fromPosition: number
  /** The position after the last entry. */
  readonly throughPosition: number
  readonly entries: number
  /** How the entry is validated: 0 as any other, else by what was decided of it. */
  readonly level: number
  /** Whether the entry is validated in the smallest pieces. */
  readonly isCareful?: boolean
  /** Written once the validator has ended of it and its process has not: without it, whatever ended the process may have ended the validator. */
  readonly hasDied?: boolean
}

/** A span that was being validated when the validator ended. */
export interface Suspect extends ValidatedSpan {
  /** How often the validator is known to have ended of it. */
  readonly deaths: number
  /** How often its process ended meanwhile, for whatever reason. */
  readonly kills?: number
  /** Whether it is enough: the entry is to be quarantined. */
  readonly isDue: boolean
}

export interface ValidationNote {
  readonly validating: ValidatedSpan | null
  readonly suspect: Suspect | null
}

export interface ValidationNotes {
  /** The newest note; null when there is none, or it cannot be read. It need not outlive the machine, only the process. */
  read(): Promise<ValidationNote | null>
  write(note: ValidationNote): Promise<void>
}

export const emptyNote: ValidationNote = { validating: null, suspect: null }

/** A note as text, and back; null where it is none. */
export function noteText(note: ValidationNote): string {
  return JSON.stringify(note)
}

export function noteOf(text: string): ValidationNote | null {
  try {
    const note: ValidationNote = JSON.parse(text)
    // One of another version, say.
    return typeof note === 'object' && note !== null && 'validating' in note && 'suspect' in note ? note : null
  } catch {
    return null
  }
}
