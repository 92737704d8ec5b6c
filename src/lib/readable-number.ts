// Numbers in human-readable form, in DuckDB's SQL. Tested by `test/druid-native/expressions.test.ts` and `test/druid-sql/functions.test.ts`.
import { bind } from './bind-sql.ts'
import { type Sql, sql } from './sql-text.ts'

const powers = ['K', 'M', 'G', 'T', 'P', 'E']

const decimalTypes = [sql`DECIMAL(38, 0)`, sql`DECIMAL(38, 1)`, sql`DECIMAL(38, 2)`, sql`DECIMAL(38, 3)`]

export interface ReadableForm {
  readonly base: 1000 | 1024
  /** The suffix of a number below the first unit, and the suffix after the letter of a unit. */
  readonly plain: string
  readonly unit: string
}

/** A long in the largest unit that it reaches, with at most three decimals: 1.91 MiB, 12.35 K. Below the first unit it is written as an integer. */
export function readableNumber(long: Sql, { base, plain, unit }: ReadableForm, decimals: number): Sql {
  return bind(long, (x) => {
    const written = (power: number): Sql => {
      // Rounds half away from 0 on the decimal digits, as Java does.
      const below = sql.literal(String(BigInt(base) ** BigInt(power)))
      // In decimal units, what is less than a thousandth of a unit is truncated first.
      const cut =
        base === 1000
          ? sql`(CAST(${x} AS HUGEINT) // CAST(${below} AS HUGEINT))`
          : sql`CAST(${x} AS DOUBLE) / CAST(${below} AS DOUBLE)`
      const quotient = sql`CAST(CAST(CAST(${cut} AS DOUBLE) / CAST(${sql.literal(String(base))} AS DOUBLE) AS VARCHAR) AS DECIMAL(38, 17))`
      const rounded = sql`CAST(round(${quotient}, ${sql.long(decimals)}::INTEGER) AS ${decimalTypes[decimals]!})`
      return sql`(CAST(${rounded} AS VARCHAR) || ${sql.literal(` ${powers[power]}${unit}`)})`
    }
    const cases = powers.map((_, power) => {
      const size = sql.literal(String(BigInt(base) ** BigInt(power + 1)))
      return sql`WHEN abs(CAST(${x} AS HUGEINT)) >= CAST(${size} AS HUGEINT) THEN ${written(power)}`
    })
    return sql`CASE ${sql.join(cases.toReversed(), ' ')} ELSE CAST(${x} AS VARCHAR) || ${sql.literal(plain)} END`
  })
}
