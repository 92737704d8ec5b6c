// Druid's expressions as DuckDB SQL, typed as Druid types them.
// Tested by `test/druid-native/expressions.test.ts`.

import { type TimeRange, wideRange } from '../../druid-time/bucket-sql.ts'
import { parseInstantText } from '../../druid-time/iso.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { widthOfAll } from '../values/text-room.ts'
import { doubleValue, elementOf, longValue, nullValue, type Typed, textValue } from '../values/typed.ts'
import { arrayLiteral, boundedLength } from './arrays.ts'
import type { Call } from './call.ts'
import { ExpressionError } from './error.ts'
import { functions, takesArrays } from './functions.ts'
import { type ApplyFunction, applyFunctions } from './functions-apply.ts'
import { compileBinary, compileUnary } from './operators.ts'
import type { Expression } from './syntax.ts'

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

export function compileExpression(expression: Expression, scope: Scope): Typed {
  switch (expression.kind) {
    case 'null':
      return nullValue
    case 'long':
      return longValue(longLiteral(expression.value))
    case 'double':
      return doubleValue(sql.double(expression.value))
    case 'text':
      return textValue(sql`CAST(${expression.value} AS VARCHAR)`, expression.value.length)
    case 'name':
      return scope.column(expression.name)
    case 'unary':
      return compileUnary(expression.operator, operand(expression.operand, expression.operator, scope))
    case 'binary': {
      const { operator, left, right } = expression
      return compileBinary(operator, operand(left, operator, scope), operand(right, operator, scope))
    }
    case 'call':
      return compileCall(expression, scope)
    case 'array':
      return arrayLiteral(expression, (item) => compileExpression(item, scope))
    case 'lambda':
      throw new ExpressionError(`a lambda stands first in ${Object.keys(applyFunctions).join(', ')} alone`)
  }
}

function operand(expression: Expression, operator: string, scope: Scope): Typed {
  const value = compileExpression(expression, scope)
  refuseMulti(value, `"${operator}"`)
  return value
}

/** Druid would do it for each of the values. */
function refuseMulti(value: Typed, where: string): void {
  if (value.isMulti)
    throw new ExpressionError(`a column of several values in ${where}, which map() does for each,`, true)
}

function longLiteral(value: bigint): Sql {
  if (value > 2n ** 63n - 1n) throw new ExpressionError(`${value} is no 64-bit number`)
  return sql.long(value)
}

function compileApply(call: Expression & { kind: 'call' }, apply: ApplyFunction, scope: Scope): Typed {
  const [lambda, ...rest] = call.args
  if (lambda?.kind !== 'lambda') throw new ExpressionError(`"${call.name}" takes a lambda first`)
  const { parameters, body } = lambda
  if (apply.args(parameters.length) !== rest.length)
    throw new ExpressionError(`"${call.name}" takes a lambda of other parameters, or other arguments`)
  const args = rest.map((arg) => boundedArray(compileExpression(arg, scope), scope))
  return apply.compile(args, {
    arity: parameters.length,
    apply: (values) => compileExpression(body, lambdaScope(scope, parameters, values)),
  })
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

function compileCall(call: Expression & { kind: 'call' }, scope: Scope): Typed {
  const name = call.name.toLowerCase()
  const apply = applyFunctions.get(name)
  if (apply !== undefined) return compileApply(call, apply, scope)
  const found = functions.get(name)
  if (found === undefined) throw new ExpressionError(`there is no function "${call.name}"`)
  if (found === 'unsupported') throw new ExpressionError(`the function "${call.name}"`, true)
  const [least, most] = found.args
  if (call.args.length < least || call.args.length > most) {
    const wanted =
      least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    throw new ExpressionError(`"${call.name}" takes ${wanted} arguments, not ${call.args.length}`)
  }
  const args = call.args.map((arg) => compileExpression(arg, scope))
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
    compare: (operator, left, right) => compileBinary(operator, left, right),
    refuse: (message) => {
      throw new ExpressionError(`"${call.name}": ${message}`)
    },
    unsupported: (what) => {
      throw new ExpressionError(`${what} in "${call.name}"`, true)
    },
  }
  const value = found.compile(args, context)
  // A text that is made of others is not longer than all of them, where it is not told to be.
  return value.type === 'STRING' && value.width === undefined ? { ...value, width: widthOfAll(args) } : value
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
