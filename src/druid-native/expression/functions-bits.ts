// Functions on the bits of doubles, as in Java's Math.

import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { doubleValue, longValue, nullValue, type Typed, toDouble, toLong } from '../values/typed.ts'
import type { ExpressionFunction, FunctionTable } from './call.ts'

const bitsOf = (double: Sql): Sql => sql`CAST(CAST(${double} AS BIT) AS BIGINT)`
const fromBits = (bits: Sql): Sql => sql`CAST(CAST(${bits} AS BIT) AS DOUBLE)`

/** Texts are not converted to numbers here: the result is null. */
const numeric = (value: Typed): boolean => value.type === 'LONG' || value.type === 'DOUBLE' || value.type === 'FLOAT'

/** The next double up or down; next to 0 are the smallest positive and negative doubles. */
function step(x: Sql, up: boolean): Sql {
  const [further, nearer] = [sql`${bitsOf(x)} + 1`, sql`${bitsOf(x)} - 1`]
  const edge = sql.double(up ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)
  const least = sql.double(up ? Number.MIN_VALUE : -Number.MIN_VALUE)
  const isOutward = up ? sql`${x} > 0` : sql`${x} < 0`
  return sql`CASE WHEN isnan(${x}) OR ${x} = ${edge} THEN ${x} WHEN ${x} = 0 THEN ${least} WHEN ${isOutward} THEN ${fromBits(further)} ELSE ${fromBits(nearer)} END`
}

/** The distance to the next double away from 0. */
function ulp(x: Sql): Sql {
  const size = sql`abs(${x})`
  return sql`CASE WHEN isnan(${x}) THEN ${x} WHEN isinf(${x}) THEN ${size} WHEN ${size} = ${sql.double(Number.MAX_VALUE)} THEN ${sql.double(2 ** 971)}
    ELSE ${bind(size, (y) => sql`${step(y, true)} - ${y}`)} END`
}

const ofNumber = (compile: (x: Sql) => Typed): ExpressionFunction => ({
  args: [1, 1],
  compile: ([value]) => (numeric(value!) ? compile(toDouble(value!)) : nullValue),
})

/** Multiplies in two steps, so that neither power of two overflows. */
function scale(x: Sql, exponent: Sql): Sql {
  const by = sql`greatest(least(${exponent}, 2200), -2200)`
  return bind(by, (n) => sql`${x} * pow(2, ${n} // 2) * pow(2, ${n} - ${n} // 2)`)
}

export const bitFunctions = {
  getexponent: ofNumber((x) => longValue(sql`(((${bitsOf(x)} >> 52) & 2047) - 1023)`)),
  nextup: ofNumber((x) => doubleValue(bind(x, (y) => step(y, true)))),
  nextafter: {
    args: [2, 2],
    compile: ([from, to]) => {
      if (from!.type === null || to!.type === null) return nullValue
      return doubleValue(
        bind2(
          toDouble(from!),
          toDouble(to!),
          (x, y) =>
            sql`CASE WHEN ${x} IS NULL THEN NULL WHEN isnan(${y}) OR ${x} = ${y} THEN ${y} WHEN ${y} > ${x} THEN ${step(x, true)} WHEN ${y} < ${x} THEN ${step(x, false)} END`,
        ),
      )
    },
  },
  scalb: {
    args: [2, 2],
    compile: ([value, exponent]) => {
      if (value!.type === null || exponent!.type === null) return nullValue
      return doubleValue(bind2(toDouble(value!), toLong(exponent!), scale))
    },
  },
  ulp: ofNumber((x) => doubleValue(bind(x, ulp))),
  bitwiseconvertdoubletolongbits: ofNumber((x) => longValue(bitsOf(x))),
  bitwiseconvertlongbitstodouble: {
    args: [1, 1],
    compile: ([value]) => (numeric(value!) ? doubleValue(fromBits(toLong(value!))) : nullValue),
  },
} as const satisfies FunctionTable
