// Functions on values of any type, and the catalogues of those on arrays, JSON, sketches and addresses.
import { sql } from '../../lib/sql-text.ts'
import { combine } from '../bind/bound.ts'
import { comparable } from '../bind/comparable.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { addresses } from './addresses.ts'
import { arrays } from './arrays.ts'
import { jsons } from './jsons.ts'
import { type Catalogue, constantText, special } from './signature.ts'
import { sketches } from './sketches.ts'
import { withoutRepeats } from './text-room.ts'
import { unified } from './unified.ts'

const coalesce = special(1, 1000, (call) => {
  const { operands, type } = unified(call.operands)
  return combine(
    call.place,
    type,
    sql`coalesce(${sql.join(
      operands.map((operand) => operand.sql),
      ', ',
    )})`,
    operands,
  )
})

const nullif = special(2, 2, ({ place, operands }) => {
  const [whole, other] = [operands[0]!, operands[1]!]
  const text = withoutRepeats([whole.sql, other.sql], (x, y) => {
    const [a, b] = comparable({ ...whole, sql: x }, { ...other, sql: y })
    return sql`CASE WHEN ${a.sql} = ${b.sql} THEN NULL ELSE ${x} END`
  })
  return combine(place, whole.type, text, operands)
})

const lookup = special(2, 3, (call) => {
  const name = constantText(call, 1)
  throw sqlProblem(call.place, `there is no lookup ${quoted(name ?? 'NULL')}: join a table of values instead`)
})

export const values: Catalogue = {
  COALESCE: coalesce,
  NVL: { ...coalesce, count: [2, 2] },
  IFNULL: { ...coalesce, count: [2, 2] },
  NULLIF: nullif,
  LOOKUP: lookup,
  ...arrays,
  ...jsons,
  ...sketches,
  ...addresses,
}
