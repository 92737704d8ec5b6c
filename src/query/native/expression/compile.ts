// Druid's expressions as DuckDB SQL, typed as Druid types them.
import { type Sql, sql } from '../../../lib/sql-text.ts'
import type { TimeRange } from '../sql/time.ts'
import { doubleValue, longValue, nullValue, type Typed, textValue } from '../sql/typed.ts'
import { parseInstantText } from '../time/iso.ts'
import type { Call } from './call.ts'
import { ExpressionError } from './error.ts'
import { functions } from './functions.ts'
import { compileBinary, compileUnary } from './operators.ts'
import type { Expression } from './syntax.ts'

/** What names stand for, and what is known of time. */
export interface Scope {
  /** A column; a bare null where there is none. */
  column(name: string): Typed
  /** Where the values of `__time` lie. */
  readonly range: TimeRange
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
      return textValue(sql`CAST(${expression.value} AS VARCHAR)`)
    case 'name':
      return scope.column(expression.name)
    case 'unary':
      return compileUnary(expression.operator, compileExpression(expression.operand, scope))
    case 'binary':
      return compileBinary(
        expression.operator,
        compileExpression(expression.left, scope),
        compileExpression(expression.right, scope),
      )
    case 'call':
      return compileCall(expression, scope)
    case 'array':
      throw new ExpressionError('an array', true)
    case 'lambda':
      throw new ExpressionError('a lambda', true)
  }
}

function longLiteral(value: bigint): Sql {
  if (value > 2n ** 63n - 1n) throw new ExpressionError(`${value} is no 64-bit number`)
  return sql.long(value)
}

function compileCall(call: Expression & { kind: 'call' }, scope: Scope): Typed {
  const found = functions.get(call.name.toLowerCase())
  if (found === undefined) throw new ExpressionError(`there is no function "${call.name}"`)
  if (found === 'unsupported') throw new ExpressionError(`the function "${call.name}"`, true)
  const [least, most] = found.args
  if (call.args.length < least || call.args.length > most) {
    const wanted =
      least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    throw new ExpressionError(`"${call.name}" takes ${wanted} arguments, not ${call.args.length}`)
  }
  const args = call.args.map((arg) => compileExpression(arg, scope))
  const context: Call = {
    range: scope.range,
    literal: (index) => literalValue(call.args[index]),
    constantMs: (index) => constantMs(call.args[index]),
    isTime: (index) => {
      const arg = call.args[index]
      return arg?.kind === 'name' && arg.name === '__time'
    },
    compare: (operator, left, right) => compileBinary(operator, left, right),
    refuse: (message) => {
      throw new ExpressionError(`"${call.name}": ${message}`)
    },
    unsupported: (what) => {
      throw new ExpressionError(`${what} in "${call.name}"`, true)
    },
  }
  return found.compile(args, context)
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
