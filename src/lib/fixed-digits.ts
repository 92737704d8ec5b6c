// Doubles with a fixed number of digits, as Java formats them.
import { bind } from './bind-sql.ts'
import { type Sql, sql } from './sql-text.ts'

const scales = [
  ...[sql`0`, sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`, sql`7`, sql`8`],
  ...[sql`9`, sql`10`, sql`11`, sql`12`, sql`13`, sql`14`, sql`15`, sql`16`, sql`17`],
] as const

/** The most digits after the decimal point. */
export const placesMax = scales.length - 1

/**
 * A non-negative number with `places` digits after its decimal point, as Java's `%f` writes it: rounds half up on the shortest decimal digits of the
 * double, and pads a large one with zeros after those.
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

/** A non-negative number as digits and a power of ten, as Java's `%e` writes it: rounds half up on the digits that Java writes the double with. */
export function exponentDigits(magnitude: Sql, places: number): Sql {
  const shown = sql`CASE WHEN ${magnitude} = 5e-324 THEN '4.9e-324' ELSE CAST(${magnitude} AS VARCHAR) END`
  return bind(shown, (text) =>
    bind(significant(text), (digits) =>
      bind(rounded(digits, places + 1), (kept) => {
        const grown = sql`(length(${kept}) - ${sql.long(places + 1)})`
        return bind(sql`(${powerOf(text, digits)} + ${grown})`, (power) => {
          const behind = places === 0 ? sql`` : sql` || '.' || substring(${kept}, 2, ${sql.long(places)})`
          const sign = sql`CASE WHEN ${power} < 0 THEN 'e-' ELSE 'e+' END`
          return sql`(left(${kept}, 1)${behind} || ${sign} || printf('%02d', CAST(abs(${power}) AS BIGINT)))`
        })
      }),
    ),
  )
}

/** The digits of a number in either notation, from the first that is not 0. */
const significant = (text: Sql): Sql => sql`ltrim(replace(split_part(${text}, 'e', 1), '.', ''), '0')`

/** The first `count` digits, rounded half up; one more digit if that carries into a new power of ten. */
function rounded(digits: Sql, count: number): Sql {
  const size = sql.long(count)
  const up = sql`CASE WHEN substring(${digits}, ${size} + 1, 1) >= '5' THEN 1 ELSE 0 END`
  return sql`CASE WHEN length(${digits}) > ${size} THEN CAST(CAST(left(${digits}, ${size}) AS BIGINT) + ${up} AS VARCHAR)
    ELSE rpad(${digits}, CAST(${size} AS INTEGER), '0') END`
}

/** The power of ten of the first digit. */
const powerOf = (text: Sql, digits: Sql): Sql =>
  sql`CASE WHEN contains(${text}, 'e') THEN CAST(split_part(${text}, 'e', 2) AS INTEGER) WHEN ${digits} = '' THEN 0
    WHEN left(${text}, 2) = '0.' THEN length(${digits}) - length(split_part(${text}, '.', 2)) - 1
    ELSE length(split_part(${text}, '.', 1)) - 1 END`
