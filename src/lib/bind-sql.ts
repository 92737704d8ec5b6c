// Evaluates a value once in SQL that uses it several times.
import { type Sql, sql } from './sql-text.ts'

const atom =
  /^(?:(?:"\w+"|[a-z]\w*)(?:\.[a-z]\w*)?|CAST\(-?\d+ AS BIGINT\)|-?[\d.e+-]+|\(-?[\d.e+-]+::DOUBLE\)|'[^']{0,40}')$/

let named = 0

/** A name that no enclosing lambda uses. */
export function nextName(): Sql {
  named = (named + 1) % 1_000_000
  return sql.id(`v${named}`)
}

let depth = 0

/**
 * Binds a value to a name, so that SQL which uses it several times contains it once. Names are numbered by nesting depth, so the same expression always
 * has the same text, which GROUP BY matches on.
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
