// Writes the expressions of a checked query in Druid's SQL. Texts of the caller become parameters.

import { PatternCheck } from '../../druid-patterns/backtracking.ts'
import { laterOrigin } from '../../druid-time/native-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainLong } from '../../model/long.ts'
import { comparisons, type Truth } from '../bind/bind-truth.ts'
import { frameText } from '../bind/engine-names.ts'
import { clusterAlternatives } from '../functions/over-time.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { Call, CastType, Expression, OrderItem, Query, Window } from '../parse/syntax.ts'
import { boundedCount, checkPatterns } from './bounded-calls.ts'
import { isNullCount, neverNull } from './null-counts.ts'
import { digits, quotedText, word } from './raw-sql.ts'
import { spread } from './spread.ts'

/** Writes a query within an expression. */
export type WriteQuery = (query: Query) => Sql

export class ExpressionWriter {
  readonly #query: WriteQuery
  readonly #zone: Zone
  readonly #patterns = new PatternCheck()
  #hasNullCounts = false
  #windows: ReadonlyMap<string, Window> = new Map()

  constructor(query: WriteQuery, zone: Zone) {
    this.#query = query
    this.#zone = zone
  }

  readonly write = (expression: Expression): Sql => {
    switch (expression.kind) {
      case 'text':
        return sql`${expression.value}`
      case 'number':
        return writeNumber(expression.digits)
      case 'boolean':
        return expression.value ? sql`TRUE` : sql`FALSE`
      case 'null':
        return sql`NULL`
      case 'time':
        return sql`${word(expression.type)} ${quotedText(expression.value)}`
      case 'column':
        // The schema before a table's name is left out: tables are subqueries here, under their own names.
        return sql.join(expression.path.slice(-2).map(sql.id), '.')
      case 'call':
        return this.#call(expression)
      case 'array':
        return sql`ARRAY[${this.#texts(expression.items)}]`
      case 'item':
        return sql`ARRAY_ORDINAL(${this.write(expression.operand)}, ${this.write(expression.index)})`
      case 'cast':
        return sql`CAST(${this.#castOperand(expression.operand)} AS ${writeCastType(expression.type)})`
      case 'scalar':
        return sql`(${this.#query(expression.query)})`
      case 'interval':
        return writeIntervalLiteral(expression)
      case 'case':
        return this.#case(expression)
      default:
        return sql`(${this.#operation(expression)})`
    }
  }

  /**
   * Writes the expressions of one query. With `hasNullCounts` Druid may return null for its counts, which are then written so that they are never null.
   * `windows` are the windows that the query names.
   */
  ofQuery<Written>(hasNullCounts: boolean, write: () => Written, windows = this.#windows): Written {
    const [outer, outerWindows] = [this.#hasNullCounts, this.#windows]
    this.#hasNullCounts = hasNullCounts
    this.#windows = windows
    const written = write()
    this.#hasNullCounts = outer
    this.#windows = outerWindows
    return written
  }

  /** A column or key of groups, or an expression that orders them. */
  ofGroups(expression: Expression): Sql {
    return this.write(expression.kind === 'array' ? mayBeNull(expression) : expression)
  }

  list(expressions: readonly Expression[]): Sql {
    return sql.list(expressions.map(this.write))
  }

  orderBy(items: readonly OrderItem[], ofGroups = false): Sql {
    const written = items.map(({ expression, descending, nulls }) => {
      const direction = descending ? sql` DESC` : sql``
      const placed = nulls === null ? sql`` : nulls === 'FIRST' ? sql` NULLS FIRST` : sql` NULLS LAST`
      const written = ofGroups ? this.ofGroups(expression) : this.write(expression)
      return sql`${written}${direction}${placed}`
    })
    return sql.list(written)
  }

  window({ partitionBy, orderBy, frame }: Window): Sql {
    const parts = [
      ...(partitionBy.length === 0 ? [] : [sql`PARTITION BY ${this.list(partitionBy)}`]),
      ...(orderBy.length === 0 ? [] : [sql`ORDER BY ${this.orderBy(orderBy)}`]),
      ...(frame === null ? [] : [frameText(frame)]),
    ]
    return sql`(${sql.join(parts, ' ')})`
  }

  #operation(expression: Operation): Sql {
    const write = this.write
    switch (expression.kind) {
      case 'arithmetic':
        // Druid's parser does not accept %.
        if (expression.operator === '%') return sql`MOD(${write(expression.left)}, ${write(expression.right)})`
        return sql`${write(expression.left)} ${operators[expression.operator]} ${write(expression.right)}`
      case 'comparison':
        return sql`${write(expression.left)} ${operators[expression.operator]} ${write(expression.right)}`
      case 'logical':
        return sql.join(expression.items.map(write), expression.operator === 'AND' ? ' AND ' : ' OR ')
      case 'not':
        return sql`NOT ${write(expression.operand)}`
      case 'negate':
        return sql`- ${write(expression.operand)}`
      case 'is':
        // Druid has no IS UNKNOWN.
        return sql`${write(expression.operand)} IS ${not(expression)}${word(expression.what === 'UNKNOWN' ? 'NULL' : expression.what)}`
      case 'distinctFrom':
        return sql`${write(expression.left)} IS ${not(expression)}DISTINCT FROM ${write(expression.right)}`
      case 'between': {
        const symmetric = expression.symmetric ? sql`SYMMETRIC ` : sql``
        return sql`${write(expression.operand)} ${not(expression)}BETWEEN ${symmetric}${write(expression.low)} AND ${write(expression.high)}`
      }
      case 'inList':
        return sql`${write(expression.operand)} ${not(expression)}IN (${this.list(expression.items)})`
      case 'inQuery':
        return sql`${write(expression.operand)} ${not(expression)}IN (${this.#query(expression.query)})`
      case 'like': {
        const escaped = expression.escape === null ? sql`` : sql` ESCAPE ${write(expression.escape)}`
        return sql`${write(expression.operand)} ${not(expression)}LIKE ${write(expression.pattern)}${escaped}`
      }
    }
  }

  /** Druid's planner removes a cast of a column to another type and back, unless there is a call between the casts. */
  #castOperand(operand: Expression): Sql {
    const written = this.write(operand)
    if (operand.kind !== 'cast' || operand.type.isArray) return written
    switch (operand.type.name) {
      case 'BIGINT':
        return sql`BITWISE_OR(${written}, 0)`
      case 'DOUBLE':
        return sql`POWER(${written}, 1)`
      case 'VARCHAR':
        return sql`CONCAT(${written}, '')`
      default:
        return written
    }
  }

  #case({ operand, branches, otherwise }: Extract<Expression, { kind: 'case' }>): Sql {
    const subject = operand === null ? sql`` : sql` ${this.write(operand)}`
    const written = branches.map(({ when, result }) => sql` WHEN ${this.write(when)} THEN ${this.write(result)}`)
    const last = otherwise === null ? sql`` : sql` ELSE ${this.write(otherwise)}`
    return sql`CASE${subject}${sql.join(written, '')}${last} END`
  }

  #call(call: Call): Sql {
    refuseOverTime(call)
    const sums = spread(call)
    // Where a count is null, the result is null too, as it should be.
    if (sums !== null) return this.ofQuery(false, () => this.write(sums))
    if (this.#hasNullCounts && isNullCount(call)) return this.ofQuery(false, () => this.write(neverNull(call)))
    const { orderBy, filter, over } = call
    if (over !== null) refuseCountedFrame(call, 'name' in over ? this.#windows.get(over.name) : over)
    // Druid's parser does not accept FILTER before OVER.
    if (filter !== null && over !== null) return this.write(ofPassing(call, filter))
    const isWithin = call.name === 'LISTAGG'
    const body = this.#body(call, isWithin ? [] : orderBy)
    const within = isWithin && orderBy.length > 0 ? sql` WITHIN GROUP (ORDER BY ${this.orderBy(orderBy)})` : sql``
    const filtered = filter === null ? sql`` : sql` FILTER (WHERE ${this.write(filter)})`
    const window =
      over === null ? sql`` : 'name' in over ? sql` OVER ${sql.id(over.name)}` : sql` OVER ${this.window(over)}`
    return sql`${body}${within}${filtered}${window}`
  }

  #body(call: Call, orderBy: readonly OrderItem[]): Sql {
    const { name, operands, star, distinct, unit, returning } = call
    const [first, second] = operands
    checkPatterns(call, this.#patterns)
    const bounded = boundedCount(call, this.write) ?? this.#withLaterOrigin(call)
    if (bounded !== null) return bounded
    if (star) return sql`${word(name)}(*)`
    // Druid's planner fails on PI among the items of an IN. In GROUP BY and ORDER BY a plain number would be the position of a column.
    if (name === 'PI') return sql`CAST(${digits(`${Math.PI}E0`)} AS DOUBLE)`
    if (operands.length === 0) return bare.has(name) ? word(name) : sql`${word(name)}()`
    if (unit !== null && first !== undefined) {
      if (name === 'EXTRACT') return sql`EXTRACT(${word(unit)} FROM ${this.write(first)})`
      if (name === 'TRIM') {
        const characters = second === undefined ? sql`' '` : this.write(second)
        return sql`TRIM(${word(unit)} ${characters} FROM ${this.write(first)})`
      }
      if (name.startsWith('TIMESTAMP')) return sql`${word(name)}(${word(unit)}, ${this.list(operands)})`
      return sql`${word(name)}(${this.write(first)} TO ${word(unit)})`
    }
    if (name === 'POSITION' && first !== undefined && second !== undefined) {
      const from = operands[2] === undefined ? sql`` : sql` FROM ${this.write(operands[2])}`
      return sql`POSITION(${this.write(first)} IN ${this.write(second)}${from})`
    }
    if (name === 'JSON_OBJECT') return sql`JSON_OBJECT(${sql.list(this.#members(operands))})`
    const each = distinct ? sql`DISTINCT ` : sql``
    const ordered = orderBy.length === 0 ? sql`` : sql` ORDER BY ${this.orderBy(orderBy)}`
    const returned = returning === null ? sql`` : sql` RETURNING ${writeCastType(returning)}`
    const part = timeParts.get(name)
    if (part !== undefined && first !== undefined) return sql`EXTRACT(${word(part)} FROM ${this.write(first)})`
    const taken = name === 'APPROX_QUANTILE_FIXED_BUCKETS' ? operands.slice(0, 2) : operands
    const written = cut.has(name) ? this.#texts(taken) : this.list(taken)
    return sql`${word(otherNames.get(name) ?? name)}(${each}${written}${ordered}${returned})`
  }

  /** Gives TIME_FLOOR and TIME_CEIL by several hours an origin, so that Druid finds the right bucket for times before 1970. */
  #withLaterOrigin({ name, operands: [time, period, origin, zone] }: Call): Sql | null {
    if ((name !== 'TIME_FLOOR' && name !== 'TIME_CEIL') || time === undefined || period?.kind !== 'text') return null
    const clocks = zone?.kind === 'text' ? Zone.find(zone.value) : zone === undefined ? this.#zone : null
    const originMs =
      clocks === null || (origin !== undefined && origin.kind !== 'null') ? null : laterOrigin(period.value, clocks)
    if (originMs === null) return null
    const from = sql`MILLIS_TO_TIMESTAMP(${digits(String(originMs))})`
    return sql`${word(name)}(${sql.list([this.write(time), this.write(period), from, ...(zone === undefined ? [] : [this.write(zone)])])})`
  }

  /** Casts constant texts, which Druid would otherwise pad with spaces, to the length of the longest or of the whole. */
  #texts(expressions: readonly Expression[]): Sql {
    const written = expressions.map((one) =>
      one.kind === 'text' ? sql`CAST(${this.write(one)} AS VARCHAR)` : this.write(one),
    )
    return sql.list(written)
  }

  #members(operands: readonly Expression[]): Sql[] {
    const members: Sql[] = []
    for (let at = 0; at + 1 < operands.length; at += 2) {
      members.push(sql`KEY ${this.write(operands[at])} VALUE ${this.write(operands[at + 1])}`)
    }
    return members
  }
}

function refuseOverTime({ name, place }: Call): void {
  const instead = clusterAlternatives.get(name)
  if (instead !== undefined) {
    throw sqlProblem(
      place,
      `${name} is not available in SQL on a cluster: use the data query ${instead}, which both engines support`,
    )
  }
}

/** Druid 33 accepts no number of rows in the frames of these two functions. */
function refuseCountedFrame({ name, place }: Call, window: Window | undefined): void {
  const isCounted = [window?.frame?.start, window?.frame?.end].some((bound) => bound !== undefined && 'rows' in bound)
  if (!isCounted || (name !== 'FIRST_VALUE' && name !== 'LAST_VALUE')) return
  const advice = 'use LAG(x, n) or LEAD(x, n) for one row'
  throw sqlProblem(place, `on a cluster the bounds of the frame of ${name} must be UNBOUNDED or CURRENT ROW: ${advice}`)
}

type Operation = Truth | Extract<Expression, { kind: 'arithmetic' | 'negate' }>

/** Functions that Druid's SQL has under another name, or only in an extension that few installations load. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['POW', 'POWER'],
  ['CARDINALITY', 'ARRAY_LENGTH'],
  ['APPROX_QUANTILE', 'APPROX_QUANTILE_DS'],
  ['APPROX_QUANTILE_FIXED_BUCKETS', 'APPROX_QUANTILE_DS'],
])

/** `YEAR(x)` and similar functions. */
const timeParts: ReadonlyMap<string, string> = new Map([
  ...['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'HOUR', 'MINUTE', 'SECOND'].map((name) => [name, name] as const),
  ['DAYOFMONTH', 'DAY'],
  ['DAYOFYEAR', 'DOY'],
  ['DAYOFWEEK', 'DOW'],
])

/** Functions whose result has the type of a text operand, and with it the length. */
const cut = new Set(['LEAST', 'GREATEST', 'SUBSTRING', 'SUBSTR'])

const bare = new Set(['CURRENT_TIMESTAMP', 'CURRENT_DATE', 'LOCALTIMESTAMP'])

const operators = {
  '+': sql`+`,
  '-': sql`-`,
  '*': sql`*`,
  '/': sql`/`,
  '||': sql`||`,
  ...comparisons,
}

function not({ negated }: { readonly negated: boolean }): Sql {
  return negated ? sql`NOT ` : sql``
}

/** The call over a CASE instead of a FILTER. The CASE is null in the other rows, which aggregates skip. */
function ofPassing(call: Call, filter: Expression): Call {
  const { place } = call
  // The call was checked before, so it has an operand.
  const counted: Expression = call.star ? { kind: 'number', digits: '1', place } : call.operands[0]!
  const passing: Expression = {
    kind: 'case',
    operand: null,
    branches: [{ when: filter, result: counted }],
    otherwise: null,
    place,
  }
  return { ...call, star: false, operands: [passing, ...call.operands.slice(1)], filter: null }
}

type ArrayOf = Extract<Expression, { kind: 'array' }>

/**
 * If some elements of an array may be null and others may not, Druid's planner casts the others, once more each time that it processes them. It then
 * does not recognize the grouping key in the selected expression.
 */
function mayBeNull({ items, ...array }: ArrayOf): ArrayOf {
  const { place } = array
  const always: Expression = { kind: 'boolean', value: true, place }
  const element = (item: Expression): Expression => {
    return { kind: 'case', operand: null, branches: [{ when: always, result: item }], otherwise: null, place }
  }
  return { ...array, items: items.map(element) }
}

function writeCastType({ name, isArray, scale }: CastType): Sql {
  const type = scale === null ? word(name) : sql`DECIMAL(38, ${digits(scale)})`
  return isArray ? sql`${type} ARRAY` : type
}

/** Druid accepts no more digits than a long has, and no number beyond the range of doubles. */
function writeNumber(text: string): Sql {
  if (!Number.isFinite(Number(text))) return sql`CAST(NULL AS DOUBLE)`
  const isLong = plainLong(text) !== null
  return isLong || /e/i.test(text) || text.length <= plainDigits ? digits(text) : digits(`${text}E0`)
}

/** Up to this many characters are a number to Druid, with or without a point. */
const plainDigits = 18

function writeIntervalLiteral({ value, negative, from, to }: Extract<Expression, { kind: 'interval' }>): Sql {
  const sign = negative ? sql`-` : sql``
  const until = to === null ? sql`` : sql` TO ${word(to)}`
  return sql`INTERVAL ${sign}${quotedText(value)} ${word(from)}${until}`
}
