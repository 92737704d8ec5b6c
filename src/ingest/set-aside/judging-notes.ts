// What is being judged, written where it outlives the judge: who comes after one that ended without a word knows what it was at.

/** Entries that one step judges, or the next rows of one. */
export interface JudgedSpan {
  /** That of the first entry. */
  readonly position: number
  /** The first row that is judged. */
  readonly fromPosition: number
  /** The position after the last entry. */
  readonly throughPosition: number
  readonly entries: number
  /** How the entry is judged: 0 as any other, else by what was decided of it. */
  readonly level: number
  /** Whether the entry is judged in the smallest pieces. */
  readonly isCareful?: boolean
  /** Written once the judge has ended of it and its process has not: without it, whatever ended the process may have ended the judge. */
  readonly hasDied?: boolean
}

/** A span that was being judged when the judge ended. */
export interface Suspect extends JudgedSpan {
  /** How often the judge is known to have ended of it. */
  readonly deaths: number
  /** How often its process ended meanwhile, for whatever reason. */
  readonly kills?: number
  /** Whether it is enough: the entry is to be set aside. */
  readonly isDue: boolean
}

export interface JudgingNote {
  readonly judging: JudgedSpan | null
  readonly suspect: Suspect | null
}

export interface JudgingNotes {
  /** The newest note; null when there is none, or it cannot be read. It need not outlive the machine, only the process. */
  read(): Promise<JudgingNote | null>
  write(note: JudgingNote): Promise<void>
}

export const emptyNote: JudgingNote = { judging: null, suspect: null }

/** A note as text, and back; null where it is none. */
export function noteText(note: JudgingNote): string {
  return JSON.stringify(note)
}

export function noteOf(text: string): JudgingNote | null {
  try {
    const note: JudgingNote = JSON.parse(text)
    // One of another version, say.
    return typeof note === 'object' && note !== null && 'judging' in note && 'suspect' in note ? note : null
  } catch {
    return null
  }
}
