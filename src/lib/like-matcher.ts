/**
 * Whether texts are LIKE a pattern: `%` stands for any characters, `_` for one. An escape takes its meaning from whatever comes behind it; one at the
 * end is as if it were not there. A text is gone through once, and again from the last `%` where it did not fit.
 */
export function likeTest(pattern: string, escapedBy: string | null): (text: string) => boolean {
  const parts = partsOf(pattern, escapedBy)
  return (text) => fits([...text], parts)
}

const any = Symbol('any characters')
const one = Symbol('one character')
type Part = string | typeof any | typeof one

function partsOf(pattern: string, escapedBy: string | null): readonly Part[] {
  const characters = [...pattern]
  const parts: Part[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === escapedBy) {
      at++
      if (at < characters.length) parts.push(characters[at]!)
    } else if (character === '%') {
      if (parts.at(-1) !== any) parts.push(any)
    } else parts.push(character === '_' ? one : character)
  }
  return parts
}

function fits(text: readonly string[], parts: readonly Part[]): boolean {
  let at = 0
  let part = 0
  let lastAny = -1
  let resumeAt = 0
  while (at < text.length) {
    const wanted = parts[part]
    if (wanted === any) {
      lastAny = part++
      resumeAt = at
    } else if (wanted !== undefined && (wanted === one || wanted === text[at])) {
      part++
      at++
    } else if (lastAny >= 0) {
      // The `%` takes one character more.
      part = lastAny + 1
      at = ++resumeAt
    } else return false
  }
  while (parts[part] === any) part++
  return part === parts.length
}

/** The pattern, with a backslash as its escape, of the texts that begin so. */
export function prefixPattern(prefix: string): string {
  return `${prefix.replace(/[\\%_]/g, '\\$&')}%`
}
