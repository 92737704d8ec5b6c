import { type Sql, sql } from '../../lib/sql-text.ts'
import { as } from '../bind/conversions.ts'
import { type Bound, called, engineFunction } from '../bind/tree.ts'
import { boolean, long, string } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { type Catalogue, neededText, special } from './signature.ts'
import { withoutRepeats } from './text-limits.ts'

const addressForm = sql.literal(
  '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])([.](25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}',
)

/** The number of an IPv4 address, from a text or a number; null where it is not an address. */
const number4 = engineFunction((texts, { operands: [operand] }) => {
  if (operand!.type.kind === 'long')
    return withoutRepeats(texts, (x) => sql`CASE WHEN ${x} BETWEEN 0 AND 4294967295 THEN ${x} END`)
  const part = (x: Sql, index: Sql, power: Sql): Sql => sql`CAST(split_part(${x}, '.', ${index}) AS BIGINT) * ${power}`
  const number = (x: Sql): Sql =>
    sql`${part(x, sql`1`, sql`16777216`)} + ${part(x, sql`2`, sql`65536`)} + ${part(x, sql`3`, sql`256`)} + ${part(x, sql`4`, sql`1`)}`
  return withoutRepeats(texts, (x) => sql`CASE WHEN regexp_full_match(${x}, ${addressForm}) THEN ${number(x)} END`)
})

const addressNumber = (operand: Bound): Bound =>
  called(operand.place, long, number4, [operand.type.kind === 'long' ? operand : as(operand, string)])

const isWithin = engineFunction<{ readonly start: number; readonly end: number }>(
  ([number], { options: { start, end } }) =>
    sql`coalesce(${number!} BETWEEN ${sql.literal(String(start))}::BIGINT AND ${sql.literal(String(end))}::BIGINT, FALSE)`,
)

const text4 = engineFunction((texts) => {
  const part = (x: Sql, power: Sql): Sql => sql`CAST(${x} // ${power} % 256 AS VARCHAR)`
  return withoutRepeats(
    texts,
    (x) =>
      sql`CAST((${part(x, sql`16777216`)} || '.' || ${part(x, sql`65536`)} || '.' || ${part(x, sql`256`)} || '.' || ${part(x, sql`1`)}) AS VARCHAR)`,
  )
})

const addressMatch = special(2, 2, (call) => {
  const [address = '', length = '', ...more] = neededText(call, 1).split('/')
  const numbers = address.split('.').map(Number)
  const bits = Number(length)
  if (
    more.length > 0 ||
    !/^(\d{1,3}\.){3}\d{1,3}$/.test(address) ||
    numbers.some((number) => number > 255) ||
    !/^\d{1,2}$/.test(length) ||
    bits > 32
  ) {
    throw sqlProblem(call.operands[1]!.place, "an address range must be written as '10.0.0.0/8'")
  }
  const size = 2 ** (32 - bits)
  const start = Math.floor(numbers.reduce((sum, number) => sum * 256 + number, 0) / size) * size
  const number = addressNumber(call.operands[0]!)
  return called(call.place, boolean, isWithin, [number], { start, end: start + size - 1 })
})

export const addresses: Catalogue = {
  IPV4_MATCH: addressMatch,
  IPV4_PARSE: special(1, 1, ({ operands }) => addressNumber(operands[0]!)),
  IPV4_STRINGIFY: special(1, 1, ({ place, operands }) => called(place, string, text4, [addressNumber(operands[0]!)])),
}
