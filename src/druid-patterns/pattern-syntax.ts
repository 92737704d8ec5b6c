// Java's regular expressions as trees that record only what is repeated and which characters match.

export type PatternNode =
  /** One character of a set: a bit for each ASCII character, and one for all others. */
  | { readonly kind: 'one'; readonly set: bigint }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: 'reference' }

const allCharacters = (1n << 129n) - 1n
const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
const nothing: PatternNode = { kind: 'sequence', items: [] }

/** The deepest nesting of groups that is parsed. */
const depthMax = 100

/** The flag for comments, with which a pattern is parsed differently. */
const comments = /\(\?[a-zA-Z-]*x/

/** Parses a pattern. Unknown syntax is taken to match any character. */
export function parsePattern(pattern: string): PatternNode | 'broken' | 'unreadable' {
  if (comments.test(pattern)) return 'unreadable'
  const reader = new PatternParser(pattern)
  const node = reader.choice(0)
  if (reader.isTooDeep) return 'unreadable'
  return reader.isAtEnd ? node : 'broken'
}

/** A quantifier or a count in braces. The next ones match the items that can be repeated. */
const quantifier = /[*+?]|\{(\d{1,9})(,)?(\d{1,9})?\}/y
const quoted = /\\Q([\s\S]*?)(?:\\E|$)/y
const escapeSequence = /\\(?:[pP](?:\{[^}]*\}|.)|x\{[0-9a-fA-F]+\}|x..|u....|c.|0[0-7]{1,3}|k<[^>]*>|.)/suy
const groupStart = /\((?:\?(?:<[=!]|[:=!>]|<\w+>|[a-zA-Z-]*:))?/y
const flags = /\(\?[a-zA-Z-]*\)/y
const bounds = new Set(['b', 'B', 'A', 'Z', 'z', 'G'])

class PatternParser {
  readonly #pattern: string
  readonly #ignoresCase: boolean
  readonly #sets = new Map<string, bigint>()
  #at = 0
  isTooDeep = false

  constructor(pattern: string) {
    this.#pattern = pattern
    this.#ignoresCase = /\(\?[a-zA-Z]*i/.test(pattern)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length
  }

  choice(depth: number): PatternNode {
    const options = [this.#sequence(depth)]
    while (this.#pattern[this.#at] === '|') {
      this.#at++
      options.push(this.#sequence(depth))
    }
    return options.length === 1 ? options[0]! : { kind: 'choice', options }
  }

  #sequence(depth: number): PatternNode {
    const items: PatternNode[] = []
    while (!this.isAtEnd && this.#pattern[this.#at] !== '|' && this.#pattern[this.#at] !== ')') {
      items.push(this.#repeated(this.#atom(depth)))
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items }
  }

  #repeated(body: PatternNode): PatternNode {
    const match = this.#take(quantifier)
    if (match === null) return body
    // Lazy and possessive quantifiers are treated as greedy ones.
    if (this.#pattern[this.#at] === '?' || this.#pattern[this.#at] === '+') this.#at++
    const [sign, least, comma, most] = match
    if (least === undefined) {
      const repeat = { kind: 'repeat', body } as const
      return { ...repeat, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    }
    const until = most !== undefined ? Number(most) : comma === undefined ? Number(least) : Number.POSITIVE_INFINITY
    return this.#repeated({ kind: 'repeat', body, least: Number(least), most: until })
  }

  #atom(depth: number): PatternNode {
    const text = this.#take(quoted)?.[1]
    if (text !== undefined) return { kind: 'sequence', items: Array.from(text, (one) => this.#literal(one)) }
    if (this.#take(flags) !== null) return nothing
    if (!this.isTooDeep && this.#take(groupStart) !== null) {
      this.isTooDeep = depth >= depthMax
      const body = this.choice(depth + 1)
      if (this.#pattern[this.#at] === ')') this.#at++
      return body
    }
    const character = this.#pattern[this.#at]!
    if (character === '[') return this.#oneOf(this.#bracket())
    const escaped = this.#take(escapeSequence)?.[0]
    if (escaped !== undefined) return this.#escaped(escaped)
    this.#at++
    if (character === '^' || character === '$') return nothing
    return character === '.' ? this.#oneOf('[^\\n]') : this.#literal(character)
  }

  #escaped(text: string): PatternNode {
    const letter = text[1] ?? ''
    if (bounds.has(letter)) return nothing
    if (/[1-9k]/.test(letter)) return { kind: 'reference' }
    return this.#oneOf(text)
  }

  /** The text of a class in brackets. */
  #bracket(): string {
    const start = this.#at
    let depth = 0
    for (; !this.isAtEnd; this.#at++) {
      const character = this.#pattern[this.#at]
      if (character === '\\') this.#at++
      else if (character === '[') depth++
      else if (character === ']' && this.#at > start + 1 && --depth === 0) break
    }
    this.#at++
    return this.#pattern.slice(start, this.#at)
  }

  #literal(character: string): PatternNode {
    return this.#oneOf(character.replace(/[^\w\s]/g, '\\$&'))
  }

  #oneOf(text: string): PatternNode {
    let set = this.#sets.get(text)
    if (set === undefined) {
      // Nested classes and these escapes exist only in Java.
      const isKnown = !/^\[.*(?:\[|&&)|^\\[RXhHvVN]/s.test(text)
      set = isKnown ? setOf(text, this.#ignoresCase) : allCharacters
      this.#sets.set(text, set)
    }
    return { kind: 'one', set }
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at
    const match = form.exec(this.#pattern)
    if (match !== null) this.#at = form.lastIndex
    return match
  }
}

function setOf(text: string, ignoresCase: boolean): bigint {
  const flags = `s${ignoresCase ? 'i' : ''}`
  let form: RegExp
  try {
    form = new RegExp(`^(?:${text})$`, /^\\[pP]|\\[pP]/.test(text) ? `${flags}u` : flags)
  } catch {
    return allCharacters
  }
  // All other characters count as members if any of them might be one.
  const others = /[^\x00-\x7f]|\\[^dsw\W]|^\[\^/.test(text) ? 1n << 128n : 0n
  return ascii.reduce((set, character, code) => (form.test(character) ? set | (1n << BigInt(code)) : set), others)
}
