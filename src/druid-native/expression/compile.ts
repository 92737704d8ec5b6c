// Converts Druid expressions to trees with Druid's types.
// Tested by `test/druid-native/expressions.test.ts`.

import { type Bound, literal } from '../../druid-sql/bind/tree.ts'
import { double, long, nullType, wideString } from '../../druid-sql/bind/types.ts'
import { widthOf } from '../../druid-sql/functions/text-limits.ts'
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

/** Resolves names, and provides what is known about time. */
export interface Scope {
  /** The column of this name; a bare null if there is none. */
  column(name: string): Typed
  /** The range of `__time`. */
  readonly range: TimeRange
  /** Whether the expression is inside a lambda. */
  readonly isLambda?: boolean
  /** Whether rows are finished groups: there Druid treats null as equal to a text that is not a number. */
  readonly isFinished?: boolean
}

export const compileExpression = (expression: Expression, scope: Scope): Typed =>
  asValue(bindExpression(expression, scope))

/** Converts an expression to a tree. */
export function bindExpression(expression: Expression, scope: Scope): Bound {
  switch (expression.kind) {
    case 'null':
      return literal(nowhere, nullType, null)
    case 'long':
      if (expression.value > 2n ** 63n - 1n) throw new ExpressionError(`${expression.value} is not a 64-bit number`)
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
      throw new ExpressionError(
        `a lambda is only allowed as the first argument of ${Object.keys(applyFunctions).join(', ')}`,
      )
  }
}

function operand(expression: Expression, operator: string, scope: Scope): Bound {
  const value = bindExpression(expression, scope)
  refuseMulti(value, `"${operator}"`)
  return value
}

/** Rejects multi-value columns: Druid would apply the operation to each value. */
function refuseMulti(node: Bound, where: string): void {
  if (valueIn(node)?.isMulti) throw new ExpressionError(`a multi-value column in ${where} without map()`, true)
}

function bindApply(call: Expression & { kind: 'call' }, apply: ApplyFunction, scope: Scope): Bound {
  const [lambda, ...rest] = call.args
  if (lambda?.kind !== 'lambda') throw new ExpressionError(`"${call.name}" needs a lambda as its first argument`)
  const { parameters, body } = lambda
  if (apply.args(parameters.length) !== rest.length)
    throw new ExpressionError(`"${call.name}" got a lambda whose parameters do not match the arguments`)
  const args = rest.map((arg) => boundedArray(compileExpression(arg, scope), scope))
  const applied = apply.compile(args, {
    arity: parameters.length,
    apply: (values) => bindExpression(body, lambdaScope(scope, parameters, values)),
  })
  return nodeOf(applied)
}

/** Limits arrays inside a lambda, because they are held in memory once for each element of the outer array. */
function boundedArray(value: Typed, scope: Scope): Typed {
  if (!scope.isLambda || elementOf(value.type) === null) return value
  return { ...value, sql: bind(value.sql, (list) => boundedLength(sql`len(${list})`, list)) }
}

/** The parameters of a lambda hide columns of the same names. */
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
  // Unless declared otherwise, a text is at most as long as all arguments together.
  return nodeOf({ ...value, width: args.reduce((sum, { type }) => sum + widthOf(type), 0) })
}

/** The value of a constant argument, null for `null` or a missing one; undefined if it is not constant. */
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
