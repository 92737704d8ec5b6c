// Java's regular expressions and LIKE, for an engine whose regular expressions are RE2.

import { readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { likeForm } from '../../druid-patterns/like.ts'
import { wideString } from '../../druid-sql/bind/types.ts'
import { extractedGroup, matchable, matchesPattern as matchesText } from '../../druid-sql/functions/texts.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'

/** Longer than anybody writes. */
export const patternMax = 20_000

/** Patterns are tried on texts of any length here, also on those that are stored. */
export const anyText = wideString(Number.POSITIVE_INFINITY)

/** What Java has and RE2 has not. */
const javaOnly = /\(\?(?:[=!>]|<[=!])|\\[1-9]|\\k<|[*+?}]\+|\\[GZR]/

/** Whether the engine can run a Java pattern at all. */
export const isPortablePattern = (pattern: string): boolean =>
  !javaOnly.test(pattern) && readJavaPattern(pattern) !== null

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

export const matchesPattern = (text: Sql, pattern: string): Sql => matchesText(text, anyText, { pattern })

/** Whether it matches the whole of the text. */
export const matchesWhole = (text: Sql, pattern: string): Sql =>
  sql`regexp_full_match(${matchable(text, anyText, pattern)}, ${sql.literal(pattern)})`

/** A group of the first match; null where nothing matches, or the group is no part of what matches. */
export const extractPattern = (text: Sql, pattern: string, group: number): Sql =>
  extractedGroup(text, anyText, { pattern }, group)

/** Reads the text once: see `likeForm`. */
export function likePattern(text: Sql, pattern: string, escapedBy: string | null): Sql {
  const form = likeForm(pattern, escapedBy)
  return form.kind === 'like' ? sql`(${text} LIKE ${sql.literal(form.pattern)})` : matchesWhole(text, form.pattern)
}
