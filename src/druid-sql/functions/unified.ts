import type { Zone } from '../../druid-time/zone.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { as, castText } from '../bind/conversions.ts'
import type { Bound } from '../bind/tree.ts'
import { commonType, nullType, type SqlType, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'

/** The common type of all operands. Throws a Problem where there is none. */
export function unifiedType(operands: readonly Bound[]): SqlType {
  let type: SqlType = nullType
  for (const operand of operands) {
    const common = commonType(type, operand.type)
    if (common === null)
      throw sqlProblem(
        operand.place,
        `a value of type ${typeName(operand.type)} cannot be combined with one of type ${typeName(type)}: CAST one of them`,
      )
    type = common
  }
  for (const operand of operands) as(operand, type)
  return type
}

export const unifiedTexts = (
  operands: readonly Bound[],
  texts: readonly Sql[],
  type: SqlType,
  zone: Zone,
): readonly Sql[] => operands.map((operand, index) => castText(operand, texts[index]!, type, zone))
