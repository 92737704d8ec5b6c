// Reads the members of a flat JSON object with each value as written: JSON.parse would lose digits of large integers.

/** One member; `value` is its JSON text. */
export interface JsonMember {
  readonly name: string
  readonly value: string
}

const token = /\s*([{},:[\]]|"(?:[^"\\]|\\.)*"|[^\s{},:[\]"]+)/y

/** Tokens of JSON text. The caller joins the tokens of an array or object. */
function tokens(text: string): string[] {
  const found: string[] = []
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) found.push(match[1]!)
  return found
}

/** The members of a JSON object, in order. Throws if the text is not an object. */
export function jsonMembers(text: string): JsonMember[] {
  const parts = tokens(text)
  if (parts[0] !== '{' || parts.at(-1) !== '}') throw new Error('the text is not a JSON object')
  const members: JsonMember[] = []
  for (let at = 1; at < parts.length - 1; at++) {
    const name: string = JSON.parse(parts[at]!)
    at += 2
    let value = ''
    for (let depth = 0; at < parts.length - 1 && !(depth === 0 && parts[at] === ','); at++) {
      const part = parts[at]!
      if (part === '{' || part === '[') depth++
      if (part === '}' || part === ']') depth--
      value += part
    }
    members.push({ name, value })
  }
  return members
}
