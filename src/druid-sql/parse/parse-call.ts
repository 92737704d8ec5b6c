// Parses function calls, including the special syntax that some functions have in SQL.

import { typeOf } from './parse-type.ts'
import { parseUnit } from './parse-unit.ts'
import { type Place, sqlProblem } from './sql-problem.ts'
import type { Call, CastType, Expression, FrameBound, OrderItem, TimeUnit, Window } from './syntax.ts'
import { listOf, type TokenCursor } from './token-cursor.ts'

interface Parts {
  operands: readonly Expression[]
  star?: boolean
  distinct?: boolean
  orderBy?: readonly OrderItem[]
  unit?: { readonly text: string; readonly place: Place }
  returning?: CastType
}

export class CallParser {
  /** Functions that are called without parentheses. */
  static readonly withoutParentheses: ReadonlySet<string> = new Set([
    'CURRENT_TIMESTAMP',
    'CURRENT_DATE',
    'LOCALTIMESTAMP',
    'PI',
  ])
  readonly #cursor: TokenCursor
  readonly #expression: () => Expression
  readonly #orderBy: () => OrderItem[]

  constructor(cursor: TokenCursor, expression: () => Expression, orderBy: () => OrderItem[]) {
    this.#cursor = cursor
    this.#expression = expression
    this.#orderBy = orderBy
  }

  bare(): Call {
    const { upper, place } = this.#cursor.next()
    return this.#finished(upper, place, { operands: [] })
  }

  call(): Call {
    const { upper, place } = this.#cursor.next()
    const parts = this.#cursor.parenthesized(() =>
      this.#cursor.isSymbol(')') ? { operands: [] } : this.#partsOf(upper),
    )
    return this.#finished(upper, place, parts)
  }

  /** Parses the contents of the parentheses. */
  #partsOf(name: string): Parts {
    const cursor = this.#cursor
    if (name === 'COUNT' && cursor.takeSymbol('*')) return { operands: [], star: true }
    if (name === 'EXTRACT') return this.#extract()
    if (name === 'TRIM') return this.#trim()
    if (name === 'SUBSTRING') return this.#separated(['FROM', 'FOR'])
    if (name === 'POSITION') return this.#position()
    if (name === 'TIMESTAMPADD' || name === 'TIMESTAMPDIFF') {
      const unit = this.#unit()
      cursor.expectSymbol(',')
      return { operands: listOf(cursor, this.#expression), unit }
    }
    if (name === 'JSON_OBJECT') return this.#jsonObject()
    return this.#plain(name)
  }

  #plain(name: string): Parts {
    const cursor = this.#cursor
    const distinct = cursor.takeWords('DISTINCT')
    if (!distinct) cursor.takeWords('ALL')
    const operands = listOf(cursor, this.#expression)
    if ((name === 'FLOOR' || name === 'CEIL' || name === 'CEILING') && cursor.takeWords('TO'))
      return { operands, unit: this.#unit() }
    if (name.startsWith('JSON_') && cursor.takeWords('RETURNING')) return { operands, returning: typeOf(cursor) }
    const orderBy = cursor.takeWords('ORDER', 'BY') ? this.#orderBy() : []
    return { operands, distinct, orderBy }
  }

  #unit(): { text: string; place: Place } {
    const { kind, text, place } = this.#cursor.token
    if (kind !== 'word' && kind !== 'string')
      throw this.#cursor.unexpected("a unit of time, such as DAY in INTERVAL '1' DAY,")
    this.#cursor.next()
    return { text, place }
  }

  #extract(): Parts {
    const unit = this.#unit()
    this.#cursor.expectWord('FROM')
    return { operands: [this.#expression()], unit }
  }

  /** `TRIM(x)`, `TRIM(LEADING 'a' FROM x)`: the unit is the side. */
  #trim(): Parts {
    const cursor = this.#cursor
    const { place } = cursor
    const side = cursor.isWord('BOTH', 'LEADING', 'TRAILING') ? cursor.next().upper : 'BOTH'
    const unit = { text: side, place }
    if (cursor.takeWords('FROM')) return { operands: [this.#expression()], unit }
    const first = this.#expression()
    if (!cursor.takeWords('FROM')) return { operands: [first], unit }
    return { operands: [this.#expression(), first], unit }
  }

  #separated(words: readonly string[]): Parts {
    const cursor = this.#cursor
    const operands = [this.#expression()]
    if (cursor.isSymbol(',')) {
      while (cursor.takeSymbol(',')) operands.push(this.#expression())
      return { operands }
    }
    for (const word of words) if (cursor.takeWords(word)) operands.push(this.#expression())
    return { operands }
  }

  #position(): Parts {
    const cursor = this.#cursor
    // IN would be parsed as a condition, so the text to look for must be a literal here.
    const { kind, text, place } = cursor.token
    if (kind !== 'string' || cursor.peek(1).upper !== 'IN') throw sqlProblem(place, "write POSITION('text' IN column)")
    cursor.next()
    cursor.expectWord('IN')
    const operands: Expression[] = [{ kind: 'text', value: text, place }, this.#expression()]
    if (cursor.takeWords('FROM')) operands.push(this.#expression())
    return { operands }
  }

  #jsonObject(): Parts {
    const cursor = this.#cursor
    const operands: Expression[] = []
    do {
      const isKey = cursor.takeWords('KEY')
      operands.push(this.#expression())
      if (isKey ? !cursor.takeWords('VALUE') : !cursor.takeSymbol(':')) throw cursor.unexpected(isKey ? 'VALUE' : "':'")
      operands.push(this.#expression())
    } while (cursor.takeSymbol(','))
    return { operands }
  }

  #finished(name: string, place: Place, parts: Parts): Call {
    const cursor = this.#cursor
    let orderBy = parts.orderBy ?? []
    if (cursor.takeWords('WITHIN', 'GROUP')) {
      orderBy = cursor.parenthesized(() => {
        cursor.expectWord('ORDER')
        cursor.expectWord('BY')
        return this.#orderBy()
      })
    }
    let filter: Expression | null = null
    if (cursor.areWords('FILTER') && cursor.peek(1).text === '(') {
      cursor.next()
      filter = cursor.parenthesized(() => {
        cursor.expectWord('WHERE')
        return this.#expression()
      })
    }
    const { operands, star = false, distinct = false, unit = null, returning = null } = parts
    const over = cursor.takeWords('OVER') ? this.#over() : null
    return {
      kind: 'call',
      name,
      operands,
      star,
      distinct,
      orderBy,
      filter,
      over,
      unit: unit?.text ?? null,
      unitPlace: unit?.place ?? null,
      returning,
      place,
    }
  }

  #over(): Call['over'] {
    const { place } = this.#cursor
    if (this.#cursor.isSymbol('(')) return this.window()
    return { name: this.#cursor.name('the name of a window'), place }
  }

  window(): Window {
    const cursor = this.#cursor
    const { place } = cursor
    return cursor.parenthesized(() => ({
      partitionBy: cursor.takeWords('PARTITION', 'BY') ? listOf(cursor, this.#expression) : [],
      orderBy: cursor.takeWords('ORDER', 'BY') ? this.#orderBy() : [],
      frame: this.#frame(),
      place,
    }))
  }

  #frame(): Window['frame'] {
    const cursor = this.#cursor
    if (!cursor.isWord('ROWS', 'RANGE')) return null
    const unit = cursor.next().upper === 'ROWS' ? 'ROWS' : 'RANGE'
    if (!cursor.takeWords('BETWEEN')) {
      const bound = this.#bound(unit)
      // A frame of rows that follow starts at the current row.
      const isAhead = bound.kind === 'following' || bound.kind === 'unboundedFollowing'
      return isAhead
        ? { unit, start: { kind: 'currentRow' }, end: bound }
        : { unit, start: bound, end: { kind: 'currentRow' } }
    }
    const start = this.#bound(unit)
    cursor.expectWord('AND')
    const { place } = cursor.token
    const end = this.#bound(unit)
    checkFrame(start, end, place)
    return { unit, start, end }
  }

  #bound(unit: 'ROWS' | 'RANGE'): FrameBound {
    const cursor = this.#cursor
    const { place } = cursor
    if (cursor.takeWords('UNBOUNDED', 'PRECEDING')) return { kind: 'unboundedPreceding' }
    if (cursor.takeWords('UNBOUNDED', 'FOLLOWING')) return { kind: 'unboundedFollowing' }
    if (cursor.takeWords('CURRENT', 'ROW')) return { kind: 'currentRow' }
    if (unit === 'RANGE')
      throw sqlProblem(place, 'the bounds of a RANGE are UNBOUNDED or CURRENT ROW; use ROWS to count rows')
    if (cursor.token.kind !== 'number' || !/^\d{1,18}$/.test(cursor.token.text))
      throw cursor.unexpected('UNBOUNDED, CURRENT ROW or a whole number')
    const rows = BigInt(cursor.next().text)
    if (cursor.takeWords('PRECEDING')) return { kind: 'preceding', rows, place }
    cursor.expectWord('FOLLOWING')
    return { kind: 'following', rows, place }
  }

  /** `INTERVAL '1' DAY`, `INTERVAL '1-2' YEAR TO MONTH`. */
  interval(): Expression {
    const cursor = this.#cursor
    const { place } = cursor.next()
    const negative = cursor.takeSymbol('-')
    if (cursor.token.kind !== 'string') throw cursor.unexpected("a string in single quotes, as in INTERVAL '1' DAY,")
    const value = cursor.next().text
    const from = this.#intervalUnit()
    const to = cursor.takeWords('TO') ? this.#intervalUnit() : null
    return { kind: 'interval', value, negative, from, to, place }
  }

  #intervalUnit(): TimeUnit {
    const { text, place } = this.#unit()
    if (this.#cursor.takeSymbol('(')) {
      this.#cursor.next()
      this.#cursor.expectSymbol(')')
    }
    return parseUnit(text, place)
  }
}

const ranks: Readonly<Record<FrameBound['kind'], number>> = {
  unboundedPreceding: 0,
  preceding: 1,
  currentRow: 2,
  following: 3,
  unboundedFollowing: 4,
}

/** A frame must not end before it starts. */
function checkFrame(start: FrameBound, end: FrameBound, place: Place): void {
  if (start.kind === 'unboundedFollowing') throw sqlProblem(place, 'a window cannot begin at UNBOUNDED FOLLOWING')
  if (end.kind === 'unboundedPreceding') throw sqlProblem(place, 'a window cannot end at UNBOUNDED PRECEDING')
  if (ranks[start.kind] > ranks[end.kind]) throw sqlProblem(place, 'this window ends before it begins')
}
