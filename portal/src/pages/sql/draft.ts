// What is being written stays in this tab when its page is left.

interface Draft {
  /** The text that the address gave when it was begun. */
  readonly given: string | null
  readonly text: string
}

const keyOf = (mode: string): string => `tidemark.draft.${mode}`

/** What was being written, unless the address gives another text now. */
export function draftOf(mode: string, given: string | null): string | null {
  try {
    const kept: Draft | null = JSON.parse(sessionStorage.getItem(keyOf(mode)) ?? 'null')
    return kept !== null && (given === null || kept.given === given) ? String(kept.text) : given
  } catch {
    return given
  }
}

export function keepDraft(mode: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(mode), JSON.stringify(draft))
  } catch {
    // A browser that has no room for it keeps the one before.
  }
}
