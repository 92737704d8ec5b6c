import { bind } from './bind-sql.ts'
import { type Sql, sql } from './sql-text.ts'

const scales = [
  ...[sql`0`, sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`, sql`7`, sql`8`],
  ...[sql`9`, sql`10`, sql`11`, sql`12`, sql`13`, sql`14`, sql`15`, sql`16`, sql`17`],
] as const

/** So many digits behind the point are written at most. */
export const placesMax = scales.length - 1

/**
 * A number that is not negative with so many digits behind its point, as Java's `%f` writes it: halves go up by the digits that the double is
 * written with, and a large one has zeros behind those.
 */
export function fixedDigits(magnitude: Sql, places: number): Sql {
  const zeros = sql.literal(places === 0 ? '' : `.${'0'.repeat(places)}`)
  return bind(magnitude, (x) =>
    bind(sql`CAST(${x} AS VARCHAR)`, (shown) => {
      const scale = scales[places]!
      const small = sql`CAST(CAST(round(CAST(${shown} AS DECIMAL(38, 17)), ${scale}) AS DECIMAL(38, ${scale})) AS VARCHAR)`
      const digits = sql`replace(split_part(${shown}, 'e', 1), '.', '')`
      const exponent = sql`CAST(split_part(${shown}, 'e', 2) AS INTEGER)`
      return sql`CASE WHEN ${x} < 1e15 THEN ${small} WHEN contains(${shown}, 'e') THEN rpad(${digits}, ${exponent} + 1, '0') || ${zeros}
        ELSE split_part(${shown}, '.', 1) || ${zeros} END`
    }),
  )
}
