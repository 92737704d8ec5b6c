// Converts native expressions to scalars: over the fields of rows, or over the outputs of groups. Null means that the store does not support them.
// Tested by `test/druid-native/planned.test.ts`.

import { call, type Scalar } from '../../algebra/scalar.ts'
import { constantOf, lowered, type ScalarLeaves, ScalarReader } from '../../druid-sql/plan/read-scalar.ts'
import { wideRange } from '../../druid-time/bucket-sql.ts'
import { sql } from '../../lib/sql-text.ts'
import { Problem } from '../../model/problem.ts'
import { among } from '../compile/equality-filter.ts'
import { bindFilter, like } from '../compile/filter.ts'
import type { FilterIndex } from '../compile/filter-index.ts'
import { bindHaving } from '../compile/having.ts'
import { bindPost, quotientOrZero } from '../compile/result-rows.ts'
import { bindExpression, type Scope } from '../expression/compile.ts'
import { safeDoubles } from '../expression/functions-math.ts'
import { doubleQuotient, longQuotient, longRemainder } from '../expression/operators.ts'
import { type Expression, ExpressionError } from '../expression/syntax.ts'
import type { Filter, Having, PostAggregator } from '../parse/query-nodes.ts'
import { type NativeType, nullValue, type Typed, valueIn } from '../values/typed.ts'

/** Resolves a name. */
export type LeafOf = (name: string) => Scalar | null

const own: ScalarLeaves['own'] = new Map([
  lowered(longQuotient, (operands, reader) => reader.arithmetic('/', operands)),
  lowered(doubleQuotient, (operands, reader) => reader.arithmetic('/', operands)),
  lowered(longRemainder, (operands, reader) => reader.arithmetic('%', operands)),
  lowered(safeDoubles, (operands, reader) => reader.safeQuotient(operands)),
  lowered(quotientOrZero, ([a, b], reader) => {
    const [left, right] = [reader.number(a!), reader.number(b!)]
    return left && right && call('double', 'divideOrZero', [left, right])
  }),
  lowered(among, ([x], reader, { constants }) => {
    const [value, items] = [reader.value(x!), reader.all<string | bigint | number>(constants, constantOf)]
    return value && items && call('boolean', 'in', [value, ...items])
  }),
  lowered(like, ([x], reader, { pattern, escapedBy }) => reader.like(x!, pattern, escapedBy)),
])

const types = { string: 'STRING', long: 'LONG', double: 'DOUBLE' } as const

export const readScalar = (expression: Expression, leafOf: LeafOf): Scalar | null =>
  read(leafOf, (reader, scope) => reader.value(bindExpression(expression, scope)))

/** `index` describes the columns that Druid filters by index. */
export const readFilter = (filter: Filter, leafOf: LeafOf, index: FilterIndex): Scalar | null =>
  read(leafOf, (reader, scope) => reader.condition(bindFilter(filter, scope, index)))

export const readHaving = (having: Having, leafOf: LeafOf): Scalar | null =>
  read(leafOf, (reader, scope) => reader.condition(bindHaving(having, scope, nullValue)))

/** Sketches are left to the SQL engine. */
export const readPost = (post: PostAggregator, leafOf: LeafOf): Scalar | null =>
  read(leafOf, (reader, scope) => reader.value(bindPost(post, scope, () => nullValue)))

function read(leafOf: LeafOf, bound: (reader: ScalarReader, scope: Scope) => Scalar | null): Scalar | null {
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
    resolve: () => null,
    dividesLongs: true,
    own,
  })
  try {
    return bound(reader, { range: wideRange, column })
  } catch (error) {
    // The SQL engine reports it.
    if (error instanceof ExpressionError || error instanceof Problem) return null
    throw error
  }
}

/** Converts a number to a type. */
export function asNumber(operand: Scalar, type: 'long' | 'double'): Scalar {
  return operand.type === type ? operand : call(type, type === 'long' ? 'toLong' : 'toDouble', [operand])
}
