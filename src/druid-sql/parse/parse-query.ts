// Parses tokens into a query. The grammar contains only queries that read, so everything else is refused.
// Tested by `test/druid-sql/agreement.test.ts`.

import { otherStatements } from './other-dialects.ts'
import { ExpressionParser } from './parse-expression.ts'
import { columnNames, FromParser } from './parse-from.ts'
import { quoted, sqlProblem } from './sql-problem.ts'
import type { SqlValue } from './sql-value.ts'
import type { Expression, Grouping, Query, QueryBody, Select, SelectItem, Values, Window } from './syntax.ts'
import { listOf, TokenCursor } from './token-cursor.ts'
import { tokenize } from './tokenizer.ts'

/** The most queries combined by UNION. */
const chainMax = 100
/** The most queries named by one WITH. */
const commonTablesMax = 100
/** The most grouping sets that ROLLUP, CUBE and GROUPING SETS may make together. */
const groupingSetsMax = 256

export interface ParseOptions {
  readonly tokensMax?: number | undefined
  /** The values of the query's `?`, in order. */
  readonly parameters?: readonly SqlValue[] | undefined
}

/** Parses one query, with an optional semicolon at its end. Throws a Problem with the place where the text is not a query. */
export function parseQuery(text: string, { tokensMax, parameters }: ParseOptions = {}): Query {
  const cursor = new TokenCursor(tokenize(text, tokensMax), parameters)
  if (cursor.isAtEnd) throw sqlProblem(cursor.place, 'the query is empty: write SELECT ...')
  const parser = new QueryParser(cursor)
  if (!cursor.isWord('SELECT', 'WITH', 'VALUES') && !cursor.isSymbol('(')) {
    const { text, upper, place } = cursor.token
    const advice = otherStatements.get(upper) ?? 'only queries are supported, which begin with SELECT, WITH or VALUES'
    throw sqlProblem(place, `${quoted(text)} cannot begin a query: ${advice}`)
  }
  const query = parser.query()
  if (cursor.takeSymbol(';') && !cursor.isAtEnd) {
    throw sqlProblem(cursor.place, 'only one query is allowed: nothing may follow the semicolon')
  }
  if (!cursor.isAtEnd) throw cursor.unexpected('the end of the query')
  return query
}

class QueryParser {
  readonly #cursor: TokenCursor
  readonly #expressions: ExpressionParser
  readonly #tables: FromParser

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor
    const query = (): Query => this.query()
    this.#expressions = new ExpressionParser(cursor, query)
    this.#tables = new FromParser(cursor, this.#expressions, query)
  }

  query(): Query {
    return this.#cursor.nested(() => {
      const { place } = this.#cursor
      const commonTables = this.#with()
      const body = this.#unions()
      const orderBy = this.#cursor.takeWords('ORDER', 'BY') ? this.#expressions.orderBy() : []
      return { with: commonTables, body, orderBy, ...this.#limits(), place }
    })
  }

  #with(): Query['with'] {
    const cursor = this.#cursor
    if (!cursor.takeWords('WITH')) return []
    if (cursor.isWord('RECURSIVE')) throw sqlProblem(cursor.place, 'WITH RECURSIVE is not supported')
    let count = 0
    return listOf(cursor, () => {
      const { place } = cursor
      count += 1
      if (count > commonTablesMax)
        throw sqlProblem(place, `more than ${commonTablesMax} queries are named by WITH here`)
      const name = cursor.name('the name of a query')
      const columns = columnNames(this.#cursor)
      cursor.expectWord('AS')
      return { name, columns, query: cursor.parenthesized(() => this.query()), place }
    })
  }

  #limits(): { limit: bigint | null; offset: bigint | null } {
    const cursor = this.#cursor
    let limit: bigint | null = null
    let offset: bigint | null = null
    for (;;) {
      if (limit === null && cursor.takeWords('LIMIT')) {
        limit = cursor.takeWords('ALL') ? null : this.#count()
        if (cursor.takeSymbol(',')) [offset, limit] = [limit, this.#count()]
      } else if (offset === null && cursor.takeWords('OFFSET')) {
        offset = this.#count()
        if (!cursor.takeWords('ROWS')) cursor.takeWords('ROW')
      } else if (limit === null && cursor.takeWords('FETCH')) {
        if (!cursor.takeWords('NEXT')) cursor.expectWord('FIRST')
        limit = this.#count()
        if (!cursor.takeWords('ROWS')) cursor.expectWord('ROW')
        cursor.expectWord('ONLY')
      } else return { limit, offset }
    }
  }

  #count(): bigint {
    if (this.#cursor.isSymbol('?')) return this.#givenCount()
    const { kind, text } = this.#cursor.token
    if (kind !== 'number' || !/^\d{1,18}$/.test(text)) throw this.#cursor.unexpected('a whole number of rows')
    this.#cursor.next()
    return BigInt(text)
  }

  #givenCount(): bigint {
    const { place } = this.#cursor
    const value = this.#cursor.parameter()
    if (value.kind === 'number' && /^\d{1,18}$/.test(value.digits)) return BigInt(value.digits)
    throw sqlProblem(place, 'a number of rows must be a whole number that is not negative')
  }

  #unions(): QueryBody {
    const cursor = this.#cursor
    let left = this.#term()
    for (let length = 0; cursor.isWord('UNION', 'INTERSECT', 'EXCEPT', 'MINUS'); length += 1) {
      if (length === chainMax) throw sqlProblem(cursor.place, `more than ${chainMax} queries are combined here`)
      const { place } = cursor
      const word = cursor.next().upper
      if (word !== 'UNION')
        throw sqlProblem(
          place,
          `${word} is not supported, as in Druid: write x IN (SELECT ...) or x NOT IN (SELECT ...)`,
        )
      if (!cursor.takeWords('ALL'))
        throw sqlProblem(place, 'UNION without ALL is not supported, as in Druid: write UNION ALL, or SELECT DISTINCT')
      left = { kind: 'union', left, right: this.#term(), place }
    }
    return left
  }

  #term(): QueryBody {
    const cursor = this.#cursor
    const { place } = cursor
    if (cursor.isSymbol('(')) return { kind: 'nested', query: cursor.parenthesized(() => this.query()), place }
    if (cursor.isWord('VALUES')) return this.#values()
    if (cursor.isWord('SELECT')) return this.#select()
    throw cursor.unexpected('SELECT')
  }

  #values(): Values {
    const cursor = this.#cursor
    const { place } = cursor.next()
    const value = (): Expression => this.#expressions.expression()
    const rows = listOf(cursor, () =>
      cursor.isSymbol('(') ? cursor.parenthesized(() => listOf(cursor, value)) : [value()],
    )
    return { kind: 'values', rows, place }
  }

  #select(): Select {
    const cursor = this.#cursor
    const { place } = cursor.next()
    const distinct = cursor.takeWords('DISTINCT')
    if (!distinct) cursor.takeWords('ALL')
    else if (cursor.isWord('ON') && cursor.peek(1).text === '(') throw cursor.unexpected('an expression')
    const items = listOf(cursor, () => this.#item())
    const from = cursor.takeWords('FROM') ? this.#tables.from() : null
    const where = cursor.takeWords('WHERE') ? this.#expressions.expression() : null
    const groupBy = cursor.takeWords('GROUP', 'BY') ? this.#groupBy() : null
    const having = cursor.takeWords('HAVING') ? this.#expressions.expression() : null
    const windows = cursor.takeWords('WINDOW') ? this.#windows() : new Map<string, Window>()
    return { kind: 'select', distinct, items, from, where, groupBy, having, windows, place }
  }

  #item(): SelectItem {
    const cursor = this.#cursor
    const { place } = cursor
    if (cursor.takeSymbol('*')) return { kind: 'star', table: null, place }
    if (
      cursor.isName() &&
      cursor.peek(1).text === '.' &&
      cursor.peek(2).kind === 'symbol' &&
      cursor.peek(2).text === '*'
    ) {
      const table = cursor.next().text
      cursor.next()
      cursor.next()
      return { kind: 'star', table, place }
    }
    const expression = this.#expressions.expression()
    const alias = cursor.takeWords('AS') || cursor.isName() ? cursor.name('the name of a column') : null
    return { kind: 'expression', expression, alias, place }
  }

  #windows(): Map<string, Window> {
    const windows = new Map<string, Window>()
    for (const [name, window] of listOf(this.#cursor, () => this.#namedWindow())) windows.set(name, window)
    return windows
  }

  #namedWindow(): [string, Window] {
    const name = this.#cursor.name('the name of a window')
    this.#cursor.expectWord('AS')
    return [name, this.#expressions.window()]
  }

  #groupBy(): Grouping[] {
    return listOf(this.#cursor, (): Grouping => {
      const cursor = this.#cursor
      if (cursor.areWords('GROUPING', 'SETS')) {
        cursor.takeWords('GROUPING', 'SETS')
        return { kind: 'sets', sets: this.#sets() }
      }
      if (cursor.isWord('ROLLUP', 'CUBE') && cursor.peek(1).text === '(') {
        const { place, upper } = cursor.next()
        const groups = this.#sets()
        if (groups.length > 8) throw sqlProblem(place, `${upper} accepts at most 8 expressions`)
        return { kind: 'sets', sets: upper === 'ROLLUP' ? rollup(groups) : cube(groups) }
      }
      if (cursor.isSymbol('(') && cursor.peek(1).text === ')') {
        cursor.next()
        cursor.next()
        return { kind: 'sets', sets: [[]] }
      }
      return { kind: 'expression', expression: this.#expressions.expression() }
    })
  }

  /** `((a, b), c, ())`. */
  #sets(): Expression[][] {
    const cursor = this.#cursor
    const sets = cursor.parenthesized(() => listOf(cursor, () => this.#set()))
    if (sets.length > groupingSetsMax)
      throw sqlProblem(cursor.place, `GROUP BY makes more than ${groupingSetsMax} grouping sets`)
    return sets
  }

  #set(): Expression[] {
    const cursor = this.#cursor
    const key = (): Expression => this.#expressions.expression()
    if (!cursor.isSymbol('(')) return [key()]
    return cursor.parenthesized(() => (cursor.isSymbol(')') ? [] : listOf(cursor, key)))
  }
}

function rollup(groups: readonly (readonly Expression[])[]): Expression[][] {
  return Array.from({ length: groups.length + 1 }, (_, left) => groups.slice(0, groups.length - left).flat())
}

function cube(groups: readonly (readonly Expression[])[]): Expression[][] {
  return Array.from({ length: 2 ** groups.length }, (_, mask) =>
    groups.filter((_group, index) => (mask & (1 << (groups.length - 1 - index))) === 0).flat(),
  )
}
