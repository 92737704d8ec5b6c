// Java's regular expressions and LIKE, for an engine whose regular expressions are RE2.

import { mayBeEmpty, readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { likeForm } from '../../druid-patterns/like.ts'
import { textMaxOf } from '../../druid-patterns/repetitions.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { joinedBytesMax } from './text-room.ts'

/** Longer than anybody writes. */
export const patternMax = 20_000

/** A text that a pattern can be done with in time; a longer one fails the query. Patterns of ordinary length are done with any text. */
export function matchable(text: Sql, pattern: string): Sql {
  const most = textMaxOf(pattern)
  if (most >= joinedBytesMax) return text
  const refused = failing(`a text of more than ${most} characters is too long for this pattern`)
  return bind(
    text,
    (x) =>
      sql`CASE WHEN strlen(${x}) <= ${sql.long(most)} THEN ${x} WHEN ${x} IS NOT NULL THEN CAST(${refused} AS VARCHAR) END`,
  )
}

/** What Java has and RE2 has not. */
const javaOnly = /\(\?(?:[=!>]|<[=!])|\\[1-9]|\\k<|[*+?}]\+|\\[GZR]/

/** Whether the engine can run a Java pattern at all. */
export const isPortablePattern = (pattern: string): boolean =>
  !javaOnly.test(pattern) && readJavaPattern(pattern) !== null

export const re2Of = (pattern: string): string => readJavaPattern(pattern)?.re2 ?? pattern

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

export const matchesPattern = (text: Sql, pattern: string): Sql =>
  sql`regexp_matches(${matchable(text, pattern)}, ${sql.literal(re2Of(pattern))})`

/** Whether it matches the whole of the text. */
export const matchesWhole = (text: Sql, pattern: string): Sql =>
  sql`regexp_full_match(${matchable(text, pattern)}, ${sql.literal(pattern)})`

/** A group of the first match; null where nothing matches, or the group is no part of what matches. */
export function extractPattern(text: Sql, pattern: string, group: number): Sql {
  const { re2, groups } = readJavaPattern(pattern) ?? { re2: pattern, groups: [] }
  const found = sql`regexp_extract(${text}, ${sql.literal(re2)}, ${sql.long(group)}::INTEGER)`
  const held = groups[group - 1]
  const value = held === undefined || mayBeEmpty(held) ? found : sql`nullif(${found}, '')`
  return sql`CASE WHEN ${matchesPattern(text, pattern)} THEN ${value} END`
}

/** Reads the text once: see `likeForm`. */
export function likePattern(text: Sql, pattern: string, escapedBy: string | null): Sql {
  const form = likeForm(pattern, escapedBy)
  return form.kind === 'like' ? sql`(${text} LIKE ${sql.literal(form.pattern)})` : matchesWhole(text, form.pattern)
}
