/** How far a reader was told the rows of one machine, and what was deleted of them. */
export interface LivePlace {
  /** All rows before it are told. */
  readonly position: number
  /** The id of the last change of deletions that was told, or came before. */
  readonly change: number
}

export function livePlaceText({ position, change }: LivePlace): string {
  return `${position}.${change}`
}

/** Of a text that `livePlaceText` has made. */
export function livePlaceOf(text: string): LivePlace {
  const [position, change] = text.split('.').map(Number)
  return { position: position!, change: change! }
}
