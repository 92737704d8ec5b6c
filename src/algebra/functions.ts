// The functions of expressions, and their values for given operands. An engine may compute many values at once in its own way; that it agrees is tested
// by `test/druid-sql/planned.test.ts` and `src/store/embedded/aggregate/run-aggregation.model.test.ts`.
import { compareCodePoints } from '../lib/compare-code-points.ts'
import { type ComparisonOperator, satisfies } from '../lib/comparison-operator.ts'
import { likeTest } from '../lib/like-matcher.ts'
import { roundedTo } from '../lib/rounded-to.ts'
import { compareNumbers } from '../lib/value-order.ts'
import { type QualityCoding, qualityOf, qualityRanges } from '../model/quality.ts'

/** A timestamp is milliseconds since 1970. */
export type ScalarType = 'string' | 'long' | 'double' | 'timestamp' | 'boolean'

/** A long is a `bigint`. An unknown boolean is null. */
export type ScalarValue = string | number | bigint | boolean | null

/** Thrown where the SQL engine must compute a value: a result is beyond the largest double, or something is divided by zero. */
export class BeyondPlan extends Error {}

/** `type` is the type of the result. */
type Evaluate = (operands: readonly ScalarValue[], type: ScalarType) => ScalarValue

export interface ScalarFunction {
  readonly evaluate: Evaluate
  /** Druid's native expression for it, made of those of its operands. */
  readonly druid: (...operands: readonly string[]) => string
}

type Numeric = number | bigint

const infix =
  (operator: string): ScalarFunction['druid'] =>
  (left, right) =>
    `(${left} ${operator} ${right})`

const named =
  (name: string): ScalarFunction['druid'] =>
  (...operands) =>
    `${name}(${operands.join(',')})`

/** Null if an operand is null. */
const strict =
  (evaluate: (operands: readonly Exclude<ScalarValue, null>[], type: ScalarType) => ScalarValue): Evaluate =>
  (operands, type) =>
    operands.includes(null) ? null : evaluate(operands as readonly Exclude<ScalarValue, null>[], type)

/** Longs wrap around at 64 bits. Results beyond the largest double are left to the SQL engine. */
function arithmetic(
  operator: string,
  ofLongs: (left: bigint, right: bigint) => bigint,
  ofDoubles: (left: number, right: number) => number,
): ScalarFunction {
  const divides = operator === '/' || operator === '%'
  return {
    evaluate: ([left, right], type) => {
      // This applies where the dividend is null, too.
      if (divides && type === 'long' && right === 0n) throw new BeyondPlan()
      if (left === null || right === null) return null
      if (typeof left === 'bigint' && typeof right === 'bigint' && type === 'long')
        return BigInt.asIntN(64, ofLongs(left, right))
      return finite(ofDoubles(Number(left), Number(right)))
    },
    druid: infix(operator),
  }
}

/** For doubles: plans do not round longs. */
const rounding = (name: string, ofDouble: (value: number) => number): ScalarFunction => ({
  evaluate: strict(([operand]) => ofDouble(Number(operand))),
  druid: named(name),
})

/** Numbers are compared with numbers, and strings with strings by code point. */
const comparison = (operator: ComparisonOperator, druid: string): ScalarFunction => ({
  evaluate: strict(([left, right]) => satisfies(operator, compared(left!, right!))),
  druid: infix(druid),
})

const logical = (operator: string, decides: boolean): ScalarFunction => ({
  evaluate: (operands) => (operands.includes(decides) ? decides : operands.includes(null) ? null : !decides),
  druid: (...operands) => `(${operands.join(operator)})`,
})

export const functions = {
  '+': arithmetic(
    '+',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  '-': arithmetic(
    '-',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  '*': arithmetic(
    '*',
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  /** Quotients of longs are truncated. */
  '/': arithmetic(
    '/',
    (a, b) => a / b,
    (a, b) => a / b,
  ),
  /** For longs only. The result has the sign of the left operand. */
  '%': arithmetic(
    '%',
    (a, b) => a % b,
    () => {
      throw new Error('remainders are of longs')
    },
  ),
  negate: {
    evaluate: strict(([operand]) => (typeof operand === 'bigint' ? BigInt.asIntN(64, -operand) : -Number(operand))),
    druid: (operand) => `-(${operand})`,
  },
  floor: rounding('floor', Math.floor),
  ceil: rounding('ceil', Math.ceil),
  abs: {
    evaluate: strict(([operand]) => {
      if (typeof operand !== 'bigint') return Math.abs(Number(operand))
      return BigInt.asIntN(64, operand < 0n ? -operand : operand)
    }),
    druid: named('abs'),
  },
  sqrt: { evaluate: strict(([operand]) => finite(Math.sqrt(Number(operand)))), druid: named('sqrt') },
  /** Rounds a double to a number of decimal places; halves are rounded away from zero. */
  round: {
    evaluate: strict(([operand, places]) => roundedTo(Number(operand), Number(places))),
    druid: named('round'),
  },
  /** A double is truncated; beyond all longs it becomes the nearest one. True is 1, false 0. */
  toLong: {
    evaluate: strict(([operand]) => (typeof operand === 'boolean' ? BigInt(operand) : cut(Number(operand)))),
    druid: (operand) => `cast(${operand},'LONG')`,
  },
  toDouble: { evaluate: strict(([operand]) => Number(operand)), druid: (operand) => `cast(${operand},'DOUBLE')` },
  /** Division by 0 is null, except 0 / 0 of doubles, which is 0. */
  safeDivide: {
    evaluate: strict(([left, right]) => {
      if (typeof left === 'bigint' && typeof right === 'bigint')
        return right === 0n ? null : BigInt.asIntN(64, left / right)
      if (Number(right) !== 0) return finite(Number(left) / Number(right))
      return Number(left) === 0 ? 0 : null
    }),
    druid: named('safe_divide'),
  },
  /** Divides doubles. Division by 0 is 0, as in the arithmetic of Druid's post-aggregators. */
  divideOrZero: {
    evaluate: strict(([left, right]) => (Number(right) === 0 ? 0 : finite(Number(left) / Number(right)))),
    druid: infix('/'),
  },
  /** The first characters of a string. The second operand is their number. */
  left: {
    evaluate: strict(([text, characters]) =>
      String(text).length <= Number(characters)
        ? text!
        : Array.from(String(text)).slice(0, Number(characters)).join(''),
    ),
    druid: named('left'),
  },
  /** The first operand that is not null. `evaluator` does not evaluate those after it. */
  coalesce: {
    evaluate: (operands) => operands.find((operand) => operand !== null) ?? null,
    druid: (...operands) => operands.reduceRight((rest, operand) => `nvl(${operand},${rest})`),
  },
  '=': comparison('=', '=='),
  '<>': comparison('<>', '!='),
  '<': comparison('<', '<'),
  '<=': comparison('<=', '<='),
  '>': comparison('>', '>'),
  '>=': comparison('>=', '>='),
  and: logical(' && ', false),
  or: logical(' || ', true),
  not: { evaluate: strict(([operand]) => operand === false), druid: (operand) => `!${operand}` },
  isNull: { evaluate: ([operand]) => operand === null, druid: named('isnull') },
  /** Never unknown. */
  isTrue: { evaluate: ([operand]) => operand === true, druid: named('istrue') },
  /** Whether the first is one of the others, which are constants. */
  in: {
    evaluate: strict(([value, ...among]) => among.some((one) => compared(value!, one) === 0)),
    druid: (value, ...among) => `(${among.map((one) => `${value} == ${one}`).join(' || ')})`,
  },
  /** `%` matches any characters, `_` a single one; the escape character makes them literal. The pattern and the escape are constants. */
  like: {
    evaluate: strict(([text, pattern, escapedBy]) =>
      likeTest(String(pattern), escapedBy === undefined ? null : String(escapedBy))(String(text)),
    ),
    druid: named('like'),
  },
  /** Whether a string of a field with the role `quality` is, in a given coding, one of the words that follow. */
  isOfQuality: {
    evaluate: strict(([text, coding, ...words]) => words.includes(qualityOf(String(text), coding as QualityCoding))),
    druid: (text, coding, ...words) => druidQuality(text!, unquoted(coding!) as QualityCoding, words.map(unquoted)),
  },
} satisfies Record<string, ScalarFunction>

const unquoted = (literal: string): string => literal.slice(1, -1)

/** Patterns of quality codes in hexadecimal, whose digits stand for fixed bits. */
const hexadecimal = {
  opcda: { good: '000000[c-f][0-9a-f]', uncertain: '000000[4-7][0-9a-f]' },
  opcua: { good: '[0-3][0-9a-f]{7}', uncertain: '[4-7][0-9a-f]{7}' },
} as const

/** Java's patterns end with `\z`, since `$` also matches before a final line feed. */
function druidQuality(text: string, coding: QualityCoding, words: readonly string[]): string {
  const isOf = (word: 'good' | 'uncertain'): string => {
    const { from, to } = qualityRanges[coding][word]
    const number = `parse_long(${text})`
    const isDigits = `(regexp_like(${text},'^[0-9]+\\\\z') && ${number} >= ${from} && ${number} <= ${to})`
    return `(regexp_like(${text},'^(?i)(?:${word}|0x${hexadecimal[coding][word]})\\\\z') || istrue(${isDigits}))`
  }
  const asked = (['good', 'uncertain'] as const).filter((word) => words.includes(word) !== words.includes('bad'))
  const isAny = `(${asked.map(isOf).join(' || ') || '(1 == 0)'})`
  return words.includes('bad') ? `!${isAny}` : isAny
}

export type FunctionName = keyof typeof functions

function compared(left: Exclude<ScalarValue, null>, right: Exclude<ScalarValue, null>): number {
  if (typeof left === 'string' && typeof right === 'string') return compareCodePoints(left, right)
  if (typeof left === 'string' || typeof right === 'string') throw new Error('only texts are compared with texts')
  return compareNumbers(left as Numeric, right as Numeric)
}

const [leastLong, greatestLong] = [-(2n ** 63n), 2n ** 63n - 1n]

function cut(value: number): bigint {
  const whole = BigInt(Math.trunc(value))
  return whole > greatestLong ? greatestLong : whole < leastLong ? leastLong : whole
}

export function finite<Value extends ScalarValue>(value: Value): Value {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new BeyondPlan()
  return value
}
