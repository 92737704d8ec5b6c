import { bind } from './bind-sql.ts'
import { type Sql, sql } from './sql-text.ts'

/** A text of digits as a whole number, as Java reads it with a radix; null for any other. In base 16 it may begin with 0x. */
export function longOfDigits(text: Sql, radix: number): Sql {
  if (radix === 10) {
    return bind(
      text,
      (x) => sql`CASE WHEN regexp_full_match(${x}, '[+-]?[0-9]{1,19}') THEN TRY_CAST(${x} AS BIGINT) END`,
    )
  }
  const all = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix)
  const digits = sql.literal(all)
  const value = (body: Sql): Sql =>
    sql`list_reduce(list_prepend(CAST(0 AS HUGEINT), list_transform(string_split(${body}, ''), lambda c: CAST(strpos(${digits}, c) - 1 AS HUGEINT))), lambda a, b: a * ${sql.long(radix)} + b)`
  // So many digits fit into what they are added up in; more do not make a long.
  const most = Math.min(64, Math.floor(37 / Math.log10(radix)))
  const form = sql.literal(`(?i)${radix === 16 ? '(0x)?' : ''}[+-]?[${all}]{1,${most}}`)
  return bind(text, (x) => {
    const bare = sql`regexp_replace(lower(${x}), ${radix === 16 ? sql`'^(0x)?[+-]?'` : sql`'^[+-]?'`}, '')`
    const sign = sql`CASE WHEN contains(${x}, '-') THEN -1 ELSE 1 END`
    const long = (b: Sql): Sql => sql`CASE WHEN ${b} IS NOT NULL THEN TRY_CAST(${value(b)} * ${sign} AS BIGINT) END`
    // The engine may work the value out where the form does not hold.
    return bind(sql`CASE WHEN regexp_full_match(${x}, ${form}) THEN ${bare} END`, long)
  })
}
