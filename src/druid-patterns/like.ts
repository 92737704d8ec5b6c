// LIKE without steps back: a pattern with `%` and `_` in it could be tried at every place of a text, for each `%` anew.

export type LikeForm =
  /** No character of it is escaped, and the engine is done with it in one go. */
  | { readonly kind: 'like'; readonly pattern: string }
  /** RE2's, which reads a text once. */
  | { readonly kind: 'regex'; readonly pattern: string }

/** How a LIKE is asked of the engine. An escape escapes whatever comes behind it; one at the end is as if it were not there. */
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
