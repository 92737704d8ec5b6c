// Parses tokens into expressions, by the precedence of the SQL standard: OR, AND, NOT, conditions, + and -, * and /, ||, signs.

import type { ComparisonOperator } from '../../lib/comparison-operator.ts'
import { CallParser } from './parse-call.ts'
import { typeOf } from './parse-type.ts'
import { quoted, sqlProblem } from './sql-problem.ts'
import { valueNode } from './sql-value.ts'
import type { CaseBranch, Expression, OrderItem, Query } from './syntax.ts'
import { listOf, type TokenCursor } from './token-cursor.ts'

/** The most operators in a row: each makes the tree one level deeper. */
const chainMax = 400
const timeWords: ReadonlySet<string> = new Set(['TIME', 'DATE', 'TIMESTAMP'])
const comparisons: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '<=', '>', '>='])

export class ExpressionParser {
  readonly #cursor: TokenCursor
  readonly #query: () => Query
  readonly #calls: CallParser

  constructor(cursor: TokenCursor, query: () => Query) {
    this.#cursor = cursor
    this.#query = query
    this.#calls = new CallParser(
      cursor,
      () => this.expression(),
      () => this.orderBy(),
    )
  }

  expression(): Expression {
    return this.#cursor.nested(() => this.#logical('OR', () => this.#logical('AND', () => this.#not())))
  }

  orderBy(): OrderItem[] {
    return listOf(this.#cursor, () => {
      const expression = this.expression()
      const descending = this.#cursor.takeWords('DESC')
      if (!descending) this.#cursor.takeWords('ASC')
      const { place } = this.#cursor
      const nulls = this.#cursor.takeWords('NULLS', 'FIRST')
        ? 'FIRST'
        : this.#cursor.takeWords('NULLS', 'LAST')
          ? 'LAST'
          : null
      // Nulls are the least values, and Druid supports no other order of them.
      if (nulls !== null && (nulls === 'FIRST') === descending)
        throw sqlProblem(place, `NULLS ${nulls} is not supported with ${descending ? 'DESC' : 'ASC'}`)
      return { expression, descending, nulls }
    })
  }

  window() {
    return this.#calls.window()
  }

  #logical(operator: 'AND' | 'OR', operand: () => Expression): Expression {
    const { place } = this.#cursor
    const items = [operand()]
    while (this.#cursor.takeWords(operator)) items.push(operand())
    return items.length === 1 ? items[0]! : { kind: 'logical', operator, items, place }
  }

  #not(): Expression {
    const { place } = this.#cursor
    if (!this.#cursor.takeWords('NOT')) return this.#condition()
    return { kind: 'not', operand: this.#cursor.nested(() => this.#not()), place }
  }

  #condition(): Expression {
    let left = this.#sum()
    for (let length = 0; ; length += 1) {
      const next = this.#conditionAfter(left)
      if (next === null) return left
      if (length === chainMax) throw this.#tooLong()
      left = next
    }
  }

  #conditionAfter(operand: Expression): Expression | null {
    const cursor = this.#cursor
    const { place } = cursor
    if (cursor.token.kind === 'symbol' && comparisons.has(cursor.token.text)) {
      const text = cursor.next().text
      const operator = (text === '!=' ? '<>' : text) as ComparisonOperator
      return { kind: 'comparison', operator, left: operand, right: this.#sum(), place: operand.place }
    }
    if (cursor.takeWords('IS')) return this.#is(operand)
    const negated =
      cursor.isWord('NOT') && ['BETWEEN', 'IN', 'LIKE'].includes(cursor.peek(1).upper) && cursor.takeWords('NOT')
    if (cursor.takeWords('BETWEEN')) {
      const symmetric = cursor.takeWords('SYMMETRIC')
      if (!symmetric) cursor.takeWords('ASYMMETRIC')
      const low = this.#sum()
      cursor.expectWord('AND')
      return { kind: 'between', negated, symmetric, operand, low, high: this.#sum(), place: operand.place }
    }
    if (cursor.takeWords('IN')) return this.#in(operand, negated)
    if (cursor.takeWords('LIKE')) {
      const pattern = this.#sum()
      const escapeBy = cursor.takeWords('ESCAPE') ? this.#sum() : null
      return { kind: 'like', negated, operand, pattern, escape: escapeBy, place }
    }
    return null
  }

  #is(operand: Expression): Expression {
    const cursor = this.#cursor
    const { place } = operand
    const negated = cursor.takeWords('NOT')
    if (cursor.takeWords('DISTINCT', 'FROM'))
      return { kind: 'distinctFrom', negated, left: operand, right: this.#sum(), place }
    for (const what of ['NULL', 'TRUE', 'FALSE', 'UNKNOWN'] as const) {
      if (cursor.takeWords(what)) return { kind: 'is', what, negated, operand, place }
    }
    throw cursor.unexpected('NULL, TRUE, FALSE or DISTINCT FROM')
  }

  #in(operand: Expression, negated: boolean): Expression {
    const cursor = this.#cursor
    const { place } = operand
    return cursor.parenthesized(() =>
      cursor.isWord('SELECT', 'WITH', 'VALUES')
        ? { kind: 'inQuery', negated, operand, query: this.#query(), place }
        : { kind: 'inList', negated, operand, items: listOf(cursor, () => this.expression()), place },
    )
  }

  #sum(): Expression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#chain(['||'], () => this.#signed())))
  }

  #chain(operators: readonly ('+' | '-' | '*' | '/' | '%' | '||')[], operand: () => Expression): Expression {
    let left = operand()
    for (let length = 0; ; length += 1) {
      const { kind, text } = this.#cursor.token
      const operator = operators.find((candidate) => kind === 'symbol' && candidate === text)
      if (operator === undefined) return left
      if (length === chainMax) throw this.#tooLong()
      this.#cursor.next()
      left = { kind: 'arithmetic', operator, left, right: operand(), place: left.place }
    }
  }

  #tooLong(): Error {
    return sqlProblem(
      this.#cursor.place,
      `there are more than ${chainMax} operators in a row here: split the expression`,
    )
  }

  #signed(): Expression {
    const { place } = this.#cursor
    if (this.#cursor.takeSymbol('-'))
      return { kind: 'negate', operand: this.#cursor.nested(() => this.#signed()), place }
    if (this.#cursor.takeSymbol('+')) return this.#cursor.nested(() => this.#signed())
    let operand = this.#primary()
    for (let length = 0; this.#cursor.takeSymbol('['); length += 1) {
      if (length === chainMax) throw this.#tooLong()
      const index = this.expression()
      this.#cursor.expectSymbol(']')
      operand = { kind: 'item', operand, index, place }
    }
    return operand
  }

  #primary(): Expression {
    const cursor = this.#cursor
    const { kind, text, place } = cursor.token
    if (kind === 'string') {
      cursor.next()
      return { kind: 'text', value: text, place }
    }
    if (kind === 'number') {
      cursor.next()
      return { kind: 'number', digits: text, place }
    }
    if (cursor.isSymbol('(')) return this.#parenthesis()
    if (cursor.isSymbol('?')) return valueNode(cursor.parameter(), place)
    if (kind === 'word') return this.#word()
    if (kind === 'name') return this.#column()
    throw cursor.unexpected('an expression')
  }

  #parenthesis(): Expression {
    const cursor = this.#cursor
    const { place } = cursor
    return cursor.parenthesized(() => {
      if (cursor.isWord('SELECT', 'WITH', 'VALUES')) return { kind: 'scalar', query: this.#query(), place }
      const inner = this.expression()
      if (cursor.isSymbol(','))
        throw sqlProblem(place, 'row values are not supported here: compare the values one by one')
      return inner
    })
  }

  #word(): Expression {
    const cursor = this.#cursor
    const { place, upper } = cursor.token
    const literal = this.#literalWord()
    if (literal !== null) return literal
    if (cursor.takeWords('CASE')) return this.#case(place)
    if ((upper === 'CAST' || upper === 'TRY_CAST') && cursor.peek(1).text === '(') return this.#cast()
    if (upper === 'EXISTS' && cursor.peek(1).text === '(')
      throw sqlProblem(
        place,
        'EXISTS is not supported, as in Druid: write x IN (SELECT ...), or compare (SELECT COUNT(*) ...) with 0',
      )
    if (upper === 'ARRAY' && cursor.peek(1).text === '[') return this.#array()
    if (cursor.peek(1).kind === 'symbol' && cursor.peek(1).text === '(') return this.#calls.call()
    if (CallParser.withoutParentheses.has(upper)) return this.#calls.bare()
    return this.#column()
  }

  #literalWord(): Expression | null {
    const cursor = this.#cursor
    const { place } = cursor
    if (cursor.takeWords('NULL')) return { kind: 'null', place }
    if (cursor.takeWords('TRUE')) return { kind: 'boolean', value: true, place }
    if (cursor.takeWords('FALSE')) return { kind: 'boolean', value: false, place }
    if (cursor.isWord('TIMESTAMP', 'DATE') && cursor.peek(1).kind === 'string') {
      const type = cursor.next().upper === 'DATE' ? 'DATE' : 'TIMESTAMP'
      return { kind: 'time', type, value: cursor.next().text, place }
    }
    if (cursor.isWord('INTERVAL')) return this.#calls.interval()
    return null
  }

  #case(place: Expression['place']): Expression {
    const cursor = this.#cursor
    const operand = cursor.isWord('WHEN') ? null : this.expression()
    const branches: CaseBranch[] = []
    while (cursor.takeWords('WHEN')) {
      const when = this.expression()
      cursor.expectWord('THEN')
      branches.push({ when, result: this.expression() })
    }
    if (branches.length === 0) throw cursor.unexpected('WHEN')
    const otherwise = cursor.takeWords('ELSE') ? this.expression() : null
    cursor.expectWord('END')
    return { kind: 'case', operand, branches, otherwise, place }
  }

  #cast(): Expression {
    const cursor = this.#cursor
    const { place } = cursor.next()
    return cursor.parenthesized(() => {
      const operand = this.expression()
      cursor.expectWord('AS')
      return { kind: 'cast', operand, type: typeOf(cursor), place }
    })
  }

  #array(): Expression {
    const cursor = this.#cursor
    const { place } = cursor.next()
    cursor.expectSymbol('[')
    const items = cursor.isSymbol(']') ? [] : listOf(cursor, () => this.expression())
    cursor.expectSymbol(']')
    return { kind: 'array', items, place }
  }

  #column(): Expression {
    const cursor = this.#cursor
    const { place } = cursor
    const path = [this.#columnName()]
    while (cursor.isSymbol('.') && !cursor.peek(1).text.startsWith('*')) {
      cursor.next()
      path.push(this.#columnName())
    }
    if (path.length > 3)
      throw sqlProblem(
        place,
        `${quoted(path.join('.'))} has too many parts: a column is named by its table and its name`,
      )
    return { kind: 'column', path, place }
  }
  /** The name of a column. A bare word TIME is refused: in most cases it means the time of a row. */
  #columnName(): string {
    const { upper, text, place } = this.#cursor.token
    if (!this.#cursor.isName() && timeWords.has(upper)) {
      throw sqlProblem(
        place,
        `${quoted(text)} is an SQL keyword. The time of a row is __time; write another column of that name in double quotes, "${text}"`,
      )
    }
    return this.#cursor.name('the name of a column')
  }
}
