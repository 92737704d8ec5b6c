const halfPair = /\p{Surrogate}/u

/** Whether a text contains a lone surrogate, which JSON can express and UTF-8 cannot: no stored text has one. */
export function hasHalfPair(text: string): boolean {
  return halfPair.test(text)
}
