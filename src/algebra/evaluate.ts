// Evaluates expressions over one row of values at a time: the row of a group, or outputs that come before.
// Tested by `test/druid-sql/planned.test.ts` and `test/druid-native/planned.test.ts`.

import { finite, functions, type ScalarValue } from './functions.ts'
import type { Scalar } from './scalar.ts'

type Row = readonly ScalarValue[]
export type Evaluator = (row: Row) => ScalarValue

/** Throws BeyondPlan where the SQL engine must compute the value. */
export function evaluator(scalar: Scalar): Evaluator {
  switch (scalar.kind) {
    case 'field':
      throw new Error('the store reads fields: nothing is evaluated over a row of them')
    case 'cell': {
      const { at } = scalar
      return (row) => finite(row[at]!)
    }
    case 'literal': {
      const { value } = scalar
      return () => value
    }
    case 'case': {
      const { type, otherwise } = scalar
      const branches = scalar.branches.map(({ when, result }) => ({ when: evaluator(when), result: as(type, result) }))
      const last = as(type, otherwise)
      return (row) => (branches.find(({ when }) => when(row) === true)?.result ?? last)(row)
    }
    case 'call': {
      const { name, type } = scalar
      if (name === 'coalesce') return firstOf(scalar.operands.map((operand) => as(type, operand)))
      const operands = scalar.operands.map(evaluator)
      const { evaluate } = functions[name]
      return (row) =>
        evaluate(
          operands.map((operand) => operand(row)),
          type,
        )
    }
  }
}

/** Evaluates an expression where a value of `type` is expected: a long becomes a double if need be. */
function as(type: Scalar['type'], scalar: Scalar): Evaluator {
  const evaluate = evaluator(scalar)
  if (type !== 'double' || scalar.type === 'double') return evaluate
  return (row) => {
    const value = evaluate(row)
    return typeof value === 'bigint' ? Number(value) : value
  }
}

function firstOf(evaluators: readonly Evaluator[]): Evaluator {
  return (row) => {
    for (const evaluate of evaluators) {
      const value = evaluate(row)
      if (value !== null) return value
    }
    return null
  }
}
