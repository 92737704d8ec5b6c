// Limits calls that would block a thread of Druid beyond any time limit, or crash the process that writes their text. Patterns are refused, and texts
// are cut where the engine on one machine cuts them.

import { type PatternCheck, slowPattern } from '../../druid-patterns/backtracking.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { Call, Expression } from '../parse/syntax.ts'

/** A text repeated at most this often stays as it is, without being measured. */
const fewTimes = 1000

/** The call with its count limited; null where no limit is needed. */
export function boundedCount(call: Call, write: (expression: Expression) => Sql): Sql | null {
  const [text, count, ...others] = call.operands
  if (text === undefined || count === undefined) return null
  if (call.name === 'REPEAT') {
    if (isFew(count) && (text.kind === 'column' || text.kind === 'text')) return null
    const most = sql`1000000 / GREATEST(CHAR_LENGTH(${write(text)}), 1)`
    return sql`REPEAT(${write(text)}, ${atMost(write(count), most)})`
  }
  if ((call.name !== 'LPAD' && call.name !== 'RPAD') || isFew(count)) return null
  const name = call.name === 'LPAD' ? sql`LPAD` : sql`RPAD`
  const operands = [write(text), atMost(write(count), sql`1000000`), ...others.map(write)]
  return sql`${name}(${sql.list(operands)})`
}

function isFew(count: Expression): boolean {
  return count.kind === 'number' && Number(count.digits) <= fewTimes
}

function atMost(count: Sql, most: Sql): Sql {
  return sql`CASE WHEN ${count} > ${most} THEN ${most} ELSE ${count} END`
}

/** Functions whose second operand is a pattern. */
const ofPatterns = new Set(['REGEXP_LIKE', 'REGEXP_EXTRACT', 'REGEXP_REPLACE', 'STRING_TO_ARRAY'])

/** Throws Problem `invalid_request` for a pattern on which a backtracking engine might never finish. */
export function checkPatterns({ name, operands: [, pattern] }: Call, check: PatternCheck): void {
  if (!ofPatterns.has(name) || pattern === undefined) return
  const constant = uncast(pattern)
  const why = constant.kind === 'text' ? check.slowness(constant.value) : null
  if (why !== null) throw sqlProblem(pattern.place, slowPattern(why))
}

/** The expression inside casts: the check of the query accepts constants, and casts of them. */
function uncast(expression: Expression): Expression {
  return expression.kind === 'cast' ? uncast(expression.operand) : expression
}
