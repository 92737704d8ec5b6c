// Expressions that are true, false or null: comparisons, IN, LIKE, BETWEEN and what puts them together.

import { likeForm } from '../../druid-patterns/like.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { onceEach, withoutRepeating, withoutRepeats } from '../functions/text-room.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import type { Expression } from '../parse/syntax.ts'
import { orderKey } from './bind-aggregate.ts'
import { type Bound, combine } from './bound.ts'
import { columnAmong, columnBetween, comparedColumn } from './column-filters.ts'
import { comparable } from './comparable.ts'
import { as } from './conversions.ts'
import { plainInteger } from './engine-names.ts'
import { bindCondition, type ExpressionContext } from './expression-context.ts'
import { boolean, isSame, string } from './types.ts'

type Truth = Exclude<
  Expression,
  {
    kind:
      | 'text'
      | 'number'
      | 'boolean'
      | 'null'
      | 'time'
      | 'interval'
      | 'column'
      | 'arithmetic'
      | 'negate'
      | 'case'
      | 'cast'
      | 'scalar'
      | 'array'
      | 'item'
      | 'call'
  }
>

const operators = {
  '=': sql`=`,
  '<>': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
} as const

/** What is true, false or null. */
export function bindTruth(expression: Truth, context: ExpressionContext): Bound {
  const { place } = expression
  const bind = (inner: Expression): Bound => context.bind(inner, context)
  switch (expression.kind) {
    case 'comparison': {
      const [one, other] = [bind(expression.left), bind(expression.right)]
      const isAmongSeveral = context.amongSeveral.has(expression)
      const filter = context.filters.has(expression)
        ? comparedColumn(one, expression.operator, other, isAmongSeveral)
        : null
      if (filter !== null) return combine(place, boolean, filter, [one, other])
      const [left, right] = comparable(one, other)
      const isOrder = expression.operator !== '=' && expression.operator !== '<>'
      const [a, b] = isOrder ? ordering(left, right, context) : inFiles(left, right, context)
      return combine(place, boolean, sql`(${a} ${operators[expression.operator]} ${b})`, [left, right])
    }
    case 'logical': {
      const items = expression.items.map((item) => bindCondition(item, context, `an operand of ${expression.operator}`))
      return combine(
        place,
        boolean,
        sql`(${sql.join(
          items.map((item) => item.sql),
          expression.operator === 'AND' ? ' AND ' : ' OR ',
        )})`,
        items,
      )
    }
    case 'not': {
      const operand = bindCondition(expression.operand, context, 'the operand of NOT')
      return combine(place, boolean, sql`(NOT ${operand.sql})`, [operand])
    }
    case 'is': {
      const operand =
        expression.what === 'NULL'
          ? bind(expression.operand)
          : bindCondition(expression.operand, context, `what is IS ${expression.what}`)
      const whats = { NULL: sql`NULL`, TRUE: sql`TRUE`, FALSE: sql`FALSE`, UNKNOWN: sql`NULL` }
      const what = whats[expression.what]
      const is = sql`(${operand.sql} IS ${negation(expression.negated)}${what})`
      const isNull = what === whats.NULL || what === whats.UNKNOWN
      return combine(place, boolean, isNull && !expression.negated ? told(is, expression, context) : is, [operand])
    }
    case 'distinctFrom': {
      const [one, other] = [bind(expression.left), bind(expression.right)]
      const filter = context.filters.has(expression) ? comparedColumn(one, '=', other) : null
      if (filter !== null)
        return combine(place, boolean, sql`(${filter} IS ${negation(!expression.negated)}TRUE)`, [one, other])
      const [left, right] = comparable(one, other)
      const is = sql`(${left.sql} IS ${negation(expression.negated)}DISTINCT FROM ${right.sql})`
      const text = expression.negated ? told(is, expression, context) : sql`(${is} IS TRUE)`
      return combine(place, boolean, text, [left, right])
    }
    case 'between':
      return bindBetween(expression, context)
    case 'inList':
      return bindInList(expression, context)
    case 'inQuery':
      return bindInQuery(expression, context)
    case 'like':
      return bindLike(expression, context)
    default:
      return expression satisfies never
  }
}

/**
 * What is never unknown, so that the engine's optimizer takes it as it stands: beside another comparison of x, it leaves out the nulls of `x IS DISTINCT FROM 5`
 * (duckdb#25992), and `a = b OR a IS NULL AND b IS NULL` it takes for false where it is unknown (duckdb#23685). In a part of WHERE or ON the latter
 * comes to the same, and it joins by such conditions.
 */
function told(condition: Sql, expression: Expression, { isFilter, parts }: ExpressionContext): Sql {
  return isFilter && parts.has(expression) ? condition : sql`(${condition} IS TRUE)`
}

/** Two operands as they are compared: times of entities as the files have them, where rows are chosen. */
function inFiles(left: Bound, right: Bound, { isFilter }: ExpressionContext): readonly [Sql, Sql] {
  const isOfFiles = left.fileSql !== undefined || right.fileSql !== undefined
  return isFilter && isOfFiles ? [inFile(left), inFile(right)] : [left.sql, right.sql]
}

/** What two operands are ordered by. */
const ordering = (left: Bound, right: Bound, context: ExpressionContext): readonly [Sql, Sql] =>
  left.type.kind === 'array' ? [orderKey(left), orderKey(right)] : inFiles(left, right, context)

const inFile = ({ fileSql, sql: text }: Bound): Sql => fileSql ?? sql`make_timestamptz(epoch_us(${text}))`

const negation = (negated: boolean): Sql => (negated ? sql`NOT ` : sql``)

function bindBetween(expression: Extract<Expression, { kind: 'between' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = context.bind(expression.operand, context)
  const ends = [context.bind(expression.low, context), context.bind(expression.high, context)] as const
  const filter = context.filters.has(expression) && !expression.symmetric ? columnBetween(operand, ends) : null
  if (filter !== null) return combine(place, boolean, negated ? sql`(NOT ${filter})` : filter, [operand, ...ends])
  const inside = withoutRepeats([operand.sql, ends[0].sql, ends[1].sql], (...named) => {
    const [x, low, high] = [operand, ...ends].map((bound, index) => ({ ...bound, sql: named[index]! }))
    const [above, least] = ordering(...comparable(x!, low!), context)
    const [below, most] = ordering(...comparable(x!, high!), context)
    const between = sql`(${above} >= ${least} AND ${below} <= ${most})`
    return expression.symmetric ? sql`(${between} OR (${above} <= ${least} AND ${below} >= ${most}))` : between
  })
  return combine(place, boolean, negated ? sql`(NOT ${inside})` : inside, [operand, ...ends])
}

function bindInList(expression: Extract<Expression, { kind: 'inList' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = context.bind(expression.operand, context)
  const listed = expression.items.map((item) => context.bind(item, context))
  checkTruths(operand, listed, place)
  const items = alike(operand, listed)
  const isAmongSeveral = context.amongSeveral.has(expression)
  const filter = context.filters.has(expression) ? filterAmong(operand, items, isAmongSeveral) : null
  if (filter !== null) return combine(place, boolean, negated ? sql`(NOT ${filter})` : filter, [operand, ...items])
  const pairs = items.map((item) => comparable(operand, item))
  const first = pairs[0]![0]
  if (pairs.every(([left]) => isSame(left.type, first.type))) {
    const text = sql`(${first.sql} ${negation(negated)}IN (${sql.join(
      pairs.map(([, item]) => item.sql),
      ', ',
    )}))`
    return combine(place, boolean, text, [first, ...items])
  }
  // Items of different types are compared each in its own way.
  const whole = withoutRepeating(
    operand.sql,
    items.map((item) => item.sql),
    (x, others) => {
      const equal = items.map((item, index) => {
        const [left, right] = comparable({ ...operand, sql: x }, { ...item, sql: others[index]! })
        return sql`(${left.sql} = ${right.sql})`
      })
      return sql`(${negation(negated)}(${sql.join(equal, ' OR ')}))`
    },
  )
  return combine(place, boolean, whole, [operand, ...items])
}

/** A list of constants, or of constants and others: these are compared each for itself. */
function filterAmong(operand: Bound, items: readonly Bound[], isAmongSeveral: boolean): Sql | null {
  const others = items.filter(({ constant }) => constant === undefined)
  const constants = items.filter(({ constant }) => constant !== undefined)
  const among = constants.length === 0 ? null : columnAmong(operand, constants, isAmongSeveral)
  if (among === null || others.length === 0) return among
  const equal = others.map((item) => {
    const [left, right] = comparable(operand, item)
    return sql`(${left.sql} = ${right.sql})`
  })
  return sql`(${sql.join([among, ...equal], ' OR ')})`
}

/** Druid finds no type for truth values beside numbers, and none for those that a number is looked for in. */
function checkTruths(operand: Bound, items: readonly Bound[], place: Place): void {
  const has = (...kinds: readonly string[]): boolean => items.some(({ type }) => kinds.includes(type.kind))
  if (!has('boolean')) return
  const isOfNumber = operand.type.kind === 'long' || operand.type.kind === 'double'
  if (isOfNumber || (has('long', 'double') && !has('string', 'null')))
    throw sqlProblem(
      place,
      'the values after IN are of types that do not go together: write 1 for TRUE and 0 for FALSE',
    )
}

/** Numbers among texts that a text is looked for in are texts; beside a NULL without a type too, and so are truth values, as 1 and 0. */
function alike(operand: Bound, items: readonly Bound[]): readonly Bound[] {
  const areTexts = items.some(({ type }) => type.kind === 'string' || type.kind === 'null')
  if (operand.type.kind !== 'string' || !areTexts) return items
  const isNumber = ({ type }: Bound): boolean => type.kind === 'long' || type.kind === 'double'
  return items.map((item) => {
    if (typeof item.constant === 'boolean') return textOfTruth(item, item.constant ? '1' : '0')
    return isNumber(item) ? as(item, string) : item
  })
}

const textOfTruth = (item: Bound, text: string): Bound => ({
  ...item,
  type: string,
  sql: sql.literal(text),
  constant: text,
})

function bindInQuery(expression: Extract<Expression, { kind: 'inQuery' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = context.bind(expression.operand, context)
  const query = context.subquery(expression.query, context.scope)
  if (query.columns.length !== 1)
    throw sqlProblem(place, `the query after IN gives one column, not ${query.columns.length}`)
  const item = combine(expression.query.place, query.columns[0]!.type, sql`q.c0`, [])
  const [left, right] = comparable(operand, item)
  return combine(
    place,
    boolean,
    sql`(${left.sql} ${negation(negated)}IN (SELECT ${right.sql} FROM (${query.sql}) AS q(c0)))`,
    [left],
  )
}

function bindLike(expression: Extract<Expression, { kind: 'like' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = as(context.bind(expression.operand, context), string)
  const pattern = as(context.bind(expression.pattern, context), string)
  const escapedBy = escapeOf(expression, context)
  const text = operand.sql
  const like =
    typeof pattern.constant === 'string'
      ? likeConstant(text, pattern.constant, escapedBy, place)
      : likePattern(text, pattern.sql, escapedBy)
  return combine(place, boolean, negated ? sql`(NOT ${like})` : like, [operand, pattern])
}

function escapeOf(like: Extract<Expression, { kind: 'like' }>, context: ExpressionContext): string | null {
  if (like.escape === null) return null
  const { constant, place } = context.bind(like.escape, context)
  if (typeof constant === 'string' && [...constant].length === 1) return constant
  throw sqlProblem(place, 'the ESCAPE of a LIKE is one character in single quotes')
}

/** A pattern is tried at each place of a text: both may not be long. */
const patternMax = 1000
const tooLong = `a LIKE with % and _ in it has ${patternMax} characters at most`

function likeConstant(text: Sql, pattern: string, escapedBy: string | null, place: Place): Sql {
  const form = likeForm(pattern, escapedBy)
  if (form.kind === 'like') return sql`(${text} LIKE ${sql.literal(form.pattern)})`
  if (pattern.length > patternMax) throw sqlProblem(place, tooLong)
  return sql`regexp_full_match(${text}, ${sql.literal(form.pattern)})`
}

/** The same for a pattern that shows only when the query runs. Characters of no text stand for what is escaped. */
function likePattern(text: Sql, pattern: Sql, escapedBy: string | null): Sql {
  return onceEach([text, pattern], (x, p) => {
    const changes: (readonly [string, string])[] = []
    if (escapedBy !== null) {
      const mark = escaped(escapedBy)
      changes.push([mark + mark, '\u{10FFFD}'], [`${mark}\\%`, '\u{10FFFC}'], [`${mark}_`, '\u{10FFFB}'], [mark, ''])
    }
    changes.push(['\\%', '.*'], ['_', '.'])
    if (escapedBy !== null) changes.push(['\u{10FFFD}', escaped(escapedBy)], ['\u{10FFFC}', '\\%'], ['\u{10FFFB}', '_'])
    const regex = changes.reduce(
      (sofar, [from, to]) => sql`replace(${sofar}, ${sql.literal(from)}, ${sql.literal(to)})`,
      sql`regexp_escape(${p})`,
    )
    const isPlain = sql`${escapedBy === null ? sql`` : sql`NOT contains(${p}, ${sql.literal(escapedBy)}) AND `}NOT (contains(${p}, '%') AND contains(${p}, '_'))`
    return sql`CASE WHEN ${isPlain} THEN ${x} LIKE ${p} WHEN length(${p}) <= ${plainInteger(patternMax)}
      THEN regexp_full_match(${x}, '(?s)' || ${regex}) WHEN ${p} IS NOT NULL
      THEN CAST(${failing(tooLong)} AS BOOLEAN) END`
  })
}

/** As the engine escapes it for a regular expression. */
const escaped = (character: string): string => (/[\w\u{80}-\u{10FFFF}]/u.test(character) ? character : `\\${character}`)
