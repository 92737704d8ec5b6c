import { nullIfEmpty } from '../../druid-sql/functions/text-limits.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'

/** The substring from the index on; null if it is empty because the text ends there, as in Druid. */
export function substringOf(text: Sql, index: number, length: number | null): Sql {
  if (length === 0) return sql`CASE WHEN length(${text}) > ${sql.long(index)} THEN '' END`
  const part =
    length === null
      ? sql`substr(${text}, ${sql.long(index + 1)})`
      : sql`substr(${text}, ${sql.long(index + 1)}, ${sql.long(length)})`
  return nullIfEmpty(part)
}

/** A list of texts as a single SQL parameter, split by a separator that occurs in none of them. */
export function textList(texts: readonly string[]): Sql {
  if (texts.length === 0) return sql`CAST([] AS VARCHAR[])`
  let separator = '\u0001'
  while (texts.some((text) => text.includes(separator))) separator += '\u0002'
  return sql`string_split(CAST(${texts.join(separator)} AS VARCHAR), ${separator})`
}
