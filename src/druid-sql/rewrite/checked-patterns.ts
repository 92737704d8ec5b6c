// Patterns that would hold a thread of Druid for longer than any time limit.
import { type PatternCheck, slowPattern } from '../../druid-patterns/backtracking.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { Call, Expression } from '../parse/syntax.ts'

/** Those whose second operand is a pattern. */
const functions = new Set(['REGEXP_LIKE', 'REGEXP_EXTRACT', 'REGEXP_REPLACE', 'STRING_TO_ARRAY'])

/** Throws Problem `invalid_request` for a pattern that an engine that backtracks might never be done with. */
export function checkPatterns({ name, operands: [, pattern] }: Call, check: PatternCheck): void {
  if (!functions.has(name) || pattern === undefined) return
  const constant = uncast(pattern)
  const why = constant.kind === 'text' ? check.slowness(constant.value) : null
  if (why !== null) throw sqlProblem(pattern.place, slowPattern(why))
}

/** What a cast holds: the check before lets constants through, and casts of them. */
function uncast(expression: Expression): Expression {
  return expression.kind === 'cast' ? uncast(expression.operand) : expression
}
