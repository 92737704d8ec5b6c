// Parses the supported part of InfluxQL's grammar. The rest of the grammar is refused by name.
import type { Problem } from '../model/problem.ts'
import { refusedStatements } from './refusals.ts'
import {
  type Arithmetic,
  type Comparison,
  type Fill,
  type GroupBy,
  type Node,
  type PatternNode,
  type Select,
  type Show,
  type Source,
  type Statement,
  shown,
} from './syntax.ts'
import { type BoundValue, durationNs, syntaxProblem, type Token, tokensOf } from './tokens.ts'

const comparisons: ReadonlyMap<string, Comparison> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['=~', '=~'],
  ['!~', '!~'],
])

const statementsMax = 100
/** The deepest nesting of parentheses, and the longest chain of operators. */
const nestingMax = 100

/** Throws Problem `invalid_request` with the position. */
export function parseInfluxql(text: string, values: ReadonlyMap<string, BoundValue> = new Map()): readonly Statement[] {
  return new Parser(text, tokensOf(text, values)).statements()
}

class Parser {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0
  #nesting = 0

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
  }

  statements(): readonly Statement[] {
    const statements: Statement[] = []
    for (;;) {
      if (this.#takeSymbol(';')) continue
      if (this.#token.kind === 'end') break
      if (statements.length === statementsMax)
        throw this.#problem(`there are more than ${statementsMax} statements: send several requests,`)
      statements.push(this.#statement())
      if (this.#tokens[this.#at]!.kind !== 'end') this.#symbol(';')
    }
    if (statements.length === 0) throw this.#expected('SELECT, SHOW')
    return statements
  }

  #statement(): Statement {
    if (this.#take('select')) return this.#select()
    if (this.#take('show')) return this.#show()
    const word = this.#token.text.toLowerCase()
    if (word === 'create' && this.#tokens[this.#at + 1]?.text.toLowerCase() === 'database')
      return this.#createDatabase()
    const refused = this.#token.kind === 'name' ? refusedStatements.get(word) : undefined
    throw refused === undefined ? this.#expected('SELECT, SHOW') : this.#problem(`${word.toUpperCase()} ${refused}`)
  }

  /** Writers create their database before they write. Nothing needs to be created, and the rest of the statement is ignored. */
  #createDatabase(): Statement {
    this.#at += 2
    this.#name()
    while (this.#token.kind !== 'end' && !this.#isSymbol(';')) this.#at++
    return { kind: 'create database' }
  }

  #select(): Select {
    const columns = this.#list(() => this.#column())
    if (this.#take('into')) throw this.#problem('SELECT INTO is not supported: push what you read into an ingest,')
    this.#word('from')
    const sources = this.#sources()
    const where = this.#take('where') ? this.#condition() : null
    const groupBy = this.#groupBy()
    const fill = this.#fill()
    const isDescending = this.#isDescending()
    const page = this.#page()
    const seriesLimit = this.#count('slimit')
    const seriesOffset = this.#count('soffset') ?? 0
    const zone = this.#zone()
    return {
      kind: 'select',
      columns,
      sources,
      where,
      groupBy,
      fill,
      isDescending,
      ...page,
      seriesLimit,
      seriesOffset,
      zone,
    }
  }

  #column(): Select['columns'][number] {
    const value = this.#sum()
    return { value, alias: this.#take('as') ? this.#name() : null }
  }

  #sources(): readonly Source[] {
    return this.#list(() => {
      if (this.#isSymbol('('))
        throw this.#problem('a subquery is not supported: write it in SQL, at POST /consumer/data/sql-query,')
      // `"db".."m"` leaves out the retention policy.
      const part = () => (this.#isSymbol('.') ? null : (this.#pattern() ?? this.#name()))
      const parts = [part()]
      while (this.#takeSymbol('.')) parts.push(part())
      const [database = null, measurement = null] = [parts.at(-3), parts.at(-1)]
      if (measurement === null || parts.length > 3) throw this.#expected('a measurement')
      return { database: typeof database === 'string' ? database : null, measurement }
    })
  }

  #groupBy(): GroupBy {
    let interval: GroupBy['interval'] = null
    let allTags = false
    const tags: (string | PatternNode)[] = []
    if (this.#take('group')) {
      this.#word('by')
      this.#list(() => {
        const pattern = this.#pattern()
        if (pattern !== null) tags.push(pattern)
        else if (this.#takeSymbol('*')) {
          allTags = true
          this.#cast()
        } else if (this.#token.text.toLowerCase() === 'time' && this.#tokens[this.#at + 1]?.text === '(') {
          this.#at += 2
          const ns = this.#duration()
          const offset = this.#takeSymbol(',') ? this.#sum() : null
          this.#symbol(')')
          interval = ns === 0n ? null : { ns, offset }
        } else {
          tags.push(this.#name())
          this.#cast()
        }
      })
    }
    return { interval, tags, allTags }
  }

  #fill(): Fill {
    if (!this.#take('fill')) return 'null'
    this.#symbol('(')
    const isNegative = this.#takeSymbol('-')
    const { kind, text } = this.#token
    this.#at++
    this.#symbol(')')
    if (kind === 'number' && Number.isFinite(Number(text))) return { digits: isNegative ? negative(text) : text }
    const name = text.toLowerCase()
    if (name === 'null' || name === 'none' || name === 'previous' || name === 'linear') return name
    this.#at -= 2
    throw this.#expected('null, none, previous, linear or a number')
  }

  #isDescending(): boolean {
    if (!this.#take('order')) return false
    this.#word('by')
    if (this.#name().toLowerCase() !== 'time') throw this.#problem('only ORDER BY time is supported: sort the answer,')
    return this.#take('desc') || (this.#take('asc') && false)
  }

  #page(): { readonly limit: number | null; readonly offset: number } {
    return { limit: this.#count('limit'), offset: this.#count('offset') ?? 0 }
  }

  #count(word: string): number | null {
    if (!this.#take(word)) return null
    const { kind, text } = this.#token
    if (kind !== 'number' || !/^\d{1,15}$/.test(text)) throw this.#expected('a whole number')
    this.#at++
    // As in InfluxDB, 0 means no limit.
    return text === '0' ? null : Number(text)
  }

  #zone(): string | null {
    if (!this.#take('tz')) return null
    this.#symbol('(')
    const { kind, text } = this.#token
    if (kind !== 'text') throw this.#expected("a time zone as 'Europe/Madrid'")
    this.#at++
    this.#symbol(')')
    return text
  }

  #show(): Show {
    const words: string[] = []
    while (this.#token.kind === 'name' && !shown.some((what) => what === words.join(' ').toLowerCase())) {
      words.push(this.#token.text)
      this.#at++
      if (words.length === 2) break
    }
    const what = shown.find((one) => one === words.join(' ').toLowerCase())
    if (what === undefined)
      throw this.#problem(
        `SHOW ${words.join(' ').toUpperCase()} is not supported: there are SHOW ${shown.join(', ').toUpperCase()},`,
      )
    const database = this.#take('on') ? this.#name() : null
    let condition: Show['with'] = what === 'measurements' ? this.#with('measurement') : null
    const sources = this.#take('from') ? this.#sources() : []
    if (what === 'tag values') condition = this.#with('key')
    if (what === 'tag values' && condition === null) throw this.#expected('WITH KEY')
    const where = this.#take('where') ? this.#condition() : null
    this.#isDescending()
    return { kind: 'show', what, database, sources, where, with: condition, ...this.#page() }
  }

  #with(word: string): Show['with'] {
    if (!this.#take('with')) return null
    this.#word(word)
    if (this.#take('in')) {
      this.#symbol('(')
      const values = this.#list(() => this.#name())
      this.#symbol(')')
      return { operator: '=', values }
    }
    const operator = comparisons.get(this.#token.text)
    if (operator === undefined || /[<>]/.test(operator)) throw this.#expected('=, !=, =~, !~ or IN')
    this.#at++
    const value = operator.includes('~') ? this.#pattern() : this.#name()
    if (value === null) throw this.#expected('a regular expression')
    return { operator, values: [value] }
  }

  #condition(): Node {
    return this.#logic('or', () => this.#logic('and', () => this.#comparison()))
  }

  #logic(kind: 'and' | 'or', operand: () => Node): Node {
    const operands = [operand()]
    while (this.#take(kind)) operands.push(operand())
    return operands.length === 1 ? operands[0]! : { kind, operands }
  }

  #comparison(): Node {
    const left = this.#sum()
    const operator = this.#token.kind === 'symbol' ? comparisons.get(this.#token.text) : undefined
    if (operator === undefined) return left
    this.#at++
    if (!operator.includes('~')) return { kind: 'comparison', operator, left, right: this.#sum() }
    const right = this.#pattern()
    if (right === null) throw this.#expected('a regular expression')
    return { kind: 'comparison', operator, left, right }
  }

  #sum(): Node {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#value()))
  }

  #chain(operators: readonly Arithmetic[], operand: () => Node): Node {
    let left = operand()
    for (let length = 0; ; length++) {
      const operator = operators.find((one) => this.#isSymbol(one))
      if (operator === undefined) return left
      if (length === nestingMax) throw this.#tooDeep()
      this.#at++
      left = { kind: 'arithmetic', operator, left, right: operand() }
    }
  }

  #value(): Node {
    const { kind, text } = this.#token
    if (this.#takeSymbol('(')) return this.#nested(() => this.#condition())
    if (this.#takeSymbol('*')) return { kind: 'wildcard', of: this.#cast() }
    if (this.#takeSymbol('-')) return this.#negated()
    const pattern = this.#pattern()
    if (pattern !== null) return pattern
    if (kind === 'name' || kind === 'quoted') return this.#nameOrCall()
    this.#at++
    if (kind === 'number') return { kind: 'number', digits: text }
    if (kind === 'text') return { kind: 'text', value: text }
    if (kind === 'duration') return { kind: 'duration', ns: durationNs(text) }
    this.#at--
    throw this.#expected('identifier, string, number, bool')
  }

  #negated(): Node {
    const { kind, text } = this.#token
    if (kind === 'number') {
      this.#at++
      return { kind: 'number', digits: negative(text) }
    }
    if (kind === 'duration') {
      this.#at++
      return { kind: 'duration', ns: -durationNs(text) }
    }
    const right = this.#nestedAs(() => this.#value())
    return { kind: 'arithmetic', operator: '*', left: { kind: 'number', digits: '-1' }, right }
  }

  #nameOrCall(): Node {
    const { kind, text } = this.#token
    const word = text.toLowerCase()
    if (kind === 'name' && (word === 'true' || word === 'false')) {
      this.#at++
      return { kind: 'boolean', value: word === 'true' }
    }
    let name = this.#name()
    if (kind === 'name' && this.#takeSymbol('(')) {
      const operands = this.#isSymbol(')') ? [] : this.#nestedAs(() => this.#list(() => this.#sum()))
      this.#symbol(')')
      return { kind: 'call', name: word, operands }
    }
    while (this.#takeSymbol('.')) name += `.${this.#name()}`
    return { kind: 'name', name, of: this.#cast() }
  }

  /** `::tag`, `::field`, or any type, which counts as `::field`. */
  #cast(): 'field' | 'tag' | null {
    if (!this.#takeSymbol('::')) return null
    const type = this.#name().toLowerCase()
    return type === 'tag' ? 'tag' : 'field'
  }

  #nested<Result>(read: () => Result): Result {
    const result = this.#nestedAs(read)
    this.#symbol(')')
    return result
  }

  #nestedAs<Result>(read: () => Result): Result {
    if (++this.#nesting > nestingMax) throw this.#tooDeep()
    const result = read()
    this.#nesting--
    return result
  }

  #duration(): bigint {
    const { kind, text } = this.#token
    if (kind !== 'duration' && text !== '0') throw this.#expected('duration')
    this.#at++
    return durationNs(text)
  }

  #pattern(): PatternNode | null {
    if (this.#token.kind !== 'pattern') return null
    return { kind: 'pattern', source: this.#tokens[this.#at++]!.text }
  }

  #name(): string {
    const { kind, text } = this.#token
    if (kind !== 'name' && kind !== 'quoted') throw this.#expected('identifier')
    this.#at++
    return text
  }

  #list<Item>(item: () => Item): Item[] {
    const items = [item()]
    while (this.#takeSymbol(',')) items.push(item())
    return items
  }

  get #token(): Token {
    return this.#tokens[this.#at]!
  }

  #take(word: string): boolean {
    const { kind, text } = this.#token
    if (kind !== 'name' || text.toLowerCase() !== word) return false
    this.#at++
    return true
  }

  #word(word: string): void {
    if (!this.#take(word)) throw this.#expected(word.toUpperCase())
  }

  #isSymbol(symbol: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === symbol
  }

  #takeSymbol(symbol: string): boolean {
    if (!this.#isSymbol(symbol)) return false
    this.#at++
    return true
  }

  #symbol(symbol: string): void {
    if (!this.#takeSymbol(symbol)) throw this.#expected(symbol)
  }

  #expected(what: string): Problem {
    const { text } = this.#token
    return this.#problem(`found ${text.length > 100 ? `${text.slice(0, 100)}...` : text}, expected ${what}`)
  }

  #tooDeep(): Problem {
    return this.#problem(`the query nests deeper than ${nestingMax} levels: split it,`)
  }

  #problem(what: string): Problem {
    return syntaxProblem(this.#text, this.#token.at, what)
  }
}

/** The digits may already have a sign when they come from a bound parameter. */
const negative = (digits: string): string => (digits.startsWith('-') ? digits.slice(1) : `-${digits}`)
