// The type in which two values are compared, chosen as in Druid.
import { sqlProblem } from '../parse/sql-problem.ts'
import { as } from './conversions.ts'
import type { Bound } from './tree.ts'
import { boolean, double, isSame, json, long, type SqlType, string, timestamp, typeName } from './types.ts'

/** The type in which two values are compared. Throws a Problem where there is none. */
export function comparedAs(left: Bound, right: Bound): SqlType {
  const type = comparisonType(left.type, right.type)
  if (type !== null) return type
  throw sqlProblem(
    left.place,
    `a value of type ${typeName(left.type)} cannot be compared with one of type ${typeName(right.type)}: CAST one of them`,
  )
}

/** Throws where two values cannot be compared. */
export function requireComparable(left: Bound, right: Bound): void {
  const type = comparedAs(left, right)
  as(left, type)
  as(right, type)
}

function comparisonType(a: SqlType, b: SqlType): SqlType | null {
  if (isSame(a, b)) return a.kind === 'null' ? string : a
  if (a.kind === 'null') return b
  if (b.kind === 'null') return a
  const kinds: readonly string[] = [a.kind, b.kind]
  const both = (one: string, other: string): boolean => kinds.includes(one) && kinds.includes(other)
  if (both('long', 'double')) return double
  if (both('date', 'timestamp') || both('string', 'timestamp') || both('string', 'date')) return timestamp
  if (both('boolean', 'long')) return long
  if (both('boolean', 'string')) return boolean
  if (both('json', 'string')) return json
  if (both('string', 'double')) return double
  // Texts are truncated to whole numbers, of which every digit counts.
  if (both('string', 'long')) return long
  return null
}
