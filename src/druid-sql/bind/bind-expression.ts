// Expressions: names resolved, types found, functions looked up in the catalogue, and all of it said as the engine's SQL.

import type { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainLong } from '../../model/long.ts'
import { aggregates } from '../functions/aggregates.ts'
import { catalogue } from '../functions/catalogue.ts'
import { modulo, numeric, quotient, wrapped } from '../functions/numbers.ts'
import { checkCount } from '../functions/signature.ts'
import { withoutRepeating, withoutRepeats } from '../functions/text-room.ts'
import { concat } from '../functions/texts.ts'
import { unified } from '../functions/unified.ts'
import { unknownFunction } from '../functions/unknown-function.ts'
import { windowFunctions } from '../functions/windows.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Call, Expression, Query } from '../parse/syntax.ts'
import { bindAggregate, bindWindowCall } from './bind-aggregate.ts'
import { bindTruth } from './bind-truth.ts'
import { type Bound, columnOfValues, combine, isCastAway } from './bound.ts'
import { isTrueWhereChosen } from './column-filters.ts'
import { comparable } from './comparable.ts'
import { as, timestampLiteral } from './conversions.ts'
import { doubleLiteral } from './engine-names.ts'
import { bindCondition, type ExpressionContext } from './expression-context.ts'
import { intervalLiteral, timeLiteralMs } from './intervals.ts'
import { columnIn } from './scope.ts'
import { type NumberOperator, operatorText, timeArithmetic } from './time-arithmetic.ts'
import {
  arrayOf,
  boolean,
  castTypeOf,
  commonType,
  date,
  double,
  interval,
  long,
  nullType,
  type SqlType,
  string,
  timestamp,
  typeName,
  wideString,
} from './types.ts'

export function bindExpression(expression: Expression, context: ExpressionContext): Bound {
  const bound = { ...bindAny(expression, context), zone: context.zone }
  // What the query groups by is one value for each group, whatever columns are in it.
  if (bound.loose === null || context.groupKeys?.has(bound.sql.text) !== true) return bound
  return {
    ...bound,
    loose: null,
    stored: bound.stored?.isCast === true ? undefined : (bound.stored ?? columnOfValues(bound)),
  }
}

function constant(place: Place, type: SqlType, text: Sql, value: Bound['constant']): Bound {
  return { ...combine(place, type, text, []), constant: value }
}

function bindAny(expression: Expression, context: ExpressionContext): Bound {
  const { place } = expression
  switch (expression.kind) {
    case 'text':
      return constant(place, wideString(expression.value.length), sql.literal(expression.value), expression.value)
    case 'number':
      return bindNumber(expression.digits, place)
    case 'boolean':
      return constant(place, boolean, expression.value ? sql`TRUE` : sql`FALSE`, expression.value)
    case 'null':
      return constant(place, nullType, sql`NULL`, null)
    case 'time':
      return bindTime(expression, context.zone)
    case 'interval':
      return combine(place, interval, intervalLiteral(expression), [])
    case 'column':
      return aliased(expression.path, context) ?? columnIn(context.scope, expression.path, place)
    case 'arithmetic':
      return bindArithmetic(expression, context)
    case 'negate':
      return bindNegation(expression.operand, place, context)
    case 'case':
      return bindCase(expression, context)
    case 'cast':
      return bindCast(expression, context)
    case 'scalar':
      return bindScalarQuery(expression.query, place, context)
    case 'array':
      return bindArray(expression.items, place, context)
    case 'item':
      return bindItem(expression, context)
    case 'call':
      return bindCall(expression, context)
    default:
      return bindTruth(expression, context)
  }
}

function aliased(path: readonly string[], { aliases }: ExpressionContext): Bound | null {
  return path.length === 1 ? (aliases?.get(path[0]!) ?? null) : null
}

function bindNumber(digits: string, place: Place): Bound {
  const value = plainLong(digits)
  if (value !== null) return constant(place, long, sql.long(value), value)
  return constant(place, double, doubleLiteral(Number(digits)), Number(digits))
}

function bindTime(literalTime: Extract<Expression, { kind: 'time' }>, zone: Zone): Bound {
  const { type, value, place } = literalTime
  const ms = timeLiteralMs(literalTime)
  const form = type === 'DATE' ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm:ss'
  if (ms === null) throw sqlProblem(place, `${quoted(value)} is no ${type}: it is written as '${form}'`)
  if (type === 'DATE') return combine(place, date, sql`CAST(${timestampLiteral(ms)} AS DATE)`, [])
  return combine(place, timestamp, timestampLiteral(zone.momentsOf(ms).moments[0]), [])
}

function bindArithmetic(expression: Extract<Expression, { kind: 'arithmetic' }>, context: ExpressionContext): Bound {
  const { operator, place } = expression
  if (operator === '||') {
    const operands = chained(expression).map((operand) => bindExpression(operand, context))
    return concat.bind({
      name: '||',
      place,
      operands,
      unit: null,
      unitPlace: null,
      returning: null,
      wraps: context.wraps,
      zone: context.zone,
    })
  }
  const left = bindExpression(expression.left, context)
  const right = bindExpression(expression.right, context)
  const ofTime = timeArithmetic(operator, left, right, context.zone)
  if (ofTime !== null) return ofTime
  if (operator === '%')
    return modulo.bind({
      name: 'MOD',
      place,
      operands: [left, right],
      unit: null,
      unitPlace: null,
      returning: null,
      wraps: context.wraps,
      zone: context.zone,
    })
  const [a, b] = [numeric(left), numeric(right)]
  const type = commonType(a.type, b.type)!
  if (type.kind !== 'double') return longArithmetic(operator, a, b, place, context.wraps)
  const [x, y] = [as(a, double), as(b, double)]
  return combine(place, double, sql`(${x.sql} ${operatorText(operator)} ${y.sql})`, [x, y])
}

/** `a || b || c` is one text of three, not a text of a text. */
function chained(expression: Expression): readonly Expression[] {
  const operands: Expression[] = []
  let left = expression
  for (; left.kind === 'arithmetic' && left.operator === '||'; left = left.left) operands.push(left.right)
  operands.push(left)
  return operands.reverse()
}

function longArithmetic(operator: NumberOperator, a: Bound, b: Bound, place: Place, wraps: boolean): Bound {
  if (typeof a.constant === 'bigint' && typeof b.constant === 'bigint' && operator !== '/') {
    const results = { '+': a.constant + b.constant, '-': a.constant - b.constant, '*': a.constant * b.constant }
    const value = aroundConstants(a.constant, b.constant, results[operator])
    return constant(place, long, sql.long(value), value)
  }
  if (operator === '/') return combine(place, long, quotient(a, b, wraps), [a, b])
  if (!wraps) return combine(place, long, sql`${plainArithmetic[operator]}(${a.sql}, ${b.sql})`, [a, b])
  return combine(place, long, wrapped(sql`(${a.sql}::HUGEINT ${operatorText(operator)} ${b.sql}::HUGEINT)`), [a, b])
}

/**
 * As functions: of operators the engine brings a constant to the other side of a comparison, makes `l < -1` of `l + 1 < 0`, and never sees that
 * the sum goes round.
 */
const plainArithmetic = { '+': sql`add`, '-': sql`subtract`, '*': sql`multiply` } as const

/** Constants that are INTEGERs to Druid go round at 32 bits, others at 64. */
function aroundConstants(a: bigint, b: bigint, result: bigint): bigint {
  const isInteger = (value: bigint): boolean => BigInt.asIntN(32, value) === value
  return BigInt.asIntN(isInteger(a) && isInteger(b) ? 32 : 64, result)
}

function bindNegation(operand: Expression, place: Place, context: ExpressionContext): Bound {
  if (operand.kind === 'number') {
    // The smallest long has no positive counterpart.
    const value = plainLong(`-${operand.digits}`)
    if (value !== null) return constant(place, long, sql.long(value), value)
    return constant(place, double, doubleLiteral(-Number(operand.digits)), -Number(operand.digits))
  }
  const x = bindExpression(operand, context)
  if (x.type.kind === 'interval') return combine(place, interval, sql`(-${x.sql})`, [x])
  const number = numeric(x)
  if (number.type.kind === 'long' && context.wraps)
    return combine(place, long, wrapped(sql`(-(${number.sql}::HUGEINT))`), [number])
  return combine(place, number.type, sql`(-${number.sql})`, [number])
}

function bindCase(expression: Extract<Expression, { kind: 'case' }>, context: ExpressionContext): Bound {
  const { place, operand, branches, otherwise } = expression
  const value = operand === null ? null : bindExpression(operand, context)
  const whens = branches.map(({ when }) =>
    value === null ? bindCondition(when, context, 'what stands after WHEN') : bindExpression(when, context),
  )
  const results = branches.map(({ result }) => bindExpression(result, context))
  const last = otherwise === null ? constant(place, nullType, sql`NULL`, null) : bindExpression(otherwise, context)
  const { operands, type } = unified([...results, last])
  const others = [...whens, ...operands]
  const texts = others.map((other) => other.sql)
  const text =
    value === null
      ? caseOf(whens, texts)
      : withoutRepeating(value.sql, texts, (x, named) => caseOf(equalTo({ ...value, sql: x }, whens, named), named))
  return combine(place, type, text, value === null ? others : [value, ...others])
}

/** `texts` are those of the conditions, then those of the results, the last of them for no condition. */
function caseOf(conditions: readonly Bound[], texts: readonly Sql[]): Sql {
  const results = texts.slice(conditions.length)
  const cases = conditions.map((condition, index) => sql`WHEN ${condition.sql} THEN ${results[index]!}`)
  return sql`CASE ${sql.join(cases, ' ')} ELSE ${results.at(-1)!} END`
}

const equalTo = (value: Bound, others: readonly Bound[], texts: readonly Sql[]): readonly Bound[] =>
  others.map((other, index) => {
    const [a, b] = comparable(value, { ...other, sql: texts[index]! })
    return combine(other.place, boolean, sql`(${a.sql} = ${b.sql})`, [a, b])
  })

function bindCast(expression: Extract<Expression, { kind: 'cast' }>, context: ExpressionContext): Bound {
  const { operand, type: target, place } = expression
  const bound = bindExpression(operand, context)
  const type = castTypeOf(target)
  if (bound.type.kind === 'boolean' && (type.kind === 'long' || type.kind === 'double'))
    throw sqlProblem(place, 'what is true or false is no number: write CASE WHEN ... THEN 1 ELSE 0 END')
  if (type.kind === 'long' && typeof bound.constant === 'string' && !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(bound.constant)) {
    throw sqlProblem(place, `${quoted(bound.constant)} is no number`)
  }
  const isTrue = context.filters.has(expression) && type.kind === 'boolean' ? isTrueWhereChosen(bound) : null
  if (isTrue !== null) return combine(place, boolean, isTrue, [bound])
  // A cast of a cast is written for Druid so that it is left as it is.
  const isLeftOut = bound.stored !== undefined && operand.kind !== 'cast' && isCastAway(type)
  return { ...as(bound, type), place, stored: isLeftOut ? { ...bound.stored, isCast: true } : undefined }
}

function bindScalarQuery(query: Query, place: Place, context: ExpressionContext): Bound {
  const { sql: text, columns } = context.subquery(query, context.scope)
  if (columns.length !== 1)
    throw sqlProblem(place, `a query that stands for a value gives one column, not ${columns.length}`)
  return combine(place, columns[0]!.type, sql`(${text})`, [])
}

function bindArray(items: readonly Expression[], place: Place, context: ExpressionContext): Bound {
  if (items.length === 0) throw sqlProblem(place, 'ARRAY[...] takes one element at least')
  const { operands, type } = unified(items.map((item) => bindExpression(item, context)))
  const element = type.kind === 'null' ? string : type
  const texts = operands.map((operand) => operand.sql)
  return combine(place, arrayOf(element), sql`[${sql.join(texts, ', ')}]`, operands)
}

function bindItem(expression: Extract<Expression, { kind: 'item' }>, context: ExpressionContext): Bound {
  const array = bindExpression(expression.operand, context)
  if (array.type.kind !== 'array')
    throw sqlProblem(expression.place, `only an array has items, not a value of type ${typeName(array.type)}`)
  const index = as(bindExpression(expression.index, context), long)
  return combine(
    expression.place,
    array.type.element,
    withoutRepeats([array.sql, index.sql], (list, place) => sql`CASE WHEN ${place} >= 1 THEN ${list}[${place}] END`),
    [array, index],
  )
}

function bindCall(call: Call, context: ExpressionContext): Bound {
  const { name, place } = call
  if (call.over !== null) return bindWindowCall(call, context)
  if (aggregates.has(name) || name === 'GROUPING') return bindAggregate(call, context)
  if (windowFunctions.has(name)) throw sqlProblem(place, `${name} needs a window: write ${name}(...) OVER (...)`)
  const entry = catalogue.get(name)
  if (entry === undefined) throw unknownFunction(name, place)
  if (call.distinct || call.star || call.filter !== null || call.orderBy.length > 0)
    throw sqlProblem(place, `${name} is no aggregate: it takes neither DISTINCT nor * nor FILTER nor ORDER BY`)
  checkCount(name, place, entry.count, call.operands.length)
  const operands = call.operands.map((operand) => bindExpression(operand, context))
  const returning = call.returning === null ? null : castTypeOf(call.returning)
  return entry.bind({
    name,
    place,
    operands,
    unit: call.unit,
    unitPlace: call.unitPlace,
    returning,
    wraps: context.wraps,
    zone: context.zone,
  })
}
