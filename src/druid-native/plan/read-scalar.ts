// Native expressions as scalars: over the fields of rows, or over the outputs of groups. Null is what the store does not know.
// Tested by `test/druid-native/planned.test.ts`.
import { call, type Scalar } from '../../algebra/scalar.ts'
import { lowered, type ScalarLeaves, ScalarReader } from '../../druid-sql/plan/read-scalar.ts'
import { wideRange } from '../../druid-time/bucket-sql.ts'
import { sql } from '../../lib/sql-text.ts'
import { bindExpression } from '../expression/compile.ts'
import { ExpressionError } from '../expression/error.ts'
import { safeDoubles } from '../expression/functions-math.ts'
import { doubleQuotient, longQuotient, longRemainder } from '../expression/operators.ts'
import type { Expression } from '../expression/syntax.ts'
import { type NativeType, nullValue, type Typed, valueIn } from '../values/typed.ts'

/** What a name stands for. */
export type LeafOf = (name: string) => Scalar | null

const own: ScalarLeaves['own'] = new Map([
  lowered(longQuotient, (operands, reader) => reader.arithmetic('/', operands)),
  lowered(doubleQuotient, (operands, reader) => reader.arithmetic('/', operands)),
  lowered(longRemainder, (operands, reader) => reader.arithmetic('%', operands)),
  lowered(safeDoubles, (operands, reader) => reader.safeQuotient(operands)),
])

const types = { string: 'STRING', long: 'LONG', double: 'DOUBLE' } as const

export function readScalar(expression: Expression, leafOf: LeafOf): Scalar | null {
  const leaves = new Map<Typed, Scalar>()
  const column = (name: string): Typed => {
    const leaf = leafOf(name)
    if (leaf === null || !(leaf.type in types)) throw new ExpressionError(`"${name}" is for the SQL engine`)
    const value: Typed = { type: types[leaf.type as keyof typeof types] satisfies NativeType, sql: sql.id(name) }
    leaves.set(value, leaf)
    return value
  }
  const reader = new ScalarReader({
    leafOf: (node) => leaves.get(valueIn(node) ?? nullValue) ?? null,
    aggregateOf: () => null,
    meant: () => null,
    dividesLongs: true,
    own,
  })
  try {
    return reader.value(bindExpression(expression, { range: wideRange, column }))
  } catch (error) {
    // The SQL engine tells it.
    if (error instanceof ExpressionError) return null
    throw error
  }
}

/** A number as one of a type. */
export function asNumber(operand: Scalar, type: 'long' | 'double'): Scalar {
  return operand.type === type ? operand : call(type, type === 'long' ? 'toLong' : 'toDouble', [operand])
}
