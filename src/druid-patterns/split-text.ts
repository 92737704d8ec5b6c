import { bind } from '../lib/bind-sql.ts'
import { type Sql, sql } from '../lib/sql-text.ts'

/** These split into characters. */
const emptyPatterns = ['', '|']

/** Whether RE2 splits by a pattern where Java does: not by one that also matches nothing. */
export function splitsAlike(pattern: string): boolean {
  if (emptyPatterns.includes(pattern)) return true
  try {
    return !new RegExp(pattern).test('')
  } catch {
    return true
  }
}

/** A text between matches of a pattern, without the empty texts at its end, as Java splits. */
export function splitText(text: Sql, pattern: string): Sql {
  const trailing = (p: Sql): Sql =>
    sql`(coalesce(list_position(list_reverse(list_transform(${p}, lambda e: e <> '')), TRUE), len(${p}) + 1) - 1)`
  const parts = (p: Sql): Sql => sql`CASE WHEN len(${p}) = 1 THEN ${p} ELSE ${p}[1 : len(${p}) - ${trailing(p)}] END`
  return bind(sql`string_split_regex(${text}, ${sql.literal(pattern)})`, parts)
}
