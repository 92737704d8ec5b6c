// A note of the validation in progress that survives the validator: if it dies without an error, its successor knows the entries it was validating.

/** The entries that one step validates, or the next rows of one. */
export interface ValidatedSpan {
  /** The position of the first entry. */
  readonly position: number
  /** The position of the first row that is validated. */
  readonly fromPosition: number
  /** The position after the last entry. */
  readonly throughPosition: number
  readonly entries: number
  /** How the entry is validated: 0 normally, else the level of its quarantine decision. */
  readonly level: number
  /** Whether the entry is validated in pieces of the smallest size. */
  readonly isCareful?: boolean
  /** Set when the validator has died but its process has not. If unset, the cause may be whatever ended the process. */
  readonly hasDied?: boolean
}

/** A span that was being validated when the validator died. */
export interface Suspect extends ValidatedSpan {
  /** How often the validator is known to have died in it. */
  readonly deaths: number
  /** How often the process ended during it, for any reason. */
  readonly kills?: number
  /** Whether the entry is now to be quarantined. */
  readonly isDue: boolean
}

export interface ValidationNote {
  readonly validating: ValidatedSpan | null
  readonly suspect: Suspect | null
}

export interface ValidationNotes {
  /** The newest note; null if there is none or it cannot be read. It must survive the process, but not the machine. */
  read(): Promise<ValidationNote | null>
  write(note: ValidationNote): Promise<void>
}

export const emptyNote: ValidationNote = { validating: null, suspect: null }

/** Formats a note as text; `noteOf` parses it, and returns null for any other text. */
export function noteText(note: ValidationNote): string {
  return JSON.stringify(note)
}

export function noteOf(text: string): ValidationNote | null {
  try {
    const note: ValidationNote = JSON.parse(text)
    // For example, a note of another version.
    return typeof note === 'object' && note !== null && 'validating' in note && 'suspect' in note ? note : null
  } catch {
    return null
  }
}
