// Parts that may be in the text of Druid's SQL itself: words of the grammar, digits, and texts where the grammar requires a literal.
import { Sql } from '../../lib/sql-text.ts'

/** A word that the grammar or the checks of functions have accepted: letters, digits, underscores. */
export function word(text: string): Sql {
  if (!/^[A-Za-z_][A-Za-z0-9_$]*$/.test(text)) throw new Error(`${JSON.stringify(text)} is not an SQL word`)
  return new Sql(text, [])
}

/** A number as it was written. */
export function digits(text: string | bigint | number): Sql {
  if (!/^-?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(String(text))) throw new Error(`${text} is not an SQL number`)
  return new Sql(String(text), [])
}

/** The text of a TIMESTAMP, DATE or INTERVAL, which cannot be a parameter. */
export function quotedText(text: string): Sql {
  return new Sql(`'${text.replaceAll("'", "''")}'`, [])
}
