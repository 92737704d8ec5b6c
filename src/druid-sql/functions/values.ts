// Functions on values of any type, and the catalogues of those on arrays, JSON, sketches and addresses.
import { sql } from '../../lib/sql-text.ts'
import { comparedAs, requireComparable } from '../bind/comparable.ts'
import { castText } from '../bind/conversions.ts'
import { type Bound, called, engineFunction } from '../bind/tree.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import { addresses } from './addresses.ts'
import { arrays } from './arrays.ts'
import { jsons } from './jsons.ts'
import { type Catalogue, constantText, special } from './signature.ts'
import { sketches } from './sketches.ts'
import { withoutRepeats } from './text-limits.ts'
import { unifiedTexts, unifiedType } from './unified.ts'

/** The first operand that is not null. */
export const firstNonNull = engineFunction(
  (texts, { operands, type }, { zone }) => sql`coalesce(${sql.list(unifiedTexts(operands, texts, type, zone))})`,
)

export const coalesced = (place: Place, operands: readonly Bound[]): Bound =>
  called(place, unifiedType(operands), firstNonNull, operands)

const coalesce = special(1, 1000, ({ place, operands }) => coalesced(place, operands))

/** The first operand; null where it equals the second. */
export const nullIfEqual = engineFunction((texts, { operands: [whole, other] }, { zone }) => {
  const type = comparedAs(whole!, other!)
  return withoutRepeats(
    texts,
    (x, y) =>
      sql`CASE WHEN ${castText(whole!, x, type, zone)} = ${castText(other!, y, type, zone)} THEN NULL ELSE ${x} END`,
  )
})

const nullif = special(2, 2, ({ place, operands }) => {
  requireComparable(operands[0]!, operands[1]!)
  return called(place, operands[0]!.type, nullIfEqual, operands)
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
