import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type ReadableForm, readableNumber } from '../../lib/readable-number.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { as, castText, constantOf } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import {
  type Bound,
  type CallNode,
  called,
  type EngineFunction,
  engineFunction,
  type QuerySemantics,
} from '../bind/tree.ts'
import { commonType, double, isNumeric, long, type SqlType, string, typeName } from '../bind/types.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import {
  type Catalogue,
  constantInteger,
  type PlainFunction,
  type ScalarFunction,
  scalar,
  special,
} from './signature.ts'
import { onceEach, withoutRepeats } from './text-limits.ts'

const ofDouble = (render: (x: Sql) => Sql): PlainFunction => scalar([double], double, render)

/** For an infinite angle Java returns NaN, while the engine fails. */
const ofAngle = (render: (x: Sql) => Sql): PlainFunction =>
  ofDouble((x) => sql`CASE WHEN isinf(${x}) THEN 'NaN'::DOUBLE ELSE ${render(x)} END`)

const logarithm = (name: Sql): PlainFunction =>
  ofDouble(
    (x) => sql`CASE WHEN ${x} < 0 THEN 'NaN'::DOUBLE WHEN ${x} = 0 THEN '-Infinity'::DOUBLE ELSE ${name}(${x}) END`,
  )

/** In Java, 1 to the power of an infinite number or NaN is NaN; in the engine it is 1. */
const power: PlainFunction = scalar(
  [double, double],
  double,
  (x, y) => sql`CASE WHEN abs(${x}) = 1 AND NOT isfinite(${y}) THEN 'NaN'::DOUBLE ELSE power(${x}, ${y}) END`,
)

/** Texts are read as numbers, as in Druid. */
export function numeric(operand: Bound): Bound {
  if (operand.type.kind === 'string' || operand.type.kind === 'json') return as(operand, double)
  if (operand.type.kind === 'null') return as(operand, double)
  if (!isNumeric(operand.type))
    throw sqlProblem(operand.place, `a number is expected, not a value of type ${typeName(operand.type)}`)
  return operand
}

/** A function that returns whole numbers for whole numbers, and doubles otherwise. */
function sameNumber(fn: EngineFunction<null>): ScalarFunction {
  return special(1, 1, ({ place, operands }) => {
    const x = numeric(operands[0]!)
    return called(place, x.type, fn, [x])
  })
}

/** FLOOR and CEIL of numbers. Whole numbers stay unchanged. */
export const floor = engineFunction(([x], { type }) => (type.kind === 'long' ? x! : sql`floor(${x!})`))
export const ceil = engineFunction(([x], { type }) => (type.kind === 'long' ? x! : sql`ceil(${x!})`))
export const floorNumber = sameNumber(floor)
export const ceilNumber = sameNumber(ceil)

interface Places {
  readonly places: bigint
}

function ofPlaces(fn: EngineFunction<Places>): ScalarFunction {
  return special(1, 2, (call) => {
    const x = numeric(call.operands[0]!)
    const places = constantInteger(call, 1, 0n)
    if (places < -18n || places > 18n) throw sqlProblem(call.place, `${call.name} accepts -18 to 18 places`)
    return called(call.place, x.type.kind === 'long' ? long : double, fn, [x], { places })
  })
}

/** Halves are rounded away from zero, by the decimal digits of the double: 1.005 to two places is 1.01. */
export const round = engineFunction<Places>(([x], { type, options: { places } }) => {
  const digits = plainInteger(places)
  if (type.kind === 'long') return places >= 0n ? x! : sql`CAST(round(${x!}, ${digits}) AS BIGINT)`
  if (places === 0n) return sql`round(${x!})`
  // To negative places the engine rounds infinite numbers to 0.
  if (places < 0n)
    return withoutRepeats([x!], (value) => sql`round(CASE WHEN isfinite(${value}) THEN ${value} END, ${digits})`)
  const scale = plainInteger(places > 12n ? 18n : 15n)
  return withoutRepeats(
    [x!],
    (value) => sql`coalesce(CAST(round(TRY_CAST(${value} AS DECIMAL(38, ${scale})), ${digits}) AS DOUBLE), ${value})`,
  )
})

const truncate = ofPlaces(
  engineFunction(([x], { type, options: { places } }) => {
    const power = sql.long(10n ** (places < 0n ? -places : places))
    if (type.kind === 'long') return places >= 0n ? x! : sql`(${x!} // ${power} * ${power})`
    if (places === 0n) return sql`trunc(${x!})`
    if (places < 0n) return sql`(trunc(${x!} / ${power}) * ${power})`
    // A number that is too large to be shifted has no fraction.
    return withoutRepeats(
      [x!],
      (value) => sql`CASE WHEN isinf(${value} * ${power}) THEN ${value} ELSE trunc(${value} * ${power}) / ${power} END`,
    )
  }),
)

export const absolute = engineFunction(([x], { type }, { wraps }) =>
  wraps && type.kind === 'long' ? butLeast(x!, (long) => sql`abs(${long})`) : sql`abs(${x!})`,
)

export const negated = engineFunction(([x], { type }, { wraps }) =>
  wraps && type.kind === 'long' ? negatedLong(x!) : sql`(-${x!})`,
)

/** A function of two numbers, which are cast to the type of its result. */
function ofNumbers(fn: EngineFunction<null>): ScalarFunction {
  return special(2, 2, ({ place, operands }) => numberCall(place, fn, operands))
}

export function numberCall(place: Place, fn: EngineFunction<null>, operands: readonly Bound[]): Bound {
  const [a, b] = [numeric(operands[0]!), numeric(operands[1]!)]
  const type = commonType(a.type, b.type)!
  return called(place, type.kind === 'double' ? double : long, fn, [a, b])
}

/** Both operands, cast to the type of the result. */
export function numberTexts(
  [x, y]: readonly Sql[],
  { type, operands: [a, b] }: Pick<CallNode, 'type' | 'operands'>,
  { zone }: QuerySemantics,
): [Sql, Sql] {
  return [castText(a!, x!, type, zone), castText(b!, y!, type, zone)]
}

/** The remainder with the sign of the first operand. */
export const remainder = engineFunction((texts, node, meaning) => {
  const [a, b] = numberTexts(texts, node, meaning)
  // The engine's fmod has the sign of the second operand.
  if (node.type.kind === 'double') {
    return onceEach(
      [a, b],
      (x, y) =>
        sql`CASE WHEN isinf(${y}) AND isfinite(${x}) THEN ${x} WHEN ${y} <> 0::DOUBLE AND isfinite(${x}) THEN ${x} % ${y} END`,
    )
  }
  return divided(a, b, node.operands[1]!, (x, by) =>
    meaning.wraps ? sql`CAST(${x}::HUGEINT % ${by}::HUGEINT AS BIGINT)` : sql`(${x} % ${by})`,
  )
})

const noDivision = failing('a whole number is divided by zero: SAFE_DIVIDE returns null instead')

/** A division of whole numbers. Division by zero ends the query, as in Druid, unless the dividend is null. */
function divided(a: Sql, b: Sql, divisor: Bound, render: (x: Sql, by: Sql) => Sql): Sql {
  const constant = constantOf(divisor)
  if (typeof constant === 'bigint' && constant !== 0n) return render(a, b)
  return withoutRepeats([a, b], (x, y) =>
    render(
      x,
      sql`CASE WHEN ${y} <> 0 THEN ${y} WHEN ${y} = 0 AND ${x} IS NOT NULL THEN CAST(${noDivision} AS BIGINT) END`,
    ),
  )
}

/** The quotient of whole numbers, truncated. */
export const quotient = engineFunction((texts, node, meaning) => {
  const [a, b] = numberTexts(texts, node, meaning)
  return divided(a, b, node.operands[1]!, (x, by) => cutQuotient(x, by, meaning.wraps))
})

export function cutQuotient(x: Sql, by: Sql, wraps: boolean): Sql {
  if (!wraps) return sql`(${x} // ${by})`
  return bind2(x, by, (a, b) => sql`CASE WHEN ${b} = -1 THEN ${negatedLong(a)} ELSE ${a} // ${b} END`)
}

export const safeQuotient = engineFunction((texts, node, meaning) => {
  const [a, b] = numberTexts(texts, node, meaning)
  if (node.type.kind === 'long') return cutQuotient(a, sql`nullif(${b}, 0::BIGINT)`, meaning.wraps)
  // For doubles, zero divided by zero is 0.
  return onceEach(
    [a, b],
    (x, y) =>
      sql`CASE WHEN ${y} <> 0::DOUBLE THEN ${x} / ${y} WHEN ${x} = 0::DOUBLE AND ${y} = 0::DOUBLE THEN 0::DOUBLE END`,
  )
})

const div = special(2, 2, ({ place, operands: [a, b] }) =>
  called(place, long, quotient, [as(numeric(a!), long), as(numeric(b!), long)]),
)

const among = (name: Sql): EngineFunction =>
  engineFunction((operands, { type }) => (type.kind === 'null' ? sql`NULL` : sql`${name}(${sql.list(operands)})`))

export const greatest = among(sql`greatest`)
export const least = among(sql`least`)

function extreme(fn: EngineFunction): ScalarFunction {
  return special(0, 100, ({ place, operands }) => {
    let type: SqlType | null = { kind: 'null' }
    for (const operand of operands) type = type === null ? null : commonType(type, operand.type)
    if (type === null) throw sqlProblem(place, 'these values have no common type')
    // Times are compared and returned as milliseconds.
    const shown = type.kind === 'timestamp' || type.kind === 'date' ? long : type
    return called(
      place,
      shown,
      fn,
      operands.map((operand) => as(operand, shown)),
    )
  })
}

/** Only whole numbers are formatted; others are truncated first. */
function humanReadable(form: ReadableForm): ScalarFunction {
  const fn = engineFunction<{ readonly digits: number }>(([x], { options: { digits } }) =>
    readableNumber(x!, form, digits),
  )
  return special(1, 2, (call) => {
    const x = as(numeric(call.operands[0]!), long)
    const digits = Number(constantInteger(call, 1, 2n))
    if (digits < 0 || digits > 3) throw sqlProblem(call.place, `${call.name} accepts 0 to 3 decimals`)
    return called(call.place, string, fn, [x], { digits })
  })
}

export const squareRoot = engineFunction((operands) =>
  withoutRepeats(operands, (x) => sql`CASE WHEN ${x} < 0 THEN 'NaN'::DOUBLE ELSE sqrt(${x}) END`),
)

const bitwise = (render: (a: Sql, b: Sql) => Sql): PlainFunction => scalar([long, long], long, render)
/** Java uses the low six bits of the shift count. */
const shiftLeft = (a: Sql, b: Sql): Sql => wrapped(sql`(${a}::HUGEINT * power(2::HUGEINT, (${b} & 63))::HUGEINT)`)

/** The smallest long has no positive counterpart: it wraps around to itself. */
const butLeast = (long: Sql, change: (x: Sql) => Sql): Sql =>
  bind(long, (x) => sql`CASE WHEN ${x} = ${leastLong} THEN ${x} ELSE ${change(x)} END`)

const negatedLong = (long: Sql): Sql => butLeast(long, (x) => sql`-(${x})`)

const span = sql`18446744073709551616::HUGEINT`
const leastLong = sql.long(-(2n ** 63n))
const greatestLong = sql.long(2n ** 63n - 1n)

/** Wraps a sum or product beyond the range of a long around, as in Java. Values within the range skip the slow division of 128 bits. */
export function wrapped(huge: Sql): Sql {
  return bind(huge, (x) => {
    const rest = sql`((${x} % ${span}) + ${span}) % ${span}`
    return sql`CAST(CASE WHEN ${x} BETWEEN ${leastLong} AND ${greatestLong} THEN ${x}
      WHEN ${rest} > ${greatestLong} THEN ${rest} - ${span} ELSE ${rest} END AS BIGINT)`
  })
}

export const numbers = {
  ABS: sameNumber(absolute),
  ROUND: ofPlaces(round),
  TRUNC: truncate,
  TRUNCATE: truncate,
  MOD: ofNumbers(remainder),
  SQRT: { count: [1, 1], bind: ({ place, operands: [x] }) => called(place, double, squareRoot, [as(x!, double)]) },
  EXP: ofDouble((x) => sql`exp(${x})`),
  LN: logarithm(sql`ln`),
  LOG10: logarithm(sql`log10`),
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
  SAFE_DIVIDE: ofNumbers(safeQuotient),
  GREATEST: extreme(greatest),
  LEAST: extreme(least),
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
  HUMAN_READABLE_BINARY_BYTE_FORMAT: humanReadable({ base: 1024, plain: ' B', unit: 'iB' }),
  HUMAN_READABLE_DECIMAL_BYTE_FORMAT: humanReadable({ base: 1000, plain: ' B', unit: 'B' }),
  HUMAN_READABLE_DECIMAL_FORMAT: humanReadable({ base: 1000, plain: '', unit: '' }),
} satisfies Catalogue
