import { quoted, sqlProblem } from './sql-problem.ts'
import type { CastType, TypeName } from './syntax.ts'
import type { TokenCursor } from './token-cursor.ts'

const names: ReadonlyMap<string, TypeName> = new Map([
  ...['CHAR', 'CHARACTER', 'VARCHAR'].map((name) => [name, 'VARCHAR'] as const),
  ...['TINYINT', 'SMALLINT', 'INT', 'INTEGER', 'BIGINT'].map((name) => [name, 'BIGINT'] as const),
  ...['FLOAT', 'REAL', 'DOUBLE', 'DECIMAL', 'DEC', 'NUMERIC'].map((name) => [name, 'DOUBLE'] as const),
  ...(['BOOLEAN', 'TIMESTAMP', 'DATE'] as const).map((name) => [name, name] as const),
])

/** A type after AS or RETURNING: `BIGINT`, `VARCHAR(10)`, `DECIMAL(10, 2)`, `VARCHAR ARRAY`. */
export function typeOf(cursor: TokenCursor): CastType {
  const { text, upper, place, kind } = cursor.next()
  const name = kind === 'word' ? names.get(upper) : undefined
  if (name === undefined)
    throw sqlProblem(
      place,
      `${quoted(text)} is not a supported type: use VARCHAR, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP or DATE`,
    )
  if (upper === 'DOUBLE') cursor.takeWords('PRECISION')
  if (upper === 'CHARACTER') cursor.takeWords('VARYING')
  const numbers: number[] = []
  if (cursor.takeSymbol('(')) {
    do {
      if (cursor.token.kind !== 'number') throw cursor.unexpected('a number')
      numbers.push(Number(cursor.next().text))
    } while (cursor.takeSymbol(','))
    cursor.expectSymbol(')')
  }
  if (upper === 'TIMESTAMP') cursor.takeWords('WITH', 'LOCAL', 'TIME', 'ZONE')
  const isDecimal = ['DECIMAL', 'DEC', 'NUMERIC'].includes(upper)
  return { name, isArray: cursor.takeWords('ARRAY'), scale: isDecimal ? (numbers[1] ?? 0) : null }
}
