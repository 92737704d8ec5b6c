import { type Bound, combine } from '../bind/bound.ts'
import { as } from '../bind/conversions.ts'
import { duckSql, literal, type SqlText } from '../bind/duck-sql.ts'
import { boolean, long, string } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { type Catalogue, neededText, special } from './signature.ts'
import { withoutRepeats } from './text-room.ts'

const addressForm = literal(
  '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])([.](25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}',
)

/** An address as its number, from text or from a number; what is none is null. */
function addressNumber(operand: Bound): Bound {
  if (operand.type.kind === 'long')
    return combine(
      operand.place,
      long,
      withoutRepeats([operand.sql], (x) => duckSql`CASE WHEN ${x} BETWEEN 0 AND 4294967295 THEN ${x} END`),
      [operand],
    )
  const text = as(operand, string)
  const part = (x: SqlText, index: SqlText, power: SqlText): SqlText =>
    duckSql`CAST(split_part(${x}, '.', ${index}) AS BIGINT) * ${power}`
  const number = (x: SqlText): SqlText =>
    duckSql`${part(x, duckSql`1`, duckSql`16777216`)} + ${part(x, duckSql`2`, duckSql`65536`)} + ${part(x, duckSql`3`, duckSql`256`)} + ${part(x, duckSql`4`, duckSql`1`)}`
  return combine(
    operand.place,
    long,
    withoutRepeats([text.sql], (x) => duckSql`CASE WHEN regexp_full_match(${x}, ${addressForm}) THEN ${number(x)} END`),
    [text],
  )
}

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
    throw sqlProblem(call.operands[1]!.place, "a range of addresses is written as '10.0.0.0/8'")
  }
  const size = 2 ** (32 - bits)
  const start = Math.floor(numbers.reduce((sum, number) => sum * 256 + number, 0) / size) * size
  const number = addressNumber(call.operands[0]!)
  const inside = duckSql`coalesce(${number.sql} BETWEEN ${literal(String(start))}::BIGINT AND ${literal(String(start + size - 1))}::BIGINT, FALSE)`
  return combine(call.place, boolean, inside, [number])
})

export const addresses: Catalogue = {
  IPV4_MATCH: addressMatch,
  IPV4_PARSE: special(1, 1, ({ operands }) => addressNumber(operands[0]!)),
  IPV4_STRINGIFY: special(1, 1, ({ place, operands }) => {
    const number = addressNumber(operands[0]!)
    const part = (x: SqlText, power: SqlText): SqlText => duckSql`CAST(${x} // ${power} % 256 AS VARCHAR)`
    const text = (x: SqlText): SqlText =>
      duckSql`CAST((${part(x, duckSql`16777216`)} || '.' || ${part(x, duckSql`65536`)} || '.' || ${part(x, duckSql`256`)} || '.' || ${part(x, duckSql`1`)}) AS VARCHAR)`
    return combine(place, string, withoutRepeats([number.sql], text), [number])
  }),
}
