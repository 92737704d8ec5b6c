import { bind } from './bind-sql.ts'
import { type Sql, sql } from './sql-text.ts'

/** A text from its last character to its first, each by itself: the engine keeps an accent behind its letter, and a line's end in its order. */
export const reversedText = (text: Sql): Sql =>
  bind(
    text,
    (x) => sql`CASE WHEN strlen(${x}) = length(${x}) THEN reverse(${x})
      ELSE array_to_string(list_reverse(regexp_extract_all(${x}, '(?s).')), '') END`,
  )
