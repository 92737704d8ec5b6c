// Parser of Druid's expression language. The grammar is in docs/druid-expressions.md.

import type { ElementType } from '../values/typed.ts'

export type BinaryOperator = '^' | '*' | '/' | '%' | '+' | '-' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&&' | '||'

export type Expression =
  | { readonly kind: 'null' }
  | { readonly kind: 'long'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: '-' | '!'; readonly operand: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'array'; readonly type: ElementType | null; readonly items: readonly Expression[] }
  | { readonly kind: 'lambda'; readonly parameters: readonly string[]; readonly body: Expression }

/** A syntax error, and the index of the character where it is. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault'
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

interface Token {
  readonly kind: 'long' | 'double' | 'text' | 'name' | 'quoted' | 'symbol' | 'end'
  readonly text: string
  readonly at: number
}

const tokenForm =
  /[ \t\r\n]+|((?:\d+\.\d*(?:[eE]-?\d+)?|\d+[eE]-?\d+|NaN(?![\w$])|Infinity(?![\w$])))|(\d+)|([_$a-zA-Z][_$a-zA-Z0-9]*)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(->|<=|>=|==|!=|&&|\|\||[-!^*/%+<>(),[\]])/y

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    tokenForm.lastIndex = at
    const match = tokenForm.exec(text)
    if (match === null) throw new ExpressionFault(`"${text[at]}" has no meaning here`, at)
    const kinds = ['double', 'long', 'name', 'quoted', 'text', 'symbol'] as const
    kinds.forEach((kind, index) => {
      const found = match[index + 1]
      if (found === undefined) return
      tokens.push({ kind, text: kind === 'quoted' || kind === 'text' ? unquote(found, at) : found, at })
    })
    at = tokenForm.lastIndex
  }
  tokens.push({ kind: 'end', text: '', at: text.length })
  return tokens
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

function unquote(text: string, at: number): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const character = escapes.get(code)
    if (character !== undefined) return character
    if (`'"\\/`.includes(code)) return code
    throw new ExpressionFault(`"\\${code}" is not an escape sequence`, at)
  })
}

/** Binary operators by precedence, lowest first. Operators of the same level are left-associative. */
const levels: readonly (readonly string[])[] = [
  ['&&', '||'],
  ['<', '<=', '>', '>=', '==', '!='],
  ['+', '-'],
  ['*', '/', '%'],
]

const elementTypes: readonly ElementType[] = ['STRING', 'LONG', 'DOUBLE']

/** Maximum nesting depth, far beyond practical use. */
const depthMax = 200

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor(text: string) {
    this.#tokens = tokenize(text)
  }

  whole(): Expression {
    const expression = this.#binary(0)
    if (this.#token.kind !== 'end') this.#refuse()
    return expression
  }

  get #token(): Token {
    return this.#tokens[this.#next]!
  }

  #refuse(): never {
    const { kind, text, at } = this.#token
    throw new ExpressionFault(kind === 'end' ? 'the expression ends too early' : `"${text}" is not expected here`, at)
  }

  #takes(...symbols: readonly string[]): string | null {
    const { kind, text } = this.#token
    if (kind !== 'symbol' || !symbols.includes(text)) return null
    this.#next++
    return text
  }

  #expect(symbol: string): void {
    if (this.#takes(symbol) === null) this.#refuse()
  }

  #binary(level: number): Expression {
    const operators = levels[level]
    if (operators === undefined) return this.#power()
    let left = this.#binary(level + 1)
    for (;;) {
      const operator = this.#takes(...operators)
      if (operator === null) return left
      left = { kind: 'binary', operator: operator as BinaryOperator, left, right: this.#binary(level + 1) }
    }
  }

  #power(): Expression {
    const left = this.#unary()
    return this.#takes('^') === null ? left : { kind: 'binary', operator: '^', left, right: this.#power() }
  }

  #unary(): Expression {
    if (++this.#depth > depthMax) throw new ExpressionFault('the expression is nested too deeply', this.#token.at)
    const operator = this.#takes('-', '!')
    const found: Expression =
      operator === null ? this.#primary() : { kind: 'unary', operator: operator as '-' | '!', operand: this.#unary() }
    this.#depth--
    return found
  }

  #primary(): Expression {
    const token = this.#token
    switch (token.kind) {
      case 'long':
        this.#next++
        return { kind: 'long', value: BigInt(token.text) }
      case 'double':
        this.#next++
        return { kind: 'double', value: Number(token.text) }
      case 'text':
        this.#next++
        return { kind: 'text', value: token.text }
      case 'quoted':
      case 'name':
        this.#next++
        return this.#named(token)
      default:
        return this.#bracketed()
    }
  }

  #bracketed(): Expression {
    if (this.#takes('(') !== null) {
      const inside = this.#binary(0)
      this.#expect(')')
      return inside
    }
    if (this.#takes('<') !== null) {
      const type = elementTypes.find((known) => known === this.#token.text) ?? this.#refuse()
      this.#next++
      this.#expect('>')
      this.#expect('[')
      return { kind: 'array', type, items: this.#literals() }
    }
    if (this.#takes('[') !== null) return { kind: 'array', type: null, items: this.#literals() }
    return this.#refuse()
  }

  /** The elements of an array literal: literals without a sign. */
  #literals(): readonly Expression[] {
    const items: Expression[] = []
    if (this.#takes(']') !== null) return items
    do {
      const { kind, text } = this.#token
      if (!['long', 'double', 'text'].includes(kind) && !(kind === 'name' && text === 'null')) this.#refuse()
      items.push(this.#primary())
    } while (this.#takes(',') !== null)
    this.#expect(']')
    return items
  }

  #named(token: Token): Expression {
    if (token.kind === 'name' && token.text === 'null') return { kind: 'null' }
    if (this.#takes('(') === null) return { kind: 'name', name: token.text }
    return { kind: 'call', name: token.text, args: this.#list(')') }
  }

  #list(end: string): readonly Expression[] {
    const items: Expression[] = []
    if (this.#takes(end) !== null) return items
    do {
      items.push(this.#lambda() ?? this.#binary(0))
    } while (this.#takes(',') !== null)
    this.#expect(end)
    return items
  }

  /** `x -> ...` or `(x, y) -> ...`; returns null and consumes nothing if there is no lambda. */
  #lambda(): Expression | null {
    const start = this.#next
    const parameters: string[] = []
    if (this.#takes('(') !== null) {
      while (this.#token.kind === 'name' || this.#token.kind === 'quoted') {
        parameters.push(this.#token.text)
        this.#next++
        if (this.#takes(',') === null) break
      }
      if (this.#takes(')') === null) parameters.length = 0
    } else if (this.#token.kind === 'name') {
      parameters.push(this.#token.text)
      this.#next++
    }
    if (this.#takes('->') !== null) return { kind: 'lambda', parameters, body: this.#binary(0) }
    this.#next = start
    return null
  }
}

/** Parses an expression. Throws ExpressionFault if the text is not valid. */
export function parseExpression(text: string): Expression {
  const whole = new Parser(text).whole()
  checkSize(whole, text.length)
  return whole
}

/** Maximum number of nodes of an expression, each of which becomes SQL. */
const partsMax = 1000

/** Uses an explicit stack, because a long sum is as deep as it has terms. */
function checkSize(whole: Expression, end: number): void {
  const stack: (readonly [part: Expression, depth: number])[] = [[whole, 1]]
  for (let parts = 0; stack.length > 0; parts++) {
    const [part, depth] = stack.pop()!
    if (depth > depthMax) throw new ExpressionFault('the expression is nested too deeply', end)
    if (parts > partsMax) throw new ExpressionFault(`the expression has more than ${partsMax} parts`, end)
    for (const inner of partsOf(part)) stack.push([inner, depth + 1])
  }
}

/** The direct children of a node. */
export function partsOf(part: Expression): readonly Expression[] {
  switch (part.kind) {
    case 'unary':
      return [part.operand]
    case 'binary':
      return [part.left, part.right]
    case 'call':
      return part.args
    case 'array':
      return part.items
    case 'lambda':
      return [part.body]
    default:
      return []
  }
}

/** An expression that is invalid in Druid, or uses an unsupported feature. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly unsupported: boolean

  constructor(message: string, unsupported = false) {
    super(message)
    this.unsupported = unsupported
  }
}
