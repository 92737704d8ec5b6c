import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import {
  divideDoubles,
  doubleToLong,
  doubleValue,
  longValue,
  nullValue,
  powerOf,
  type Typed,
  toDouble,
  toLong,
  wrapLong,
} from '../values/typed.ts'
import type { Call, ExpressionFunction, FunctionTable, UnarySql } from './call.ts'
import { divideLongs } from './operators.ts'

const nan = sql.double(Number.NaN)

/** A function of one double. */
const ofDouble = (body: UnarySql): ExpressionFunction => ({
  args: [1, 1],
  compile: ([value]) => doubleValue(bind(toDouble(value!), body)),
})

/** Java gives NaN outside the range, where the engine fails. */
const within = (valid: UnarySql, body: UnarySql): ExpressionFunction =>
  ofDouble((x) => sql`CASE WHEN isnan(${x}) OR ${valid(x)} THEN ${body(x)} WHEN ${x} IS NOT NULL THEN ${nan} END`)

const finite = (name: Sql): ExpressionFunction =>
  within(
    (x) => sql`isfinite(${x})`,
    (x) => sql`${name}(${x})`,
  )

const ofTwoDoubles = (body: (a: Sql, b: Sql) => Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: ([a, b]) => doubleValue(bind2(toDouble(a!), toDouble(b!), body)),
})

const ofTwoLongs = (body: (a: Sql, b: Sql) => Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: ([a, b]) => longValue(body(toLong(a!), toLong(b!))),
})

/** Longs stay longs; anything else is taken as doubles. */
const byType = (longs: (a: Sql, b: Sql) => Sql, doubles: (a: Sql, b: Sql) => Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: ([a, b]) => {
    if (a!.type === null || b!.type === null) return nullValue
    if (a!.type === 'LONG' && b!.type === 'LONG') return longValue(longs(a!.sql, b!.sql))
    return doubleValue(doubles(toDouble(a!), toDouble(b!)))
  },
})

/** Unlike the engine's, null where either is. */
const extreme = (operator: Sql): ((a: Sql, b: Sql) => Sql) => {
  return (a, b) =>
    bind2(
      a,
      b,
      (x, y) =>
        sql`CASE WHEN ${x} IS NULL OR ${y} IS NULL THEN NULL WHEN ${x} ${operator} ${y} THEN ${x} ELSE ${y} END`,
    )
}

const logarithm = (name: Sql): ExpressionFunction =>
  ofDouble(
    (x) =>
      sql`CASE WHEN isnan(${x}) OR ${x} > 0 THEN ${name}(${x}) WHEN ${x} = 0 THEN ${sql.double(Number.NEGATIVE_INFINITY)} WHEN ${x} < 0 THEN ${nan} END`,
  )

/** Of sides whose squares may be beyond all doubles, or next to nothing. One without an end makes it so, whatever number the other is. */
function hypotenuse(a: Sql, b: Sql): Sql {
  return bind(
    sql`greatest(${a}, ${b})`,
    (
      most,
    ) => sql`CASE WHEN ${a} IS NULL OR ${b} IS NULL THEN NULL WHEN isinf(${a}) OR isinf(${b}) THEN ${sql.double(Number.POSITIVE_INFINITY)} WHEN isnan(${a}) OR isnan(${b}) THEN ${nan}
      WHEN ${most} BETWEEN 1e-140 AND 1e140 THEN sqrt(${a} * ${a} + ${b} * ${b})
      WHEN ${most} > 0 THEN ${most} * sqrt((${a} / ${most}) * (${a} / ${most}) + (${b} / ${most}) * (${b} / ${most})) ELSE ${most} END`,
  )
}

/** What is left of a number by the multiple of the other that is next to it, of two such the even one: to its last digit. */
function nearestRemainder(a: Sql, b: Sql): Sql {
  const nearest = (rest: Sql, by: Sql): Sql =>
    sql`CASE WHEN ${rest} > ${by} - ${rest} OR (${rest} = ${by} - ${rest} AND ((abs(${a}) - ${rest}) / ${by}) % 2 = 1) THEN ${rest} - ${by} ELSE ${rest} END`
  return sql`CASE WHEN ${b} = 0 OR isnan(${a}) OR isnan(${b}) OR isinf(${a}) THEN ${a} * ${b} * ${nan} WHEN isinf(${b}) THEN ${a}
    ELSE CASE WHEN ${a} < 0 THEN -1 ELSE 1 END * ${bind2(sql`abs(${a}) % abs(${b})`, sql`abs(${b})`, nearest)} END`
}

function round(args: readonly Typed[], call: Call): Typed {
  const [value] = args as [Typed]
  const digits = args.length === 1 ? 0 : Number(call.literal(1) ?? Number.NaN)
  if (!Number.isSafeInteger(digits)) return call.refuse('the digits must be a constant whole number')
  if (value.type === null) return nullValue
  if (value.type === 'STRING') return call.refuse('the first argument must be a number')
  if (value.type === 'LONG') {
    if (digits >= 0) return value
    const unit = sql`CAST(${`1${'0'.repeat(Math.min(-digits, 30))}`} AS HUGEINT)`
    const half = (x: Sql): Sql => sql`(CASE WHEN ${x} < 0 THEN -${unit} ELSE ${unit} END // 2)`
    return longValue(bind(value.sql, (x) => wrapLong(sql`((CAST(${x} AS HUGEINT) + ${half(x)}) // ${unit} * ${unit})`)))
  }
  // Half up on the decimal digits of the number's text, as BigDecimal rounds, not on its binary value.
  const scale = sql.long(digits)
  const rounded = (x: Sql): Sql =>
    sql`coalesce(TRY(CAST(round(CAST(CAST(${x} AS VARCHAR) AS DECIMAL(38, 18)), CAST(${scale} AS INTEGER)) AS DOUBLE)), round(${x}, CAST(${scale} AS INTEGER)))`
  return doubleValue(
    bind(
      toDouble(value),
      (x) =>
        sql`CASE WHEN isnan(${x}) THEN 0e0 WHEN isinf(${x}) THEN sign(${x}) * ${sql.double(Number.MAX_VALUE)} ELSE ${rounded(x)} END`,
    ),
  )
}

const shiftBits = (left: boolean): ExpressionFunction =>
  ofTwoLongs((a, b) =>
    bind2(a, sql`(${b} & 63)`, (x, n) =>
      left
        ? wrapLong(sql`(CAST(${x} AS HUGEINT) * CAST(pow(2, ${n}) AS HUGEINT))`)
        : sql`CASE WHEN ${x} >= 0 THEN ${x} >> ${n} ELSE -1 - ((-1 - ${x}) >> ${n}) END`,
    ),
  )

export const mathFunctions = {
  abs: {
    args: [1, 1],
    compile: ([value]) => {
      if (value!.type === null) return nullValue
      if (value!.type === 'LONG') return longValue(wrapLong(sql`abs(CAST(${value!.sql} AS HUGEINT))`))
      return doubleValue(sql`abs(${toDouble(value!)})`)
    },
  },
  acos: within(
    (x) => sql`abs(${x}) <= 1`,
    (x) => sql`acos(${x})`,
  ),
  asin: within(
    (x) => sql`abs(${x}) <= 1`,
    (x) => sql`asin(${x})`,
  ),
  atan: ofDouble((x) => sql`atan(${x})`),
  atan2: ofTwoDoubles((y, x) => sql`atan2(${y}, ${x})`),
  cbrt: ofDouble((x) => sql`cbrt(${x})`),
  ceil: ofDouble((x) => sql`ceil(${x})`),
  copysign: ofTwoDoubles(
    (a, b) =>
      sql`CASE WHEN starts_with(CAST(${b} AS VARCHAR), '-') THEN -abs(${a}) WHEN ${b} IS NOT NULL THEN abs(${a}) END`,
  ),
  cos: finite(sql`cos`),
  cosh: ofDouble((x) => sql`cosh(${x})`),
  cot: finite(sql`1 / tan`),
  div: {
    args: [2, 2],
    // Whole in any case: doubles are divided as doubles, and cut.
    compile: ([a, b]) => {
      if (a!.type === null || b!.type === null) return nullValue
      if (a!.type === 'LONG' && b!.type === 'LONG') return longValue(divideLongs(a!.sql, b!.sql))
      return longValue(doubleToLong(divideDoubles(toDouble(a!), toDouble(b!))))
    },
  },
  exp: ofDouble((x) => sql`exp(${x})`),
  expm1: ofDouble((x) => sql`(CASE WHEN abs(${x}) < 1e-5 THEN ${x} + ${x} * ${x} / 2 ELSE exp(${x}) - 1 END)`),
  floor: ofDouble((x) => sql`floor(${x})`),
  hypot: ofTwoDoubles((a, b) => bind2(sql`abs(${a})`, sql`abs(${b})`, hypotenuse)),
  log: logarithm(sql`ln`),
  log10: logarithm(sql`log10`),
  log1p: ofDouble(
    (x) =>
      sql`CASE WHEN abs(${x}) < 1e-5 THEN ${x} - ${x} * ${x} / 2 WHEN ${x} > -1 THEN ln(1 + ${x}) WHEN ${x} = -1 THEN ${sql.double(Number.NEGATIVE_INFINITY)} WHEN ${x} IS NOT NULL THEN ${nan} END`,
  ),
  max: byType(extreme(sql`>=`), extreme(sql`>=`)),
  min: byType(extreme(sql`<=`), extreme(sql`<=`)),
  pi: { args: [0, 0], compile: () => doubleValue(sql.double(Math.PI)) },
  pow: ofTwoDoubles(powerOf),
  remainder: ofTwoDoubles((a, b) => bind2(a, b, nearestRemainder)),
  rint: ofDouble((x) => sql`round_even(${x}, 0)`),
  round: { args: [1, 2], compile: round },
  safe_divide: byType(
    (a, b) => divideLongs(a, sql`nullif(${b}, 0)`),
    // Of doubles, nothing of nothing is 0, as is nothing of what is no number.
    (a, b) =>
      bind2(
        a,
        b,
        (x, y) =>
          sql`CASE WHEN ${y} <> 0 AND NOT isnan(${y}) THEN ${x} / ${y} WHEN ${x} = 0 AND ${y} IS NOT NULL THEN ${sql.double(0)} END`,
      ),
  ),
  signum: ofDouble((x) => sql`CASE WHEN isnan(${x}) THEN ${x} ELSE CAST(sign(${x}) AS DOUBLE) END`),
  sin: finite(sql`sin`),
  sinh: ofDouble((x) => sql`sinh(${x})`),
  sqrt: within(
    (x) => sql`${x} >= 0`,
    (x) => sql`sqrt(${x})`,
  ),
  tan: finite(sql`tan`),
  tanh: ofDouble((x) => sql`tanh(${x})`),
  todegrees: ofDouble((x) => sql`degrees(${x})`),
  toradians: ofDouble((x) => sql`radians(${x})`),
  bitwiseand: ofTwoLongs((a, b) => sql`(${a} & ${b})`),
  bitwiseor: ofTwoLongs((a, b) => sql`(${a} | ${b})`),
  bitwisexor: ofTwoLongs((a, b) => sql`xor(${a}, ${b})`),
  bitwisecomplement: { args: [1, 1], compile: ([value]) => longValue(sql`(~${toLong(value!)})`) },
  bitwiseshiftleft: shiftBits(true),
  bitwiseshiftright: shiftBits(false),
} as const satisfies FunctionTable
