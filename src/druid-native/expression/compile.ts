// Druid's expressions as trees, typed as Druid types them.
// Tested by `test/druid-native/expressions.test.ts`.

import { type Bound, literal } from '../../druid-sql/bind/tree.ts'
import { double, long, nullType, wideString } from '../../druid-sql/bind/types.ts'
import { widthOf } from '../../druid-sql/functions/text-room.ts'
import { type TimeRange, wideRange } from '../../druid-time/bucket-sql.ts'
import { parseInstantText } from '../../druid-time/iso.ts'
import { bind } from '../../lib/bind-sql.ts'
import { sql } from '../../lib/sql-text.ts'
import { asValue, elementOf, nodeOf, nowhere, type Typed, valueIn } from '../values/typed.ts'
import { arrayLiteral, boundedLength } from './arrays.ts'
import type { Call } from './call.ts'
import { functions, takesArrays } from './functions.ts'
import { type ApplyFunction, applyFunctions } from './functions-apply.ts'
import { bindBinary, bindUnary } from './operators.ts'
import { type Expression, ExpressionError } from './syntax.ts'

/** What names stand for, and what is known of time. */
export interface Scope {
  /** A column; a bare null where there is none. */
  column(name: string): Typed
  /** Where the values of `__time` lie. */
  readonly range: TimeRange
  /** Whether it is within a lambda. */
  readonly isLambda?: boolean
  /** Whether its rows are finished ones, of groups: there Druid takes null for equal to a text that is no number. */
  readonly isFinished?: boolean
}

export const compileExpression = (expression: Expression, scope: Scope): Typed =>
  asValue(bindExpression(expression, scope))

/** The tree of an expression. */
export function bindExpression(expression: Expression, scope: Scope): Bound {
  switch (expression.kind) {
    case 'null':
      return literal(nowhere, nullType, null)
    case 'long':
      if (expression.value > 2n ** 63n - 1n) throw new ExpressionError(`${expression.value} is no 64-bit number`)
      return literal(nowhere, long, expression.value)
    case 'double':
      return literal(nowhere, double, expression.value)
    case 'text':
      return literal(nowhere, wideString(expression.value.length), expression.value)
    case 'name':
      return nodeOf(scope.column(expression.name))
    case 'unary':
      return bindUnary(expression.operator, operand(expression.operand, expression.operator, scope))
    case 'binary': {
      const { operator, left, right } = expression
      return bindBinary(operator, operand(left, operator, scope), operand(right, operator, scope))
    }
    case 'call':
      return bindCall(expression, scope)
    case 'array':
      return nodeOf(arrayLiteral(expression, (item) => compileExpression(item, scope)))
    case 'lambda':
      throw new ExpressionError(`a lambda stands first in ${Object.keys(applyFunctions).join(', ')} alone`)
  }
}

function operand(expression: Expression, operator: string, scope: Scope): Bound {
  const value = bindExpression(expression, scope)
  refuseMulti(value, `"${operator}"`)
  return value
}

/** Druid would do it for each of the values. */
function refuseMulti(node: Bound, where: string): void {
  if (valueIn(node)?.isMulti)
    throw new ExpressionError(`a column of several values in ${where}, which map() does for each,`, true)
}

function bindApply(call: Expression & { kind: 'call' }, apply: ApplyFunction, scope: Scope): Bound {
  const [lambda, ...rest] = call.args
  if (lambda?.kind !== 'lambda') throw new ExpressionError(`"${call.name}" takes a lambda first`)
  const { parameters, body } = lambda
  if (apply.args(parameters.length) !== rest.length)
    throw new ExpressionError(`"${call.name}" takes a lambda of other parameters, or other arguments`)
  const args = rest.map((arg) => boundedArray(compileExpression(arg, scope), scope))
  const applied = apply.compile(args, {
    arity: parameters.length,
    apply: (values) => bindExpression(body, lambdaScope(scope, parameters, values)),
  })
  return nodeOf(applied)
}

/** Within a lambda, arrays to go through are held once for each element outside: they are short. */
function boundedArray(value: Typed, scope: Scope): Typed {
  if (!scope.isLambda || elementOf(value.type) === null) return value
  return { ...value, sql: bind(value.sql, (list) => boundedLength(sql`len(${list})`, list)) }
}

/** The parameters of a lambda hide the columns of their names. */
function lambdaScope(scope: Scope, parameters: readonly string[], values: readonly Typed[]): Scope {
  return {
    range: parameters.includes('__time') ? wideRange : scope.range,
    isLambda: true,
    column: (name) => values[parameters.lastIndexOf(name)] ?? scope.column(name),
  }
}

function bindCall(call: Expression & { kind: 'call' }, scope: Scope): Bound {
  const name = call.name.toLowerCase()
  const apply = applyFunctions.get(name)
  if (apply !== undefined) return bindApply(call, apply, scope)
  const found = functions.get(name)
  if (found === undefined) throw new ExpressionError(`there is no function "${call.name}"`)
  if (found === 'unsupported') throw new ExpressionError(`the function "${call.name}"`, true)
  const [least, most] = found.args
  if (call.args.length < least || call.args.length > most) {
    const wanted =
      least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    throw new ExpressionError(`"${call.name}" takes ${wanted} arguments, not ${call.args.length}`)
  }
  const args = call.args.map((arg) => bindExpression(arg, scope))
  if (!takesArrays(name)) for (const arg of args) refuseMulti(arg, `"${call.name}"`)
  const context: Call = {
    range: scope.range,
    literal: (index) => literalValue(call.args[index]),
    constantMs: (index) => constantMs(call.args[index]),
    isTime: (index) => {
      const arg = call.args[index]
      return arg?.kind === 'name' && arg.name === '__time'
    },
    isColumn: (index) => call.args[index]?.kind === 'name',
    refuse: (message) => {
      throw new ExpressionError(`"${call.name}": ${message}`)
    },
    unsupported: (what) => {
      throw new ExpressionError(`${what} in "${call.name}"`, true)
    },
  }
  if ('bind' in found) return found.bind(args, context)
  const value = found.compile(args.map(asValue), context)
  if (value.type !== 'STRING' || value.width !== undefined) return nodeOf(value)
  // A text that is made of others is not longer than all of them, where it is not told to be.
  return nodeOf({ ...value, width: args.reduce((sum, { type }) => sum + widthOf(type), 0) })
}

/** A constant argument: its value, null for `null` or an argument left out; undefined where it is no constant. */
function literalValue(arg: Expression | undefined): string | number | bigint | null | undefined {
  if (arg === undefined || arg.kind === 'null') return null
  if (arg.kind === 'long' || arg.kind === 'double' || arg.kind === 'text') return arg.value
  if (arg.kind === 'unary' && arg.operator === '-' && arg.operand.kind === 'long') return -arg.operand.value
  if (arg.kind === 'unary' && arg.operator === '-' && arg.operand.kind === 'double') return -arg.operand.value
  return undefined
}

function constantMs(arg: Expression | undefined): number | null {
  if (arg?.kind !== 'call' || !['timestamp', 'timestamp_parse'].includes(arg.name) || arg.args.length !== 1) return null
  const value = literalValue(arg.args[0])
  return typeof value === 'string' ? parseInstantText(value) : null
}
