// What a dimension of another type makes of its values.
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { convert, longForm, longValue, type Typed, transform, type ValueType } from './typed.ts'

/** What a dimension of another type is: texts as whole numbers are those that are, also in arrays. */
export function convertDimension(value: Typed, type: ValueType): Typed {
  if (value.type === 'ARRAY<STRING>' && type === 'ARRAY<LONG>')
    return { type, sql: transform(value.sql, textToWholeLong) }
  return type === 'LONG' && value.type === 'STRING' ? longValue(textToWholeLong(value.sql)) : convert(value, type)
}

const decimalForm = sql.literal('[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?')

/** As a text is a LONG, but null for one that is no whole number: `1e3` is one, and `-1.5` is none. */
function textToWholeLong(text: Sql): Sql {
  const whole = (d: Sql): Sql =>
    sql`CASE WHEN ${d} = trunc(${d}) AND abs(${d}) < 9223372036854775808 THEN CAST(${d} AS BIGINT) END`
  return bind(
    text,
    (x) => sql`CASE WHEN regexp_full_match(${x}, ${longForm}) THEN TRY_CAST(${x} AS BIGINT)
      WHEN regexp_full_match(${x}, ${decimalForm}) THEN ${bind(sql`TRY_CAST(${x} AS DOUBLE)`, whole)} END`,
  )
}
