// SQL as text with its parameters apart. In sql`...` every ${} is a parameter, unless it is SQL itself: names go through `sql.id`, and
// numbers that belong to the text (so that the engine folds them) through `sql.long` and `sql.double`.

export type SqlParameter = string | number | bigint | boolean | null

/** More SQL than any sensible query becomes: what doubles its arguments in the writing ends here. */
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
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error(`${value} is no whole number`)
  // The least long has no literal of its own: its digits are read before the sign.
  if (BigInt(value) === -(2n ** 63n)) return new Sql("CAST('-9223372036854775808' AS BIGINT)", [])
  return new Sql(`CAST(${value} AS BIGINT)`, [])
}

function double(value: number): Sql {
  return new Sql(Number.isFinite(value) ? value.toExponential() : `CAST('${value}' AS DOUBLE)`, [])
}

/** A text as a literal, for what an engine wants as a constant. A NUL would end the statement for the parser, so it is put in by its code. */
function literal(value: string): Sql {
  const pieces = value.split('\0').map((piece) => `'${piece.replaceAll("'", "''")}'`)
  return new Sql(pieces.length === 1 ? pieces[0]! : `(${pieces.join(' || chr(0) || ')})`, [])
}

/** The tag, and what may stand in the text itself. */
export const sql = Object.assign(tag, {
  /** A name, quoted. */
  id: (name: string): Sql => new Sql(`"${name.replaceAll('"', '""')}"`, []),
  join,
  /** Between commas. */
  list: (parts: readonly Sql[]): Sql => join(parts, ', '),
  long,
  double,
  literal,
  /** The first columns of a SELECT by their positions, for GROUP BY. */
  positions: (count: number): Sql => new Sql(Array.from({ length: count }, (_, index) => index + 1).join(', '), []),
  empty: new Sql('', []),
})
