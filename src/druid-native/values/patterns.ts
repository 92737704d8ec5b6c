// Java regular expressions and LIKE for an engine whose regular expressions are RE2.

import { readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { likeForm } from '../../druid-patterns/like.ts'
import { wideString } from '../../druid-sql/bind/types.ts'
import { extractedGroup, matchable, matchesPattern as matchesText } from '../../druid-sql/functions/texts.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'

/** Maximum pattern length, far beyond practical use. */
export const patternMax = 20_000

/** The width of the texts that patterns are matched against: unbounded, because stored texts are included. */
export const anyText = wideString(Number.POSITIVE_INFINITY)

/** Java syntax that RE2 does not support. */
const javaOnly = /\(\?(?:[=!>]|<[=!])|\\[1-9]|\\k<|[*+?}]\+|\\[GZR]/

/** Whether the engine can run a Java pattern. */
export const isPortablePattern = (pattern: string): boolean =>
  !javaOnly.test(pattern) && readJavaPattern(pattern) !== null

/** Whether a pattern is invalid in any dialect, Java included. */
export function isBrokenPattern(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return false
  } catch {
    // Java syntax unknown to JavaScript is valid: inline flags, named classes, quoting.
    return !/\(\?[a-zA-Z-]+[:)]|\\[pPQE]|\[\[:|\(\?P?<\w/.test(pattern)
  }
}

export const matchesPattern = (text: Sql, pattern: string): Sql => matchesText(text, anyText, { pattern })

/** Whether the pattern matches the whole text. */
export const matchesWhole = (text: Sql, pattern: string): Sql =>
  sql`regexp_full_match(${matchable(text, anyText, pattern)}, ${sql.literal(pattern)})`

/** A group of the first match; null if nothing matches, or the group did not take part in the match. */
export const extractPattern = (text: Sql, pattern: string, group: number): Sql =>
  extractedGroup(text, anyText, { pattern }, group)

/** Reads the text once: see `likeForm`. */
export function likePattern(text: Sql, pattern: string, escapedBy: string | null): Sql {
  const form = likeForm(pattern, escapedBy)
  return form.kind === 'like' ? sql`(${text} LIKE ${sql.literal(form.pattern)})` : matchesWhole(text, form.pattern)
}
