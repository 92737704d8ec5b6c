// LIKE without backtracking: an engine may try a pattern with both `%` and `_` at every position of a text, again for each `%`.

export type LikeForm =
  /** No character is escaped, and the engine matches the pattern in one pass. */
  | { readonly kind: 'like'; readonly pattern: string }
  /** For RE2, which reads a text once. */
  | { readonly kind: 'regex'; readonly pattern: string }

/** The form in which a LIKE is sent to the engine. An escape character escapes any character after it; at the end it is ignored. */
export function likeForm(pattern: string, escapedBy: string | null): LikeForm {
  const isEscaped = escapedBy !== null && pattern.includes(escapedBy)
  if (!isEscaped && !(pattern.includes('%') && pattern.includes('_'))) return { kind: 'like', pattern }
  let regex = '(?s)'
  const characters = [...pattern]
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === escapedBy) regex += quoted(characters[++at] ?? '')
    else if (character === '%') regex += regex.endsWith('.*') ? '' : '.*'
    else regex += character === '_' ? '.' : quoted(character)
  }
  return { kind: 'regex', pattern: regex }
}

const quoted = (character: string): string => (/[\w\u{80}-\u{10FFFF}]/u.test(character) ? character : codeOf(character))

const codeOf = (character: string): string =>
  character === '' ? '' : `\\x{${character.codePointAt(0)!.toString(16).padStart(2, '0')}}`
