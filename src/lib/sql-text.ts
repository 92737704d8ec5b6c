// SQL text with separate parameters. In sql`...` every ${} is a parameter, unless it is SQL itself. Names go through `sql.id`; numbers that belong to the
// text (so that the engine folds them) go through `sql.long` and `sql.double`.

export type SqlParameter = string | number | bigint | boolean | null

/** Longer than the SQL of any sensible query: stops expressions that double their arguments when written. */
const textMax = 4 * 1024 * 1024

export class SqlTooLarge extends Error {
  override readonly name = 'SqlTooLarge'
}

/** A piece of SQL: its text has one `?` for each parameter. */
export class Sql {
  readonly text: string
  readonly parameters: readonly SqlParameter[]

  constructor(text: string, parameters: readonly SqlParameter[]) {
    if (text.length > textMax) throw new SqlTooLarge(`the SQL would be longer than ${textMax} characters`)
    this.text = text
    this.parameters = parameters
  }
}

function tag(texts: TemplateStringsArray, ...parts: readonly (Sql | SqlParameter)[]): Sql {
  let text = texts[0]!
  const parameters: SqlParameter[] = []
  parts.forEach((part, index) => {
    if (part instanceof Sql) {
      text += part.text
      for (const parameter of part.parameters) parameters.push(parameter)
    } else {
      text += '?'
      parameters.push(part)
    }
    text += texts[index + 1]!
  })
  return new Sql(text, parameters)
}

function join(parts: readonly Sql[], separator: string): Sql {
  const parameters: SqlParameter[] = []
  for (const part of parts) for (const parameter of part.parameters) parameters.push(parameter)
  return new Sql(parts.map((part) => part.text).join(separator), parameters)
}

function long(value: number | bigint): Sql {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`)
  // The smallest long has no literal: the parser reads its digits before the sign.
  if (BigInt(value) === -(2n ** 63n)) return new Sql("CAST('-9223372036854775808' AS BIGINT)", [])
  return new Sql(`CAST(${value} AS BIGINT)`, [])
}

function double(value: number): Sql {
  return new Sql(Number.isFinite(value) ? value.toExponential() : `CAST('${value}' AS DOUBLE)`, [])
}

/** A string literal, where an engine needs a constant. The parser would end the statement at a NUL, so it is written as chr(0). */
function literal(value: string): Sql {
  const pieces = value.split('\0').map((piece) => `'${piece.replaceAll("'", "''")}'`)
  return new Sql(pieces.length === 1 ? pieces[0]! : `(${pieces.join(' || chr(0) || ')})`, [])
}

/** The template tag, and helpers for parts of the text. */
export const sql = Object.assign(tag, {
  /** A quoted identifier. */
  id: (name: string): Sql => new Sql(`"${name.replaceAll('"', '""')}"`, []),
  join,
  /** Joins with commas. */
  list: (parts: readonly Sql[]): Sql => join(parts, ', '),
  long,
  double,
  literal,
  /** The first columns of a SELECT by their positions, for GROUP BY. */
  positions: (count: number): Sql => new Sql(Array.from({ length: count }, (_, index) => index + 1).join(', '), []),
  empty: new Sql('', []),
})
