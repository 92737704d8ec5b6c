import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { type Bound, combine } from '../bind/bound.ts'
import { as, once } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { commonType, double, isNumeric, long, type SqlType, string, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { type BoundCall, type Catalogue, constantInteger, type ScalarFunction, scalar, special } from './signature.ts'
import { onceEach, withoutRepeats } from './text-room.ts'

const ofDouble = (render: (x: Sql) => Sql): ScalarFunction => scalar([double], double, render)

/** Java knows the angle of no end for no number, where the engine fails. */
const ofAngle = (render: (x: Sql) => Sql): ScalarFunction =>
  ofDouble((x) => sql`CASE WHEN isinf(${x}) THEN 'NaN'::DOUBLE ELSE ${render(x)} END`)

/** To Java 1 to the power of what has no end, or is no number, is no number; to the engine it is 1. */
const power: ScalarFunction = scalar(
  [double, double],
  double,
  (x, y) => sql`CASE WHEN abs(${x}) = 1 AND NOT isfinite(${y}) THEN 'NaN'::DOUBLE ELSE power(${x}, ${y}) END`,
)

/** Text is read as a number, as Druid does. */
export function numeric(operand: Bound): Bound {
  if (operand.type.kind === 'string' || operand.type.kind === 'json') return as(operand, double)
  if (operand.type.kind === 'null') return as(operand, double)
  if (!isNumeric(operand.type))
    throw sqlProblem(operand.place, `a number is expected, not a value of type ${typeName(operand.type)}`)
  return operand
}

/** A function that gives whole numbers for whole numbers, and else doubles. */
function sameNumber(render: (x: Sql, type: SqlType) => Sql): ScalarFunction {
  return special(1, 1, ({ place, operands }) => {
    const x = numeric(operands[0]!)
    return combine(place, x.type, render(x.sql, x.type), [x])
  })
}

/** FLOOR and CEIL of numbers; whole numbers are what they are. */
export const floorNumber = sameNumber((x, type) => (type.kind === 'long' ? x : sql`floor(${x})`))
export const ceilNumber = sameNumber((x, type) => (type.kind === 'long' ? x : sql`ceil(${x})`))

/** Halves go away from zero, judged by the decimal digits of the double: 1.005 to two places is 1.01. */
const round = special(1, 2, (call) => {
  const x = numeric(call.operands[0]!)
  const places = constantInteger(call, 1, 0n)
  if (places < -18n || places > 18n) throw sqlProblem(call.place, 'ROUND takes -18 to 18 places')
  const digits = plainInteger(places)
  if (x.type.kind === 'long')
    return combine(call.place, long, places >= 0n ? x.sql : sql`CAST(round(${x.sql}, ${digits}) AS BIGINT)`, [x])
  if (places === 0n) return combine(call.place, double, sql`round(${x.sql})`, [x])
  // What has no end is 0 to the engine before the point.
  if (places < 0n) {
    const whole = withoutRepeats(
      [x.sql],
      (value) => sql`round(CASE WHEN isfinite(${value}) THEN ${value} END, ${digits})`,
    )
    return combine(call.place, double, whole, [x])
  }
  const scale = plainInteger(places > 12n ? 18n : 15n)
  const text = withoutRepeats(
    [x.sql],
    (value) => sql`coalesce(CAST(round(TRY_CAST(${value} AS DECIMAL(38, ${scale})), ${digits}) AS DOUBLE), ${value})`,
  )
  return combine(call.place, double, text, [x])
})

const truncate = special(1, 2, (call) => {
  const x = numeric(call.operands[0]!)
  const places = constantInteger(call, 1, 0n)
  if (places < -18n || places > 18n) throw sqlProblem(call.place, 'TRUNCATE takes -18 to 18 places')
  if (x.type.kind === 'long' && places >= 0n) return combine(call.place, long, x.sql, [x])
  const power = sql.long(10n ** (places < 0n ? -places : places))
  if (x.type.kind === 'long') return combine(call.place, long, sql`(${x.sql} // ${power} * ${power})`, [x])
  if (places === 0n) return combine(call.place, double, sql`trunc(${x.sql})`, [x])
  if (places < 0n) return combine(call.place, double, sql`(trunc(${x.sql} / ${power}) * ${power})`, [x])
  // A number that is too large to be shifted has nothing behind its point.
  const cut = withoutRepeats(
    [x.sql],
    (value) => sql`CASE WHEN isinf(${value} * ${power}) THEN ${value} ELSE trunc(${value} * ${power}) / ${power} END`,
  )
  return combine(call.place, double, cut, [x])
})

const absolute = special(1, 1, (call) => {
  const x = numeric(call.operands[0]!)
  const goesRound = call.wraps && x.type.kind === 'long'
  return combine(call.place, x.type, goesRound ? wrapped(sql`abs(${x.sql}::HUGEINT)`) : sql`abs(${x.sql})`, [x])
})

function numberPair(call: BoundCall): [Bound, Bound, SqlType] {
  const [a, b] = [numeric(call.operands[0]!), numeric(call.operands[1]!)]
  const type = commonType(a.type, b.type)!
  return [as(a, type), as(b, type), type]
}

/** The remainder with the sign of the first. */
export const modulo = special(2, 2, (call) => {
  const [a, b, type] = numberPair(call)
  // The engine's fmod has the sign of the second.
  if (type.kind === 'double') {
    const rest = onceEach(
      [a.sql, b.sql],
      (x, y) =>
        sql`CASE WHEN isinf(${y}) AND isfinite(${x}) THEN ${x} WHEN ${y} <> 0::DOUBLE AND isfinite(${x}) THEN ${x} % ${y} END`,
    )
    return combine(call.place, double, rest, [a, b])
  }
  const text = divided(a, b, (x, by) =>
    call.wraps ? sql`CAST(${x}::HUGEINT % ${by}::HUGEINT AS BIGINT)` : sql`(${x} % ${by})`,
  )
  return combine(call.place, long, text, [a, b])
})

const noDivision = failing('a whole number is divided by zero: SAFE_DIVIDE gives null there')

/** A division of whole numbers: by zero it ends the query, as it does in Druid, unless it is null that is divided. */
function divided(a: Bound, b: Bound, render: (x: Sql, by: Sql) => Sql): Sql {
  if (typeof b.constant === 'bigint' && b.constant !== 0n) return render(a.sql, b.sql)
  return withoutRepeats([a.sql, b.sql], (x, y) =>
    render(
      x,
      sql`CASE WHEN ${y} <> 0 THEN ${y} WHEN ${y} = 0 AND ${x} IS NOT NULL THEN CAST(${noDivision} AS BIGINT) END`,
    ),
  )
}

export const quotient = (a: Bound, b: Bound, wraps: boolean): Sql => divided(a, b, (x, by) => cutQuotient(x, by, wraps))

/** The least long divided by -1 goes round to itself. */
function cutQuotient(x: Sql, by: Sql, wraps: boolean): Sql {
  return wraps ? wrapped(sql`(${x}::HUGEINT // ${by}::HUGEINT)`) : sql`(${x} // ${by})`
}

const safeDivide = special(2, 2, (call) => {
  const [a, b, type] = numberPair(call)
  if (type.kind === 'double') {
    // Of doubles, nothing of nothing is 0.
    const whole = onceEach(
      [a.sql, b.sql],
      (x, y) =>
        sql`CASE WHEN ${y} <> 0::DOUBLE THEN ${x} / ${y} WHEN ${x} = 0::DOUBLE AND ${y} = 0::DOUBLE THEN 0::DOUBLE END`,
    )
    return combine(call.place, double, whole, [a, b])
  }
  return combine(call.place, long, cutQuotient(a.sql, sql`nullif(${b.sql}, 0::BIGINT)`, call.wraps), [a, b])
})

const div = special(2, 2, (call) => {
  const [a, b] = [as(numeric(call.operands[0]!), long), as(numeric(call.operands[1]!), long)]
  return combine(call.place, long, quotient(a, b, call.wraps), [a, b])
})

function extreme(name: Sql): ScalarFunction {
  return special(0, 100, ({ place, operands }) => {
    let type: SqlType | null = { kind: 'null' }
    for (const operand of operands) type = type === null ? null : commonType(type, operand.type)
    if (type === null) throw sqlProblem(place, 'these values have no type in common')
    if (type.kind === 'null') return combine(place, { kind: 'null' }, sql`NULL`, operands)
    // Times are compared, and come, as milliseconds.
    if (type.kind === 'timestamp' || type.kind === 'date') type = long
    const taken = operands.map((operand) => as(operand, type!))
    return combine(
      place,
      type,
      sql`${name}(${sql.join(
        taken.map((operand) => operand.sql),
        ', ',
      )})`,
      taken,
    )
  })
}

/**
 * 1.91 MiB, 12.35 K: a number of up to three digits before the point, with the letter of its power. Whole numbers alone are written so: others
 * are cut. Of decimal units, what does not fill a thousandth of one is cut before it is rounded.
 */
function humanReadable(base: number, units: readonly string[], unitOfOne: string): ScalarFunction {
  return special(1, 2, (call) => {
    const x = as(numeric(call.operands[0]!), long)
    const digits = constantInteger(call, 1, 2n)
    if (digits < 0n || digits > 3n) throw sqlProblem(call.place, `${call.name} takes 0 to 3 decimals`)
    const branches = units.map((unit, power) => {
      const size = sql`${sql.literal(String(BigInt(base) ** BigInt(power + 1)))}::HUGEINT`
      const below = sql`${sql.literal(String(BigInt(base) ** BigInt(power)))}::HUGEINT`
      const cut = base === 1000 ? sql`v::HUGEINT // ${below}` : sql`v::DOUBLE / ${below}::DOUBLE`
      const parts = sql`(${cut})::DOUBLE / ${plainInteger(base)}::DOUBLE`
      const rounded = sql`CAST(round(CAST(CAST(${parts} AS VARCHAR) AS DECIMAL(38, 9)), ${plainInteger(digits)}) AS ${decimals[Number(digits)]!})`
      return sql`WHEN abs(v::HUGEINT) >= ${size} THEN CAST(${rounded} AS VARCHAR) || ${sql.literal(` ${unit}`)}`
    })
    const small = sql`CAST(v AS VARCHAR) || ${sql.literal(unitOfOne)}`
    const text = once(
      x.sql,
      () => sql`CASE WHEN v IS NULL THEN NULL ${sql.join(branches.toReversed(), ' ')} ELSE ${small} END`,
    )
    return combine(call.place, string, text, [x])
  })
}

const decimals = [sql`DECIMAL(38, 0)`, sql`DECIMAL(38, 1)`, sql`DECIMAL(38, 2)`, sql`DECIMAL(38, 3)`]

const bitwise = (render: (a: Sql, b: Sql) => Sql): ScalarFunction => scalar([long, long], long, render)
/** Java shifts by the low six bits of the count. */
const shiftLeft = (a: Sql, b: Sql): Sql => wrapped(sql`(${a}::HUGEINT * power(2::HUGEINT, (${b} & 63))::HUGEINT)`)

/** A sum or product beyond a long, brought back into it as Java's numbers go round. */
export function wrapped(huge: Sql): Sql {
  const span = sql`18446744073709551616::HUGEINT`
  const half = sql`9223372036854775808::HUGEINT`
  return sql`CAST((((${huge} + ${half}) % ${span} + ${span}) % ${span} - ${half}) AS BIGINT)`
}

export const numbers: Catalogue = {
  ABS: absolute,
  ROUND: round,
  TRUNC: truncate,
  TRUNCATE: truncate,
  MOD: modulo,
  SQRT: ofDouble((x) => sql`CASE WHEN ${x} < 0 THEN 'NaN'::DOUBLE ELSE sqrt(${x}) END`),
  EXP: ofDouble((x) => sql`exp(${x})`),
  LN: ofDouble(
    (x) => sql`CASE WHEN ${x} < 0 THEN 'NaN'::DOUBLE WHEN ${x} = 0 THEN '-Infinity'::DOUBLE ELSE ln(${x}) END`,
  ),
  LOG10: ofDouble(
    (x) => sql`CASE WHEN ${x} < 0 THEN 'NaN'::DOUBLE WHEN ${x} = 0 THEN '-Infinity'::DOUBLE ELSE log10(${x}) END`,
  ),
  POWER: power,
  POW: power,
  SIN: ofAngle((x) => sql`sin(${x})`),
  COS: ofAngle((x) => sql`cos(${x})`),
  TAN: ofAngle((x) => sql`tan(${x})`),
  COT: ofAngle((x) => sql`(cos(${x}) / sin(${x}))`),
  ASIN: ofDouble((x) => sql`CASE WHEN abs(${x}) > 1 THEN 'NaN'::DOUBLE ELSE asin(${x}) END`),
  ACOS: ofDouble((x) => sql`CASE WHEN abs(${x}) > 1 THEN 'NaN'::DOUBLE ELSE acos(${x}) END`),
  ATAN: ofDouble((x) => sql`atan(${x})`),
  ATAN2: scalar([double, double], double, (y, x) => sql`atan2(${y}, ${x})`),
  RADIANS: ofDouble((x) => sql`radians(${x})`),
  DEGREES: ofDouble((x) => sql`degrees(${x})`),
  PI: scalar([], double, () => sql`pi()`),
  DIV: div,
  SAFE_DIVIDE: safeDivide,
  GREATEST: extreme(sql`greatest`),
  LEAST: extreme(sql`least`),
  BITWISE_AND: bitwise((a, b) => sql`(${a} & ${b})`),
  BITWISE_OR: bitwise((a, b) => sql`(${a} | ${b})`),
  BITWISE_XOR: bitwise((a, b) => sql`xor(${a}, ${b})`),
  BITWISE_COMPLEMENT: scalar([long], long, (a) => sql`(-1::BIGINT - ${a})`),
  BITWISE_SHIFT_LEFT: bitwise(shiftLeft),
  BITWISE_SHIFT_RIGHT: bitwise(
    (a, b) =>
      sql`CASE WHEN ${a} >= 0 THEN ${a} >> (${b} & 63) ELSE -1::BIGINT - ((-1::BIGINT - ${a}) >> (${b} & 63)) END`,
  ),
  BITWISE_CONVERT_DOUBLE_TO_LONG_BITS: scalar([double], long, (x) => sql`CAST(CAST(${x} AS BIT) AS BIGINT)`),
  BITWISE_CONVERT_LONG_BITS_TO_DOUBLE: scalar([long], double, (x) => sql`CAST(CAST(${x} AS BIT) AS DOUBLE)`),
  HUMAN_READABLE_BINARY_BYTE_FORMAT: humanReadable(1024, ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'], ' B'),
  HUMAN_READABLE_DECIMAL_BYTE_FORMAT: humanReadable(1000, ['KB', 'MB', 'GB', 'TB', 'PB', 'EB'], ' B'),
  HUMAN_READABLE_DECIMAL_FORMAT: humanReadable(1000, ['K', 'M', 'G', 'T', 'P', 'E'], ''),
}
