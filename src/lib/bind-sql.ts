// Values that a text of SQL needs several times, written once.
import { type Sql, sql } from './sql-text.ts'

const atom = /^(?:"\w+"|[a-z]\w*|CAST\(-?\d+ AS BIGINT\)|-?[\d.e+-]+)$/

let bound = 0

/** A name that no lambda around has. */
export function nextName(): Sql {
  bound = (bound + 1) % 1_000_000
  return sql.id(`v${bound}`)
}

/** Names a value, so that a text which needs it several times holds it once. */
export function bind(value: Sql, body: (value: Sql) => Sql): Sql {
  if (atom.test(value.text)) return body(value)
  const name = nextName()
  return sql`list_transform([${value}], lambda ${name}: ${body(name)})[1]`
}

export const bind2 = (a: Sql, b: Sql, body: (a: Sql, b: Sql) => Sql): Sql => bind(a, (x) => bind(b, (y) => body(x, y)))
