// What a regular expression comes to once its counts are written out.

/** An escape, a class, or a count with what it follows. */
const patternPart = /\\.|\[(?:\\.|[^\]\\])*(?:\]|\\?$)|\{(\d+)(?:,(\d*))?\}|[()]/gs

/** How often a part of a pattern is repeated by counts, at the most. */
export function repetitionsOf(pattern: string): number {
  /** Of each open group, and of the one that was closed last. */
  const open: number[] = [1]
  let closed = 1
  let end = 0
  for (const match of pattern.matchAll(patternPart)) {
    const [text, least, most] = match
    // A count right behind a group repeats all in it.
    const within = pattern[match.index - 1] === ')' && end === match.index ? closed : 1
    if (text === '(') open.push(1)
    else if (text === ')') {
      closed = open.length > 1 ? open.pop()! : 1
      open[open.length - 1] = Math.max(open.at(-1)!, closed)
      end = match.index + 1
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most || 0), 1)
      open[open.length - 1] = Math.max(open.at(-1)!, within * times)
    }
  }
  return Math.max(...open)
}

/** Steps for a text and a pattern, each character of the text against each part of the pattern, that take some tenths of a second. */
const stepsMax = 200_000_000

/** How long a text may be that is matched by a pattern. */
export function textMaxOf(pattern: string): number {
  return Math.floor(stepsMax / Math.max(1, pattern.length * repetitionsOf(pattern)))
}
