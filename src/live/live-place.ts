/** The place that a reader has reached in the rows and deletions of a single machine. */
export interface LivePlace {
  /** All rows before this position have been sent. */
  readonly position: number
  /** The id of the last deletion change that was sent, or that preceded the reader's start. */
  readonly change: number
}

export function livePlaceText({ position, change }: LivePlace): string {
  return `${position}.${change}`
}

/** Parses a text made by `livePlaceText`. */
export function livePlaceOf(text: string): LivePlace {
  const [position, change] = text.split('.').map(Number)
  return { position: position!, change: change! }
}
