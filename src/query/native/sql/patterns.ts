// Java's regular expressions and LIKE, for an engine whose regular expressions are RE2.
import { type Sql, sql } from '../../../lib/sql-text.ts'

/** What Java has and RE2 has not. */
const javaOnly = /\(\?(?:[=!>]|<[=!])|\\[1-9]|\\k<|[*+?}]\+|&&\[|\\[GZR]/

/** Whether the engine can run a Java pattern at all. */
export const isPortablePattern = (pattern: string): boolean => !javaOnly.test(pattern)

/** Whether a pattern is broken: for Java as for everybody. */
export function isBrokenPattern(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return false
  } catch {
    // Java's own forms are no fault: inline flags, classes by name, quoting.
    return !/\(\?[a-zA-Z-]+[:)]|\\[pPQE]|\[\[:|\(\?P?<\w/.test(pattern)
  }
}

export const matchesPattern = (text: Sql, pattern: string): Sql => sql`regexp_matches(${text}, ${sql.literal(pattern)})`

/** A group of the first match; null where nothing matches. */
export const extractPattern = (text: Sql, pattern: string, group: number): Sql =>
  sql`CASE WHEN ${matchesPattern(text, pattern)} THEN regexp_extract(${text}, ${sql.literal(pattern)}, ${sql.long(group)}::INTEGER) END`

/** Java's replacement (`$1`, `\$`) as RE2's (`\1`). */
export function portableReplacement(replacement: string): string {
  return replacement.replace(/\\(.)|\$(\d)|\\/gs, (_, escaped: string | undefined, group: string | undefined) => {
    if (group !== undefined) return `\\${group}`
    return escaped === undefined || escaped === '\\' ? '\\\\' : escaped
  })
}

export function likePattern(text: Sql, pattern: string, escapedBy: string | null): Sql {
  if (escapedBy === null) return sql`(${text} LIKE ${sql.literal(pattern)})`
  // An escape that escapes nothing, at the end, is as if it were not there.
  let escapes = 0
  while (pattern[pattern.length - 1 - escapes] === escapedBy) escapes++
  const whole = escapes % 2 === 0 ? pattern : pattern.slice(0, -1)
  return sql`(${text} LIKE ${sql.literal(whole)} ESCAPE ${sql.literal(escapedBy)})`
}
