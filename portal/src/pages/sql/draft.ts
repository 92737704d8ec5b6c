// Saves the draft of a query in this tab when its page is left.

interface Draft {
  /** The text in the address when the draft was begun. */
  readonly given: string | null
  readonly text: string
}

const keyOf = (mode: string): string => `tidemark.draft.${mode}`

/** The saved draft, unless the address has another text now. */
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
    // Without space for it, the browser keeps the previous draft.
  }
}
