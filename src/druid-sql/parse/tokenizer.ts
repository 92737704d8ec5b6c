// Splits the caller's text into tokens, by hand: strings, quoted names, comments and numbers are recognized before anything else reads the text.
import { lengthAdvice, otherCharacters, otherLength } from './other-dialects.ts'
import { type Place, quoted, sqlProblem } from './sql-problem.ts'

export interface Token {
  /** `word` is a keyword or a name; `name` is a name in double quotes; `end` comes after the last token. */
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'symbol' | 'end'
  /** A word as it was written, the value of a string or name, the digits of a number, the symbol itself. */
  readonly text: string
  /** A word in upper case, to compare with keywords; otherwise the same as `text`. */
  readonly upper: string
  readonly place: Place
}

const wordStart = /[\p{L}_]/u
const wordPart = /[\p{L}\p{N}_$]/u
const space = /[\s\u00a0\ufeff]/
const digit = /[0-9]/
const numberForm = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const symbols = [
  '<>',
  '<=',
  '>=',
  '!=',
  '||',
  '=>',
  '(',
  ')',
  ',',
  '.',
  ';',
  '+',
  '-',
  '*',
  '/',
  '%',
  '<',
  '>',
  '=',
  '[',
  ']',
  ':',
  '?',
]

/** Throws a Problem where the text is not SQL: a quote or comment that is not closed, or a character without a meaning. */
export function tokenize(text: string, tokensMax = Number.POSITIVE_INFINITY): Token[] {
  return new Tokenizer(text, tokensMax).all()
}

class Tokenizer {
  readonly #text: string
  readonly #tokensMax: number
  readonly #tokens: Token[] = []
  #at = 0
  #line = 1
  #lineStart = 0
  /** The end of the current line. */
  #lineEnd: number

  constructor(text: string, tokensMax: number) {
    this.#text = text
    this.#tokensMax = tokensMax
    this.#lineEnd = this.#endOfLine(0)
  }

  all(): Token[] {
    for (;;) {
      this.#skip()
      if (this.#at >= this.#text.length) break
      if (this.#tokens.length === this.#tokensMax) {
        const what = `the query has more than ${this.#tokensMax} words and symbols (limits.sqlTokens)`
        throw sqlProblem(this.#place(), `${what}: split it`)
      }
      this.#token()
    }
    this.#add('end', '', this.#place())
    return this.#tokens
  }

  #place(): Place {
    return { line: this.#line, column: this.#at - this.#lineStart + 1 }
  }

  #add(kind: Token['kind'], text: string, place: Place): void {
    this.#tokens.push({ kind, text, upper: kind === 'word' ? text.toUpperCase() : text, place })
  }

  /** Advances to `to`, counting the lines on the way. */
  #advance(to: number): void {
    while (this.#lineEnd < to) {
      this.#line += 1
      this.#lineStart = this.#lineEnd + 1
      this.#lineEnd = this.#endOfLine(this.#lineStart)
    }
    this.#at = to
  }

  #endOfLine(from: number): number {
    const end = this.#text.indexOf('\n', from)
    return end < 0 ? this.#text.length : end
  }

  #skip(): void {
    const text = this.#text
    for (;;) {
      const at = this.#at
      if (space.test(text[at] ?? '')) this.#advance(at + 1)
      else if (text.startsWith('--', at) || text.startsWith('//', at)) {
        const end = text.indexOf('\n', at)
        this.#advance(end < 0 ? text.length : end)
      } else if (text.startsWith('/*', at)) {
        const end = text.indexOf('*/', at + 2)
        if (end < 0) throw sqlProblem(this.#place(), 'the comment that begins here is not closed: write */ at its end')
        this.#advance(end + 2)
      } else return
    }
  }

  #token(): void {
    const text = this.#text
    const character = String.fromCodePoint(text.codePointAt(this.#at)!)
    const place = this.#place()
    const isDigit = digit.test(character) || (character === '.' && digit.test(text[this.#at + 1] ?? ''))
    if (character === "'") this.#add('string', this.#quotedBy("'", place), place)
    else if (character === '"') this.#add('name', this.#nameOf(this.#quotedBy('"', place), place), place)
    else if (isDigit) this.#number(place)
    else if (/[uU]/.test(character) && text.startsWith("&'", this.#at + 1)) this.#unicodeString(place)
    else if (wordStart.test(character)) this.#word(place)
    else this.#symbol(character, place)
  }

  #symbol(character: string, place: Place): void {
    const symbol = symbols.find((candidate) => this.#text.startsWith(candidate, this.#at))
    if (symbol === undefined) {
      const advice = otherCharacters.get(character)
      throw sqlProblem(
        place,
        `${quoted(character)} has no meaning in SQL here${advice === undefined ? '' : `: ${advice}`}`,
      )
    }
    this.#advance(this.#at + symbol.length)
    this.#add('symbol', symbol, place)
  }

  /** The text between two quotes, in which the quote itself is written twice. */
  #quotedBy(quote: string, place: Place): string {
    let value = ''
    for (let from = this.#at + 1; ; ) {
      const end = this.#text.indexOf(quote, from)
      if (end < 0)
        throw sqlProblem(
          place,
          `the ${quote === "'" ? 'string' : 'name'} that begins here is not closed: write ${quote} at its end`,
        )
      value += this.#text.slice(from, end)
      if (this.#text[end + 1] !== quote) {
        this.#advance(end + 1)
        return value
      }
      value += quote
      from = end + 2
    }
  }

  #nameOf(name: string, place: Place): string {
    if (name === '') throw sqlProblem(place, 'a name cannot be empty: write a string in single quotes')
    return name
  }

  #number(place: Place): void {
    numberForm.lastIndex = this.#at
    const found = numberForm.exec(this.#text)![0]
    const end = this.#endOfWord(this.#at + found.length)
    if (end > this.#at + found.length && wordStart.test(this.#text[this.#at + found.length]!)) {
      const whole = this.#text.slice(this.#at, end)
      const hint = otherLength.test(whole) ? lengthAdvice : 'write a name that begins with a digit in double quotes'
      throw sqlProblem(place, `${quoted(whole)} is not a number: ${hint}`)
    }
    this.#advance(this.#at + found.length)
    this.#add('number', found, place)
  }

  #word(place: Place): void {
    const end = this.#endOfWord(this.#at)
    const word = this.#text.slice(this.#at, end)
    this.#advance(end)
    this.#add('word', word, place)
  }

  #endOfWord(from: number): number {
    let end = from
    while (end < this.#text.length) {
      const character = String.fromCodePoint(this.#text.codePointAt(end)!)
      if (!wordPart.test(character)) break
      end += character.length
    }
    return end
  }

  /** `U&'d\0061t\+000061'`: code points by their hexadecimal digits. */
  #unicodeString(place: Place): void {
    this.#advance(this.#at + 2)
    const raw = this.#quotedBy("'", place)
    const value = raw.replace(
      /\\(?:\\|\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4})|)/g,
      (match, long: string, short: string) => {
        if (match === '\\\\') return '\\'
        const code = Number.parseInt(long ?? short ?? 'x', 16)
        if (Number.isNaN(code) || code > 0x10ffff)
          throw sqlProblem(place, 'a backslash in this string must be followed by four hexadecimal digits')
        return String.fromCodePoint(code)
      },
    )
    this.#add('string', value, place)
  }
}
