// Values that a text of SQL needs several times, written once.
import { type Sql, sql } from './sql-text.ts'

const atom =
  /^(?:(?:"\w+"|[a-z]\w*)(?:\.[a-z]\w*)?|CAST\(-?\d+ AS BIGINT\)|-?[\d.e+-]+|\(-?[\d.e+-]+::DOUBLE\)|'[^']{0,40}')$/

let named = 0

/** A name that no lambda around has. */
export function nextName(): Sql {
  named = (named + 1) % 1_000_000
  return sql.id(`v${named}`)
}

let depth = 0

/**
 * Names a value, so that a text which needs it several times holds it once. The names tell how deep they stand, so that the same expression
 * always has the same text: GROUP BY finds it by that.
 */
export function bind(value: Sql, body: (value: Sql) => Sql): Sql {
  if (atom.test(value.text)) return body(value)
  depth += 1
  try {
    const name = sql.id(`b${depth}`)
    return sql`list_transform([${value}], lambda ${name}: ${body(name)})[1]`
  } finally {
    depth -= 1
  }
}

export const bind2 = (a: Sql, b: Sql, body: (a: Sql, b: Sql) => Sql): Sql => bind(a, (x) => bind(b, (y) => body(x, y)))
