// Expressions: resolves names, determines types, and looks up functions in the catalogue.
import type { Zone } from '../../druid-time/zone.ts'
import { likelyWord } from '../../lib/likely-word.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainLong } from '../../model/long.ts'
import { aggregates } from '../functions/aggregates.ts'
import { catalogue } from '../functions/catalogue.ts'
import { negated, numberCall, numeric, quotient, remainder } from '../functions/numbers.ts'
import { checkCount } from '../functions/signature.ts'
import { withoutRepeating, withoutRepeats } from '../functions/text-limits.ts'
import { concat } from '../functions/texts.ts'
import { unifiedTexts, unifiedType } from '../functions/unified.ts'
import { windowFunctions } from '../functions/windows.ts'
import { otherFunctions } from '../parse/other-dialects.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Call, Expression, Query } from '../parse/syntax.ts'
import { bindAggregate, bindWindowCall } from './bind-aggregate.ts'
import { bindTruth } from './bind-truth.ts'
import { isTrueWhereChosen } from './column-filters.ts'
import { comparedAs, requireComparable } from './comparable.ts'
import { as, castText, constantOf } from './conversions.ts'
import { asValue, bindCondition, type ExpressionContext } from './expression-context.ts'
import { readIntervalLiteral, timeLiteralMs } from './intervals.ts'
import { asKey, columnIn } from './scope.ts'
import { arithmetic, type NumberOperator, timeArithmetic } from './time-arithmetic.ts'
import { type Bound, called, engineFunction, isCastAway, literal } from './tree.ts'
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
  string,
  timestamp,
  typeName,
  wideString,
} from './types.ts'

export function bindExpression(expression: Expression, context: ExpressionContext): Bound {
  return asKey(bindAny(expression, context), context.groupKeys)
}

function bindAny(expression: Expression, around: ExpressionContext): Bound {
  const { place } = expression
  const context = asValue(around)
  switch (expression.kind) {
    case 'text':
      return literal(place, wideString(expression.value.length), expression.value)
    case 'number':
      return numberLiteral(expression.digits, place)
    case 'boolean':
      return literal(place, boolean, expression.value)
    case 'null':
      return literal(place, nullType, null)
    case 'time':
      return bindTime(expression, context.zone)
    case 'interval':
      return { kind: 'interval', type: interval, place, ...readIntervalLiteral(expression) }
    case 'column':
      return aliased(expression.path, context) ?? columnIn(context.scope, expression.path, place)
    case 'arithmetic':
      return bindArithmetic(expression, context)
    case 'negate':
      return bindNegation(expression.operand, place, context)
    case 'case':
      return bindCase(expression, context)
    case 'cast':
      return bindCast(expression, context, around.isDruidFilter)
    case 'scalar':
      return bindScalarQuery(expression.query, place, context)
    case 'array':
      return bindArray(expression.items, place, context)
    case 'item':
      return bindItem(expression, context)
    case 'call':
      return bindCall(expression, context)
    default:
      return bindTruth(expression, around)
  }
}

function aliased(path: readonly string[], { aliases }: ExpressionContext): Bound | null {
  return path.length === 1 ? (aliases?.get(path[0]!) ?? null) : null
}

function numberLiteral(digits: string, place: Place): Bound {
  const value = plainLong(digits)
  return value === null ? literal(place, double, Number(digits)) : literal(place, long, value)
}

function bindTime(written: Extract<Expression, { kind: 'time' }>, zone: Zone): Bound {
  const { type, value, place } = written
  const ms = timeLiteralMs(written)
  const form = type === 'DATE' ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm:ss'
  if (ms === null) throw sqlProblem(place, `${quoted(value)} is not a valid ${type}: write it as '${form}'`)
  if (type === 'DATE') return { kind: 'time', type: date, place, ms }
  return { kind: 'time', type: timestamp, place, ms: zone.momentsOf(ms).moments[0] }
}

const plainCall = { unit: null, unitPlace: null, returning: null }

function bindArithmetic(expression: Extract<Expression, { kind: 'arithmetic' }>, context: ExpressionContext): Bound {
  const { operator, place } = expression
  if (operator === '||') {
    const operands = chained(expression).map((operand) => bindExpression(operand, context))
    return concat.bind({ name: '||', place, operands, zone: context.zone, ...plainCall })
  }
  const left = bindExpression(expression.left, context)
  const right = bindExpression(expression.right, context)
  const ofTime = timeArithmetic(operator, left, right)
  if (ofTime !== null) return ofTime
  if (operator === '%') return numberCall(place, remainder, [left, right])
  const [a, b] = [numeric(left), numeric(right)]
  if (commonType(a.type, b.type)!.kind === 'double') return called(place, double, arithmetic, [a, b], { operator })
  return longArithmetic(operator, a, b, place)
}

/** `a || b || c` is one text of three parts, not a text of a text. */
function chained(expression: Expression): readonly Expression[] {
  const operands: Expression[] = []
  let left = expression
  for (; left.kind === 'arithmetic' && left.operator === '||'; left = left.left) operands.push(left.right)
  operands.push(left)
  return operands.reverse()
}

function longArithmetic(operator: NumberOperator, a: Bound, b: Bound, place: Place): Bound {
  if (operator === '/') return called(place, long, quotient, [a, b])
  const [x, y] = [constantOf(a), constantOf(b)]
  if (typeof x !== 'bigint' || typeof y !== 'bigint') return called(place, long, arithmetic, [a, b], { operator })
  const results = { '+': x + y, '-': x - y, '*': x * y }
  return literal(place, long, aroundConstants(x, y, results[operator]))
}

/** The result wraps around at 32 bits if both constants are INTEGERs to Druid, else at 64. */
function aroundConstants(a: bigint, b: bigint, result: bigint): bigint {
  const isInteger = (value: bigint): boolean => BigInt.asIntN(32, value) === value
  return BigInt.asIntN(isInteger(a) && isInteger(b) ? 32 : 64, result)
}

function bindNegation(operand: Expression, place: Place, context: ExpressionContext): Bound {
  // The smallest long has no positive counterpart.
  if (operand.kind === 'number') return numberLiteral(`-${operand.digits}`, place)
  const x = bindExpression(operand, context)
  const number = x.type.kind === 'interval' ? x : numeric(x)
  return called(place, number.type, negated, [number])
}

export interface CaseOptions {
  /** Whether the first operand is compared with the operand of each WHEN. */
  readonly isOfValue: boolean
  readonly branches: number
}

/** The operands are the compared value if there is one, the operand of each WHEN, the result of each THEN, and the result of ELSE. */
export const choice = engineFunction<CaseOptions>((all, { operands, type, options }, { zone }) => {
  const { isOfValue, branches } = options
  const from = isOfValue ? 1 : 0
  const whens = operands.slice(from, from + branches)
  const results = unifiedTexts(operands.slice(from + branches), all.slice(from + branches), type, zone)
  const texts = [...all.slice(from, from + branches), ...results]
  if (!isOfValue) return caseText(texts, branches)
  const [value] = operands
  return withoutRepeating(all[0]!, texts, (x, named) => {
    const conditions = whens.map((when, index) => {
      const as = comparedAs(value!, when)
      return sql`(${castText(value!, x, as, zone)} = ${castText(when, named[index]!, as, zone)})`
    })
    return caseText([...conditions, ...named.slice(branches)], branches)
  })
})

/** `texts` are the conditions, then the results. The last result is that of ELSE. */
function caseText(texts: readonly Sql[], branches: number): Sql {
  const cases = texts.slice(0, branches).map((when, index) => sql`WHEN ${when} THEN ${texts[branches + index]!}`)
  return sql`CASE ${sql.join(cases, ' ')} ELSE ${texts.at(-1)!} END`
}

function bindCase(expression: Extract<Expression, { kind: 'case' }>, context: ExpressionContext): Bound {
  const { place, operand, branches, otherwise } = expression
  const value = operand === null ? null : bindExpression(operand, context)
  const whens = branches.map(({ when }) =>
    value === null ? bindCondition(when, context, 'the expression after WHEN') : bindExpression(when, context),
  )
  const results = branches.map(({ result }) => bindExpression(result, context))
  const last = otherwise === null ? literal(place, nullType, null) : bindExpression(otherwise, context)
  const type = unifiedType([...results, last])
  if (value !== null) for (const when of whens) requireComparable(value, when)
  const operands = [...(value === null ? [] : [value]), ...whens, ...results, last]
  return called(place, type, choice, operands, { isOfValue: value !== null, branches: branches.length })
}

function bindCast(
  expression: Extract<Expression, { kind: 'cast' }>,
  context: ExpressionContext,
  isDruidFilter: boolean,
): Bound {
  const { operand, type: target, place } = expression
  const bound = bindExpression(operand, context)
  const type = castTypeOf(target)
  if (bound.type.kind === 'boolean' && (type.kind === 'long' || type.kind === 'double'))
    throw sqlProblem(place, 'a condition is not a number: write CASE WHEN ... THEN 1 ELSE 0 END')
  const constant = constantOf(bound)
  if (type.kind === 'long' && typeof constant === 'string' && !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(constant)) {
    throw sqlProblem(place, `${quoted(constant)} is not a number`)
  }
  const isTrue = isDruidFilter && type.kind === 'boolean' ? isTrueWhereChosen(bound, place) : null
  if (isTrue !== null) return isTrue
  // A cast of a cast is written for Druid so that Druid keeps it.
  const isLeftOut = bound.stored !== undefined && operand.kind !== 'cast' && isCastAway(type)
  return { ...as(bound, type), place, stored: isLeftOut ? { ...bound.stored, isCast: true } : undefined }
}

function bindScalarQuery(query: Query, place: Place, context: ExpressionContext): Bound {
  const rows = context.subquery(query, context.scope)
  const { columns } = rows
  if (columns.length !== 1)
    throw sqlProblem(place, `a query used as a value must have one column, not ${columns.length}`)
  return { kind: 'query', type: columns[0]!.type, place, query: rows, sought: null }
}

const arrayOfItems = engineFunction(
  (texts, { operands }, { zone }) => sql`[${sql.list(unifiedTexts(operands, texts, unifiedType(operands), zone))}]`,
)

function bindArray(items: readonly Expression[], place: Place, context: ExpressionContext): Bound {
  if (items.length === 0) throw sqlProblem(place, 'ARRAY[...] needs at least one element')
  const operands = items.map((item) => bindExpression(item, context))
  const type = unifiedType(operands)
  return called(place, arrayOf(type.kind === 'null' ? string : type), arrayOfItems, operands)
}

const itemOf = engineFunction((texts) =>
  withoutRepeats(texts, (list, place) => sql`CASE WHEN ${place} >= 1 THEN ${list}[${place}] END`),
)

function bindItem(expression: Extract<Expression, { kind: 'item' }>, context: ExpressionContext): Bound {
  const array = bindExpression(expression.operand, context)
  if (array.type.kind !== 'array')
    throw sqlProblem(expression.place, `only arrays have items: this value is of type ${typeName(array.type)}`)
  const index = as(bindExpression(expression.index, context), long)
  return called(expression.place, array.type.element, itemOf, [array, index])
}

function bindCall(call: Call, context: ExpressionContext): Bound {
  const { name, place } = call
  if (call.over !== null) return bindWindowCall(call, context)
  if (aggregates.has(name) || name === 'GROUPING') return bindAggregate(call, context)
  if (windowFunctions.has(name)) throw sqlProblem(place, `${name} needs a window: write ${name}(...) OVER (...)`)
  const entry = catalogue.get(name)
  if (entry === undefined) throw unknownFunction(name, place)
  if (call.distinct || call.star || call.filter !== null || call.orderBy.length > 0)
    throw sqlProblem(place, `${name} is not an aggregate: it does not accept DISTINCT, *, FILTER or ORDER BY`)
  checkCount(name, place, entry.count, call.operands.length)
  const operands = call.operands.map((operand) => bindExpression(operand, context))
  const returning = call.returning === null ? null : castTypeOf(call.returning)
  const { unit, unitPlace } = call
  return entry.bind({ name, place, operands, unit, unitPlace, returning, zone: context.zone })
}

/** The error for an unknown function, with what to write instead, or the function that was likely meant. */
function unknownFunction(name: string, place: Place): Error {
  const write = otherFunctions.get(name)
  const likely = likelyWord(name, [...catalogue.keys(), ...aggregates.keys(), ...windowFunctions.keys()])
  const suggestion = likely === null ? '' : `: ${quoted(likely)} may be meant`
  return sqlProblem(
    place,
    `there is no function ${quoted(name)}${write === undefined ? suggestion : `: write ${write}`}`,
  )
}
