// Numbers written for people, and texts that were encoded.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { nullValue, type Typed, textValue, toLong, toText } from '../values/typed.ts'
import { type Call, type ExpressionFunction, type FunctionTable, literalWhole } from './call.ts'

const powers = ['K', 'M', 'G', 'T', 'P', 'E']

const decimals = [sql`DECIMAL(38, 0)`, sql`DECIMAL(38, 1)`, sql`DECIMAL(38, 2)`, sql`DECIMAL(38, 3)`]

/** A number in the largest unit that it fills once; below the first it is written whole. */
const readable = (base: 1000 | 1024, plain: string, unit: string): ExpressionFunction => ({
  args: [1, 2],
  compile: ([value]: readonly Typed[], call: Call) => {
    const precision = call.literal(1) === null ? 2 : literalWhole(call, 1, 'precision')
    if (precision < 0 || precision > 3) return call.refuse('the precision must be 0 to 3')
    if (value!.type === null) return nullValue
    if (value!.type === 'STRING') return call.refuse('the first argument must be a number')
    const written = (x: Sql, index: number): Sql => {
      // Half away from 0 on the decimal digits, as Java rounds.
      const below = sql.literal(String(BigInt(base) ** BigInt(index)))
      // Of decimal units, what does not fill a thousandth of one is cut before.
      const cut =
        base === 1000
          ? sql`(CAST(${x} AS HUGEINT) // CAST(${below} AS HUGEINT))`
          : sql`CAST(${x} AS DOUBLE) / CAST(${below} AS DOUBLE)`
      const quotient = sql`CAST(CAST(CAST(${cut} AS DOUBLE) / CAST(${sql.literal(String(base))} AS DOUBLE) AS VARCHAR) AS DECIMAL(38, 17))`
      const rounded = sql`CAST(round(${quotient}, ${sql.long(precision)}::INTEGER) AS ${decimals[precision]!})`
      return sql`(CAST(${rounded} AS VARCHAR) || ${sql.literal(` ${powers[index]}${unit}`)})`
    }
    const cases = powers
      .map((_, index) => index)
      .reverse()
      .map(
        (index) =>
          (x: Sql): Sql =>
            sql`WHEN abs(CAST(${x} AS HUGEINT)) >= CAST(${sql.literal(String(BigInt(base) ** BigInt(index + 1)))} AS HUGEINT) THEN ${written(x, index)}`,
      )
    const body = (x: Sql): Sql =>
      sql`CASE ${sql.join(
        cases.map((one) => one(x)),
        ' ',
      )} ELSE CAST(${x} AS VARCHAR) || ${sql.literal(plain)} END`
    return textValue(bind(toLong(value!), body))
  },
})

export const formatFunctions = {
  human_readable_binary_byte_format: readable(1024, ' B', 'iB'),
  human_readable_decimal_byte_format: readable(1000, ' B', 'B'),
  human_readable_decimal_format: readable(1000, '', ''),
  decode_base64_utf8: {
    args: [1, 1],
    compile: ([text]) => {
      if (text!.type === null) return nullValue
      // The signs at the end, which fill up the last four characters, may be left out.
      const padded = (x: Sql): Sql =>
        sql`decode(from_base64(rpad(${x}, CAST((length(${x}) + 3) // 4 * 4 AS INTEGER), '=')))`
      return textValue(bind(toText(text!), padded))
    },
  },
} as const satisfies FunctionTable
