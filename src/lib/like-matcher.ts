/**
 * Whether texts match a LIKE pattern: `%` matches any characters, `_` one. An escape makes the next character literal; one at the end is ignored.
 * A text is scanned once, and again from the last `%` after each mismatch.
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
      // The `%` consumes one more character.
      part = lastAny + 1
      at = ++resumeAt
    } else return false
  }
  while (parts[part] === any) part++
  return part === parts.length
}

/** The LIKE pattern, with backslash as its escape, for texts with this prefix. */
export function prefixPattern(prefix: string): string {
  return `${prefix.replace(/[\\%_]/g, '\\$&')}%`
}
