// What the engine takes for JSON and JSON is not: NaN, infinities, and commas behind which nothing comes.
import { type Sql, sql } from '../lib/sql-text.ts'

/** Texts in quotes, whose contents mean nothing here. */
const jsonTexts = sql.literal(String.raw`"(?:[^"\\]|\\.)*"`)
/** What no JSON has outside its texts. */
const notJson = sql.literal(String.raw`(?i)nan|inf|,\s*[\]}]`)

/** Whether a text has what the engine alone takes for JSON: most texts are looked through once. */
export const isLooseJson = (text: Sql): Sql =>
  sql`(regexp_matches(${text}, ${notJson}) AND regexp_matches(regexp_replace(${text}, ${jsonTexts}, '0', 'g'), ${notJson}))`
