// Finds properties in the text of a row as it was pushed.

export interface Member {
  readonly name: string
  /** The value's JSON text. */
  readonly value: string
  /** The range of name and value in the row's text. */
  readonly start: number
  readonly end: number
}

const token = /\s*([{},:[\]]|"(?:[^"\\]|\\.)*"|[^\s{},:[\]"]+)/y

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

function tokensOf(row: string): Token[] {
  const found: Token[] = []
  token.lastIndex = 0
  for (let match = token.exec(row); match !== null; match = token.exec(row)) {
    const text = match[1]!
    found.push({ text, start: token.lastIndex - text.length, end: token.lastIndex })
  }
  return found
}

/** The members of a row that is an object; null if it is not. */
export function membersOf(row: string): readonly Member[] | null {
  const tokens = tokensOf(row)
  if (tokens[0]?.text !== '{' || tokens.at(-1)?.text !== '}' || tokens.at(-1)!.end !== row.trimEnd().length) return null
  const members: Member[] = []
  let at = 1
  while (at < tokens.length - 1) {
    const name = nameOf(tokens[at]!.text)
    if (name === null || tokens[at + 1]?.text !== ':') return null
    const begin = at
    at += 2
    for (let depth = 0; at < tokens.length - 1 && !(depth === 0 && tokens[at]!.text === ','); at++) {
      if (/^[{[]$/.test(tokens[at]!.text)) depth++
      if (/^[}\]]$/.test(tokens[at]!.text)) depth--
    }
    const [start, end] = [tokens[begin]!.start, tokens[at - 1]!.end]
    members.push({ name, start, end, value: row.slice(tokens[begin + 2]?.start ?? end, end) })
    at += 1
  }
  return members
}

function nameOf(text: string): string | null {
  if (!text.startsWith('"')) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The range of the faulty property; null if the row as a whole is faulty, or lacks it. The last of duplicate properties counts. */
export function faultIn(row: string, field: string | null): { readonly start: number; readonly end: number } | null {
  if (field === null) return null
  return membersOf(row)?.findLast(({ name }) => name === field) ?? null
}

/** Puts JSON text on one line: line ends occur only between its tokens. */
export const oneLine = (row: string): string => row.replace(/[\r\n]+/g, ' ')
