import { called, type EngineFunction } from '../../druid-sql/bind/tree.ts'
import { double, long } from '../../druid-sql/bind/types.ts'
import { absolute, ceil, floor, numbers, safeQuotient, squareRoot, wrapped } from '../../druid-sql/functions/numbers.ts'
import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { asType, doubleValue, longValue, nowhere, nullValue, type Typed, toDouble } from '../values/typed.ts'
import {
  type Call,
  type ExpressionFunction,
  type FunctionTable,
  isNull,
  nullNode,
  ofBoth,
  plain,
  type UnarySql,
} from './call.ts'
import { doubleQuotient, longQuotient } from './operators.ts'

const nan = sql.double(Number.NaN)

/** A function of one double. */
const ofDouble = (body: UnarySql): ExpressionFunction => ({
  args: [1, 1],
  compile: ([value]) => doubleValue(bind(toDouble(value!), body)),
})

/** A function of one double that the store also supports. */
const ofKnown = (fn: EngineFunction<null>): ExpressionFunction => ({
  args: [1, 1],
  bind: ([value]) => called(nowhere, double, fn, [asType(value!, double)]),
})

const ofTwoDoubles = (body: (a: Sql, b: Sql) => Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: ([a, b]) => doubleValue(bind2(toDouble(a!), toDouble(b!), body)),
})

/** Uses the long function if all arguments are longs, otherwise the double function. */
const byType = (longs: EngineFunction<null>, doubles: EngineFunction<null>, count = 2): ExpressionFunction => ({
  args: [count, count],
  bind: (args) => {
    if (args.some(isNull)) return nullNode
    const type = args.every((arg) => arg.type.kind === 'long') ? long : double
    return called(
      nowhere,
      type,
      type === long ? longs : doubles,
      args.map((arg) => asType(arg, type)),
    )
  },
})

/** Minimum or maximum. Unlike the engine's own functions, null if either argument is null. */
function extreme(operator: Sql): ExpressionFunction {
  const fn = ofBoth(
    (x, y) => sql`CASE WHEN ${x} IS NULL OR ${y} IS NULL THEN NULL WHEN ${x} ${operator} ${y} THEN ${x} ELSE ${y} END`,
  )
  return byType(fn, fn)
}

/** Division of doubles: 0/0 and 0/NaN are 0; any other division by 0 or NaN is null. */
export const safeDoubles = ofBoth(
  (x, y) =>
    sql`CASE WHEN ${y} <> 0 AND NOT isnan(${y}) THEN ${x} / ${y} WHEN ${x} = 0 AND ${y} IS NOT NULL THEN ${sql.double(0)} END`,
)

/** Handles sides whose squares overflow or underflow. If one side is infinite so is the result, even if the other is NaN. */
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

/** Exact remainder relative to the nearest multiple of the divisor, ties to the even multiple (IEEE 754). */
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
    return longValue(bind(value.sql, (x) => wrapped(sql`((CAST(${x} AS HUGEINT) + ${half(x)}) // ${unit} * ${unit})`)))
  }
  // Rounds half up on the decimal digits of the number's text, as BigDecimal does, not on its binary value.
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

export const mathFunctions = {
  abs: byType(absolute, absolute, 1),
  acos: plain(numbers.ACOS),
  asin: plain(numbers.ASIN),
  atan: plain(numbers.ATAN),
  atan2: plain(numbers.ATAN2),
  cbrt: ofDouble((x) => sql`cbrt(${x})`),
  ceil: ofKnown(ceil),
  copysign: ofTwoDoubles(
    (a, b) =>
      sql`CASE WHEN starts_with(CAST(${b} AS VARCHAR), '-') THEN -abs(${a}) WHEN ${b} IS NOT NULL THEN abs(${a}) END`,
  ),
  cos: plain(numbers.COS),
  cosh: ofDouble((x) => sql`cosh(${x})`),
  cot: plain(numbers.COT),
  div: {
    args: [2, 2],
    // Always a whole number: doubles are divided as doubles and truncated.
    bind: (args) => {
      if (args.some(isNull)) return nullNode
      if (args.every(({ type }) => type.kind === 'long')) return called(nowhere, long, longQuotient, args)
      const doubles = args.map((arg) => asType(arg, double))
      return asType(called(nowhere, double, doubleQuotient, doubles), long)
    },
  },
  exp: plain(numbers.EXP),
  expm1: ofDouble((x) => sql`(CASE WHEN abs(${x}) < 1e-5 THEN ${x} + ${x} * ${x} / 2 ELSE exp(${x}) - 1 END)`),
  floor: ofKnown(floor),
  hypot: ofTwoDoubles((a, b) => bind2(sql`abs(${a})`, sql`abs(${b})`, hypotenuse)),
  log: plain(numbers.LN),
  log10: plain(numbers.LOG10),
  log1p: ofDouble(
    (x) =>
      sql`CASE WHEN abs(${x}) < 1e-5 THEN ${x} - ${x} * ${x} / 2 WHEN ${x} > -1 THEN ln(1 + ${x}) WHEN ${x} = -1 THEN ${sql.double(Number.NEGATIVE_INFINITY)} WHEN ${x} IS NOT NULL THEN ${nan} END`,
  ),
  max: extreme(sql`>=`),
  min: extreme(sql`<=`),
  pi: plain(numbers.PI),
  pow: plain(numbers.POW),
  remainder: ofTwoDoubles((a, b) => bind2(a, b, nearestRemainder)),
  rint: ofDouble((x) => sql`round_even(${x}, 0)`),
  round: { args: [1, 2], compile: round },
  safe_divide: byType(safeQuotient, safeDoubles),
  signum: ofDouble((x) => sql`CASE WHEN isnan(${x}) THEN ${x} ELSE CAST(sign(${x}) AS DOUBLE) END`),
  sin: plain(numbers.SIN),
  sinh: ofDouble((x) => sql`sinh(${x})`),
  sqrt: ofKnown(squareRoot),
  tan: plain(numbers.TAN),
  tanh: ofDouble((x) => sql`tanh(${x})`),
  todegrees: plain(numbers.DEGREES),
  toradians: plain(numbers.RADIANS),
  bitwiseand: plain(numbers.BITWISE_AND),
  bitwiseor: plain(numbers.BITWISE_OR),
  bitwisexor: plain(numbers.BITWISE_XOR),
  bitwisecomplement: plain(numbers.BITWISE_COMPLEMENT),
  bitwiseshiftleft: plain(numbers.BITWISE_SHIFT_LEFT),
  bitwiseshiftright: plain(numbers.BITWISE_SHIFT_RIGHT),
} as const satisfies FunctionTable
