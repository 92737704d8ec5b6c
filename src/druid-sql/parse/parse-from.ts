// FROM: tables, subqueries, joins.
import type { ExpressionParser } from './parse-expression.ts'
import { quoted, sqlProblem } from './sql-problem.ts'
import type { Alias, Join, Query, TableExpression } from './syntax.ts'
import { listOf, type TokenCursor } from './token-cursor.ts'

/** The most joins in a row. */
const chainMax = 100

/** `(a, b)` after a name; empty where there is none. */
export function columnNames(cursor: TokenCursor): string[] {
  if (!cursor.isSymbol('(')) return []
  return cursor.parenthesized(() => listOf(cursor, () => cursor.name('the name of a column')))
}

export class FromParser {
  readonly #cursor: TokenCursor
  readonly #expressions: ExpressionParser
  readonly #query: () => Query

  constructor(cursor: TokenCursor, expressions: ExpressionParser, query: () => Query) {
    this.#cursor = cursor
    this.#expressions = expressions
    this.#query = query
  }

  from(): TableExpression {
    let left = this.#joins()
    for (let length = 0; this.#cursor.isSymbol(','); length += 1) {
      const { place } = this.#cursor.next()
      if (length === chainMax) throw sqlProblem(place, `more than ${chainMax} tables are joined here`)
      left = { kind: 'join', type: 'CROSS', left, right: this.#joins(), on: null, using: null, place }
    }
    return left
  }

  #joins(): TableExpression {
    let left = this.#table()
    for (let length = 0; ; length += 1) {
      const join = this.#join(left)
      if (join === null) return left
      if (length === chainMax) throw sqlProblem(join.place, `more than ${chainMax} tables are joined here`)
      left = join
    }
  }

  #join(left: TableExpression): Join | null {
    const cursor = this.#cursor
    const { place } = cursor
    if (!cursor.isWord('NATURAL', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'JOIN')) return null
    const natural = cursor.takeWords('NATURAL')
    const word = cursor.isWord('INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS') ? cursor.next().upper : 'INNER'
    const type = word === 'LEFT' || word === 'RIGHT' || word === 'FULL' || word === 'CROSS' ? word : 'INNER'
    if (type !== 'INNER' && type !== 'CROSS') cursor.takeWords('OUTER')
    cursor.expectWord('JOIN')
    const right = this.#table()
    if (type === 'CROSS') return { kind: 'join', type, left, right, on: null, using: null, place }
    if (natural) return { kind: 'join', type, left, right, on: null, using: 'natural', place }
    if (cursor.takeWords('ON'))
      return { kind: 'join', type, left, right, on: this.#expressions.expression(), using: null, place }
    if (!cursor.takeWords('USING'))
      throw sqlProblem(place, 'a join needs a condition: write ON or USING, or CROSS JOIN for a join without one')
    const column = () => ({ place: cursor.place, name: cursor.name('the name of a column') })
    const using = cursor.parenthesized(() => listOf(cursor, column))
    return { kind: 'join', type, left, right, on: null, using, place }
  }

  #table(): TableExpression {
    const cursor = this.#cursor
    const { place } = cursor
    if (cursor.isSymbol('(')) return this.#subquery()
    if (cursor.takeWords('LATERAL')) return this.#table()
    if (cursor.takeWords('UNNEST')) {
      const operand = cursor.parenthesized(() => this.#expressions.expression())
      return { kind: 'unnest', operand, alias: this.#alias(), place }
    }
    if (cursor.isWord('TABLE') && cursor.peek(1).text === '(') return this.#append()
    const path = [cursor.name('the name of a table')]
    while (cursor.takeSymbol('.')) path.push(cursor.name('the name of a table'))
    if (cursor.isSymbol('('))
      throw sqlProblem(
        place,
        `there is no table function ${quoted(path.join('.'))}: TABLE(APPEND('a', 'b')) is the only one`,
      )
    return { kind: 'table', path, alias: this.#alias(), place }
  }

  #subquery(): TableExpression {
    const cursor = this.#cursor
    const { place } = cursor.next()
    if (cursor.isWord('SELECT', 'WITH', 'VALUES') || cursor.isSymbol('(')) {
      const query = this.#query()
      cursor.expectSymbol(')')
      return { kind: 'subquery', query, alias: this.#alias(), place }
    }
    const inner = cursor.nested(() => this.from())
    cursor.expectSymbol(')')
    return inner
  }

  /** `TABLE(APPEND('a', 'b'))`: the rows of several tables, one after the other. */
  #append(): TableExpression {
    const cursor = this.#cursor
    const { place } = cursor.next()
    const name = () => {
      if (cursor.token.kind !== 'string') throw cursor.unexpected('a table name in single quotes')
      return { place: cursor.place, name: cursor.next().text }
    }
    const tables = cursor.parenthesized(() => {
      if (!cursor.takeWords('APPEND')) throw sqlProblem(cursor.place, 'APPEND is the only table function')
      return cursor.parenthesized(() => listOf(cursor, name))
    })
    return { kind: 'append', tables, alias: this.#alias(), place }
  }

  #alias(): Alias | null {
    if (!this.#cursor.takeWords('AS') && !this.#cursor.isName()) return null
    return { name: this.#cursor.name('the name of a table'), columns: columnNames(this.#cursor) }
  }
}
