// DuckDB SQL is put together from pieces of this type alone. Nothing of the caller's text gets into it but the values of literals,
// and they only through `literal`: names of tables and columns are numbers of our own.

import { Sql } from '../../lib/sql-text.ts'
import { Problem } from '../../model/problem.ts'
import { ownWords } from '../../sql-engine/sql-engine.ts'

/** More of DuckDB's SQL than any sensible query becomes; what doubles its arguments in the writing ends here. */
const textMax = 4 * 1024 * 1024

/** A piece of SQL in DuckDB's dialect. */
export class SqlText {
  readonly text: string

  /** For this file alone: a plain string is not SQL until a template here says so. */
  constructor(text: string) {
    if (text.length > textMax) {
      throw new Problem(
        'invalid_request',
        'sql_query: the query is too large: split it, or use fewer and shorter expressions',
        {
          errors: [{ path: 'sql_query', message: 'the query is too large' }],
        },
      )
    }
    this.text = text
  }
}

/** `duckSql\`coalesce(${a}, ${b})\``: only other pieces can be put in. */
export function duckSql(strings: TemplateStringsArray, ...parts: readonly SqlText[]): SqlText {
  let text = strings[0]!
  for (const [index, part] of parts.entries()) text += part.text + strings[index + 1]!
  return new SqlText(text)
}

export function join(
  parts: readonly SqlText[],
  separator: ', ' | ' AND ' | ' OR ' | ' || ' | ' UNION ALL ' | ' ',
): SqlText {
  return new SqlText(parts.map((part) => part.text).join(separator))
}

/** The piece as that of the tag whose values may be parameters: it has none. */
export function asShared({ text }: SqlText): Sql {
  return new Sql(text, [])
}

/** Its inverse. There may be no parameters in it. */
export function fromShared({ text, parameters }: Sql): SqlText {
  if (parameters.length > 0) throw new Error('SQL with parameters is no text')
  return new SqlText(text)
}

/** A text as a literal. A NUL would end the statement for the parser, so it is put in by its code. */
export function literal(value: string): SqlText {
  const pieces = value.split('\0').map((piece) => `'${piece.replaceAll("'", "''")}'`)
  return new SqlText(pieces.length === 1 ? pieces[0]! : `(${pieces.join(' || chr(0) || ')})`)
}

export function longLiteral(value: bigint | number): SqlText {
  const whole = BigInt(value)
  // The parser reads the minus sign apart from the digits, and the smallest longLiteral has no positive counterpart.
  return new SqlText(whole === -(2n ** 63n) ? '(-9223372036854775807::BIGINT - 1::BIGINT)' : `(${whole}::BIGINT)`)
}

export function doubleLiteral(value: number): SqlText {
  return new SqlText(`(${Number.isFinite(value) ? value.toExponential() : `'${value}'`}::DOUBLE)`)
}

/** Ends the query where it is reached; the caller is told the message. It is of no type: cast it where one is needed. */
export function failing(message: string): SqlText {
  return duckSql`error(${literal(`${ownWords}${message}`)})`
}

/** A whole number without a type, where the syntax asks for one: LIMIT, frames, the elements of lists. */
export function plainInteger(value: bigint | number): SqlText {
  return new SqlText(String(BigInt(value)))
}

/** A relation of the query, by its number. */
export function relationName(relation: number): SqlText {
  return new SqlText(`r${relation}`)
}

/** A column of a relation, both by their numbers. */
export function columnOf(relation: number, column: number): SqlText {
  return new SqlText(`r${relation}.c${column}`)
}

/** The positions of the rows of an entity's relation: of two rows of one time, the higher was pushed later. */
export function positionOf(relation: number): SqlText {
  return new SqlText(`r${relation}.p`)
}

/** The times of an entity's relation as its files have them: the engine skips files and parts of them by comparisons with it. */
export function fileTimeOf(relation: number): SqlText {
  return new SqlText(`r${relation}.t`)
}

export function columnName(column: number): SqlText {
  return new SqlText(`c${column}`)
}

/** The table of a metadata entity's items in the engine. */
export function itemsTable(entityId: number): SqlText {
  return new SqlText(`items_${BigInt(entityId)}`)
}

/** The table of an entity in the engine. */
export function entityTable(entityId: number): SqlText {
  return new SqlText(`entity_${BigInt(entityId)}`)
}
