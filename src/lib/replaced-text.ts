// Parts of a text that are replaced, in DuckDB's SQL. The texts are names, or short: each stands there several times.
// Tested by `test/druid-native/expressions.test.ts` and `test/druid-sql/functions.test.ts`.
import { type Sql, sql } from './sql-text.ts'

/** `mayBeEmpty` says that the part may be no text at all: around that there is a place before and behind each character. */
export function replacedText(text: Sql, part: Sql, by: Sql, mayBeEmpty: boolean): Sql {
  const replaced = sql`replace(${text}, ${part}, ${by})`
  if (!mayBeEmpty) return replaced
  const aroundEach = sql`regexp_replace(${text}, '', replace(${by}, ${sql.literal('\\')}, ${sql.literal('\\\\')}), 'g')`
  return sql`CASE WHEN ${part} = '' THEN ${aroundEach} ELSE ${replaced} END`
}

/** How many bytes that has at most. */
export function replacedBytes(text: Sql, part: Sql, by: Sql): Sql {
  const occurrences = sql`((strlen(${text}) - strlen(replace(${text}, ${part}, ''))) // strlen(${part}))`
  const more = sql`CASE WHEN ${part} = '' THEN (length(${text}) + 1) * strlen(${by}) ELSE ${occurrences} * greatest(strlen(${by}) - strlen(${part}), 0) END`
  return sql`(strlen(${text}) + ${more})`
}
