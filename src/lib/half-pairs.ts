const halfPair = /\p{Surrogate}/u

/** Whether a text holds half a surrogate pair, which JSON can write and UTF-8 cannot: no stored text has one. */
export function hasHalfPair(text: string): boolean {
  return halfPair.test(text)
}
