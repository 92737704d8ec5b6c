import type { Bound } from '../bind/bound.ts'
import { as } from '../bind/conversions.ts'
import { commonType, nullType, type SqlType, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'

/** All operands as the one type that holds them all. */
export function unified(operands: readonly Bound[]): { readonly operands: readonly Bound[]; readonly type: SqlType } {
  let type: SqlType = nullType
  for (const operand of operands) {
    const common = commonType(type, operand.type)
    if (common === null)
      throw sqlProblem(
        operand.place,
        `a value of type ${typeName(operand.type)} cannot stand beside one of type ${typeName(type)}: CAST one of them`,
      )
    type = common
  }
  return { operands: operands.map((operand) => as(operand, type)), type }
}
