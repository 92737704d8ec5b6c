import { bind } from './bind-sql.ts'
import { type Sql, sql } from './sql-text.ts'

const beyond16Bits = sql.literal(String.raw`[^\x{10000}-\x{10FFFF}]`)

/** Length in UTF-16 units of a text that has characters of two. */
const unitsOf = (text: Sql): Sql => sql`(length(${text}) + length(regexp_replace(${text}, ${beyond16Bits}, '', 'g')))`

/** A text again and again, so many UTF-16 units long; shorter by one where the last character would be cut in two. */
export function utf16Filler(text: Sql, units: Sql): Sql {
  return bind(text, (x) =>
    bind(unitsOf(x), (each) =>
      bind(units, (all) => {
        const fitting = sql`len(list_filter(range(1, length(${x}) + 1), lambda k: ${unitsOf(sql`left(${x}, k)`)} <= ${all} % ${each}))`
        return sql`(repeat(${x}, ${all} // ${each}) || left(${x}, ${fitting}))`
      }),
    ),
  )
}

const pair = sql.literal(String.raw`([\x{10000}-\x{10FFFF}])`)
/** No character at all, and so in no text. */
const mark = sql.literal('\uffff')
const markedPair = sql.literal('\uffff\\1')

/** So many UTF-16 units of a text, from its start; one less where its last character would be cut in two. */
export const utf16Start = (text: Sql, units: Sql): Sql =>
  sql`CASE WHEN strlen(${text}) = length(${text}) THEN left(${text}, ${units})
    ELSE replace(left(regexp_replace(${text}, ${pair}, ${markedPair}, 'g'), ${units}), ${mark}, '') END`

/** Whether a text has characters of two UTF-16 units. */
export const holdsPairs = (text: Sql): Sql => sql`length(${text}) <> ${unitsOf(text)}`
