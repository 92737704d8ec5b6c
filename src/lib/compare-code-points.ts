const firstSurrogate = 0xd800
const lastSurrogate = 0xdfff

/** Moves the surrogates after U+FFFF, where the characters they encode belong. */
function rank(unit: number): number {
  if (unit < firstSurrogate) return unit
  return unit <= lastSurrogate ? unit + 0x2000 : unit - 0x800
}

/** Orders two strings by code point, as UTF-8 bytes are ordered; `<` orders by UTF-16 units, which differs beyond U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}
