// Expressions that are true, false or null: comparisons, IN, LIKE, BETWEEN and what puts them together.
import { type Bound, combine } from './bound.ts'
import { bindCondition, type ExpressionContext } from './context.ts'
import { as, comparable } from './conversions.ts'
import { sqlProblem } from './sql-problem.ts'
import { join, type SqlText, sql } from './sql-text.ts'
import type { Expression } from './syntax.ts'
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

/** What is true, false or null. */
export function bindTruth(expression: Truth, context: ExpressionContext): Bound {
  const { place } = expression
  const bind = (inner: Expression): Bound => context.bind(inner, context)
  switch (expression.kind) {
    case 'comparison': {
      const [left, right] = comparable(bind(expression.left), bind(expression.right))
      const operators = { '=': sql`=`, '<>': sql`<>`, '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` }
      const [a, b] = inFiles(left, right, context)
      return combine(place, boolean, sql`(${a} ${operators[expression.operator]} ${b})`, [left, right])
    }
    case 'logical': {
      const items = expression.items.map((item) => bindCondition(item, context, `an operand of ${expression.operator}`))
      return combine(
        place,
        boolean,
        sql`(${join(
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
      return combine(
        place,
        boolean,
        sql`(${operand.sql} IS ${negation(expression.negated)}${whats[expression.what]})`,
        [operand],
      )
    }
    case 'distinctFrom': {
      const [left, right] = comparable(bind(expression.left), bind(expression.right))
      return combine(place, boolean, sql`(${left.sql} IS ${negation(expression.negated)}DISTINCT FROM ${right.sql})`, [
        left,
        right,
      ])
    }
    case 'between':
      return bindBetween(expression, context)
    case 'inList':
      return bindInList(expression, context)
    case 'inQuery':
      return bindInQuery(expression, context)
    case 'like':
      return bindLike(expression, context)
    case 'exists': {
      const query = context.subquery(expression.query, context.scope)
      return combine(place, boolean, sql`EXISTS (${query.sql})`, [])
    }
    default:
      return expression satisfies never
  }
}

/** Two operands as they are compared: times of entities as the files have them, where rows are chosen. */
function inFiles(left: Bound, right: Bound, { isFilter }: ExpressionContext): readonly [SqlText, SqlText] {
  const isStored = left.stored !== undefined || right.stored !== undefined
  return isFilter && isStored ? [inFile(left), inFile(right)] : [left.sql, right.sql]
}

const inFile = ({ stored, sql: text }: Bound): SqlText => stored ?? sql`make_timestamptz(epoch_us(${text}))`

const negation = (negated: boolean): SqlText => (negated ? sql`NOT ` : sql``)

function bindBetween(expression: Extract<Expression, { kind: 'between' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = context.bind(expression.operand, context)
  const [aboveLeft, low] = comparable(operand, context.bind(expression.low, context))
  const [belowLeft, high] = comparable(operand, context.bind(expression.high, context))
  const [above, least] = inFiles(aboveLeft, low, context)
  const [below, most] = inFiles(belowLeft, high, context)
  const inside = sql`(${above} >= ${least} AND ${below} <= ${most})`
  if (!expression.symmetric)
    return combine(place, boolean, negated ? sql`(NOT ${inside})` : inside, [operand, low, high])
  const turned = sql`(${above} <= ${least} AND ${below} >= ${most})`
  return combine(place, boolean, sql`(${negation(negated)}(${inside} OR ${turned}))`, [operand, low, high])
}

function bindInList(expression: Extract<Expression, { kind: 'inList' }>, context: ExpressionContext): Bound {
  const { place, negated } = expression
  const operand = context.bind(expression.operand, context)
  const items = expression.items.map((item) => context.bind(item, context))
  const pairs = items.map((item) => comparable(operand, item))
  const first = pairs[0]![0]
  if (pairs.every(([left]) => isSame(left.type, first.type))) {
    const text = sql`(${first.sql} ${negation(negated)}IN (${join(
      pairs.map(([, item]) => item.sql),
      ', ',
    )}))`
    return combine(place, boolean, text, [first, ...items])
  }
  // Items of different types are compared each in its own way.
  const equal = pairs.map(([left, right]) => sql`(${left.sql} = ${right.sql})`)
  return combine(place, boolean, sql`(${negation(negated)}(${join(equal, ' OR ')}))`, [operand, ...items])
}

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
  const like = sql`${operand.sql} ${negation(negated)}LIKE ${pattern.sql}`
  if (expression.escape === null) return combine(place, boolean, sql`(${like})`, [operand, pattern])
  const escapeBy = context.bind(expression.escape, context)
  if (typeof escapeBy.constant !== 'string' || [...escapeBy.constant].length !== 1)
    throw sqlProblem(escapeBy.place, 'the ESCAPE of a LIKE is one character in single quotes')
  return combine(place, boolean, sql`(${like} ESCAPE ${escapeBy.sql})`, [operand, pattern])
}
