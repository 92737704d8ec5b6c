// The size of a regular expression with its counts written out.

/** An escape, a class, a count in braces, or a parenthesis. */
const patternPart = /\\.|\[(?:\\.|[^\]\\])*(?:\]|\\?$)|\{(\d+)(?:,(\d*))?\}|[()]/gs

/** The most times that counts repeat any part of a pattern. */
export function repetitionsOf(pattern: string): number {
  /** The highest repetition within each open group; `closed` is that of the group closed last. */
  const open: number[] = [1]
  let closed = 1
  let end = 0
  for (const match of pattern.matchAll(patternPart)) {
    const [text, least, most] = match
    // A count directly after a group repeats everything in it.
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

/** The most steps of a match, some tenths of a second. A step compares one character of the text with one part of the pattern. */
const stepsMax = 200_000_000

/** The longest text that is matched against a pattern. */
export function textMaxOf(pattern: string): number {
  return Math.floor(stepsMax / Math.max(1, pattern.length * repetitionsOf(pattern)))
}
