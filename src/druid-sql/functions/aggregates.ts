// Aggregates: what a group of rows, or a window, comes to.

import { type Sql, sql } from '../../lib/sql-text.ts'
import { meanInRange, scaled, squaredMax, sumInRange } from '../../lib/sums-in-range.ts'
import type { Bound } from '../bind/bound.ts'
import { as } from '../bind/conversions.ts'
import { doubleLiteral } from '../bind/engine-names.ts'
import { arrayOf, double, long, quantiles, sketch, string, timestamp, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import {
  type Aggregate,
  type AggregateCall,
  type AggregateResult,
  aggregate,
  distinctOf,
  same,
} from './aggregate-signature.ts'
import { numeric, wrapped } from './numbers.ts'
import { constantInteger, neededText } from './signature.ts'
import { withoutRepeats } from './text-room.ts'

const count = aggregate(
  0,
  1,
  (call) => {
    const operand = call.operands[0]
    if (operand === undefined) {
      if (!call.star) throw sqlProblem(call.place, 'COUNT takes * or one operand')
      return { call: sql`count(*)`, type: long, finish: same }
    }
    return { call: sql`count(${distinctOf(call)}${operand.sql})`, type: long, finish: same }
  },
  true,
)

/** Also of doubles whose sum goes beyond all doubles on its way. */
function ofDoubles(name: Sql, call: AggregateCall, x: Sql, inRange: typeof sumInRange): AggregateResult {
  const of = (value: Sql): Sql => sql`${name}(${distinctOf(call)}${value})`
  return {
    call: of(x),
    also: of(scaled(x)),
    type: double,
    finish: (value, ofScaled) => inRange(value, ofScaled),
  }
}

/** Whole numbers go round beyond the range of a long, as Java's do. */
const sum = aggregate(
  1,
  1,
  (call) => {
    const x = numeric(call.operands[0]!)
    if (x.type.kind === 'long') return { call: sql`sum(${distinctOf(call)}${x.sql})`, type: long, finish: wrapped }
    return ofDoubles(sql`sum`, call, x.sql, sumInRange)
  },
  true,
)

const average = aggregate(
  1,
  1,
  (call) => {
    const x = numeric(call.operands[0]!)
    if (x.type.kind === 'long') return { call: sql`avg(${distinctOf(call)}${x.sql})`, type: double, finish: same }
    return ofDoubles(sql`avg`, call, x.sql, meanInRange)
  },
  true,
)

function extreme(name: Sql): Aggregate {
  return aggregate(
    1,
    1,
    (call) => {
      const x = call.operands[0]!
      if (['array', 'sketch', 'quantiles', 'json', 'string'].includes(x.type.kind))
        throw sqlProblem(x.place, `${call.name} takes no value of type ${typeName(x.type)}`)
      return { call: sql`${name}(${x.sql})`, type: x.type.kind === 'null' ? string : x.type, finish: same }
    },
    true,
  )
}

/** LATEST and EARLIEST, by the rows' time or by one that is given. Nulls count. */
function byTime(name: Sql, isGiven: boolean): Aggregate {
  return aggregate(isGiven ? 2 : 1, isGiven ? 3 : 2, (call) => {
    const x = call.operands[0]!
    const time = isGiven ? givenTime(call) : call.time()
    return { call: sql`${name}(${x.sql}, ${orderOf(time.sql, isGiven, call.pushed)})`, type: x.type, finish: same }
  })
}

/** Rows of one time are as they were pushed; those without a time are left out. */
function orderOf(time: Sql, isGiven: boolean, pushed: AggregateCall['pushed']): Sql {
  if (pushed === null) return time
  if (!isGiven) return sql`row(${time}, ${pushed.position})`
  return withoutRepeats(
    [time],
    (x) => sql`CASE WHEN ${x} IS NOT NULL THEN row(${x}, ${pushed.time}, ${pushed.position}) END`,
  )
}

/** A number is no time: nobody can tell its unit. */
function givenTime({ name, operands }: AggregateCall): Bound {
  const time = operands[1]!
  if (['timestamp', 'date', 'string', 'null'].includes(time.type.kind)) return as(time, timestamp)
  throw sqlProblem(
    time.place,
    `${name} takes a time as its second operand: MILLIS_TO_TIMESTAMP makes one of milliseconds`,
  )
}

const anyValue = aggregate(1, 2, ({ operands: [x] }) => ({
  call: sql`any_value(${x!.sql})`,
  type: x!.type,
  finish: same,
}))

const distinctCount = aggregate(1, 3, ({ operands: [x] }) => {
  if (x!.type.kind === 'sketch')
    return { call: sql`list_distinct(flatten(list(${x!.sql})))`, type: long, finish: (v) => sql`len(${v})` }
  return { call: sql`count(DISTINCT ${x!.sql})`, type: long, finish: same }
})

/** As a sketch counts: an empty text is no value. */
const sketchedCount: Aggregate = {
  ...distinctCount,
  bind: (call) => {
    const x = call.operands[0]!
    if (x.type.kind !== 'string') return distinctCount.bind(call)
    return { call: sql`count(DISTINCT nullif(${x.sql}, ''))`, type: long, finish: same }
  },
}

/** `ofOne` is what a single value gives. */
function spread(name: Sql, ofOne: Sql | null = null): Aggregate {
  return aggregate(1, 1, (call) => {
    const x = numericAsDouble(call)
    const most = doubleLiteral(squaredMax)
    const small = withoutRepeats([x], (v) => sql`CASE WHEN abs(${v}) <= ${most} THEN ${v} END`)
    const finished = (value: Sql): Sql => (ofOne === null ? value : sql`coalesce(${value}, ${ofOne})`)
    return {
      call: sql`${name}(${small})`,
      also: sql`max(abs(${x}))`,
      type: double,
      finish: (value, largest) => sql`CASE WHEN ${largest} <= ${most} THEN ${finished(value)} END`,
    }
  })
}

function numericAsDouble(call: AggregateCall): Sql {
  return as(numeric(call.operands[0]!), double).sql
}

function bits(name: Sql): Aggregate {
  return aggregate(1, 1, (call) => {
    const x = numeric(call.operands[0]!)
    if (x.type.kind !== 'long' && call.operands[0]!.type.kind !== 'null')
      throw sqlProblem(x.place, `${call.name} takes whole numbers`)
    return { call: sql`${name}(${as(x, long).sql})`, type: long, finish: same }
  })
}

/** The share of the rows, as a literal: 0 to 1. */
function fraction(call: AggregateCall, index: number): Sql {
  const operand = call.operands[index]!
  const value = Number(operand.constant)
  if (operand.constant === undefined || operand.constant === null || !(value >= 0 && value <= 1)) {
    throw sqlProblem(operand.place, `operand ${index + 1} of ${call.name} must be a number from 0 to 1`)
  }
  return sql.literal(String(value))
}

const quantile = aggregate(2, 4, (call) => {
  const share = fraction(call, 1)
  const x = call.operands[0]!
  if (x.type.kind === 'quantiles')
    throw sqlProblem(x.place, `${call.name} takes numbers; DS_GET_QUANTILE takes a sketch`)
  return { call: sql`quantile_disc(${numericAsDouble(call)}, ${share}::DOUBLE)`, type: double, finish: same }
})

/** All that is different, as text, in place of a sketch: exact, and bounded by the engine's memory. An empty text is no value there. */
const sketchOf = aggregate(1, 3, ({ operands: [x] }) => {
  if (x!.type.kind === 'sketch')
    return {
      call: sql`list(${x!.sql})`,
      type: sketch,
      finish: (lists) => sql`list_distinct(flatten(${lists}))`,
    }
  return {
    call: sql`list(DISTINCT ${as(x!, string).sql})`,
    type: sketch,
    finish: (list) => sql`list_filter(coalesce(${list}, []), lambda e: e <> '')`,
  }
})

const quantilesOf = aggregate(1, 2, (call) => ({
  call: sql`list(${numericAsDouble(call)})`,
  type: quantiles,
  finish: (list) => sql`list_sort(list_filter(coalesce(${list}, []), lambda e: e IS NOT NULL))`,
}))

/** What is written with commas between: nulls are left out. The bound on bytes is Druid's; the engine's memory bounds it here. */
const textOfAll = aggregate(
  2,
  3,
  (call) => {
    const separator = neededText(call, 1)
    if (separator.includes('\0')) throw sqlProblem(call.place, `${call.name} takes no separator with a NUL`)
    constantInteger(call, 2, 0n)
    const x = as(call.operands[0]!, string)
    const text = sql.literal(separator)
    // In the order of the texts, as Druid has them.
    const joined = (v: Sql): Sql =>
      sql`CASE WHEN list_count(${v}) > 0 THEN array_to_string(list_sort(${v}), ${text}) END`
    return call.distinct && call.order.text === ''
      ? { call: sql`list(DISTINCT ${x.sql})`, type: string, finish: joined }
      : { call: sql`string_agg(${distinctOf(call)}${x.sql}, ${text}${call.order})`, type: string, finish: same }
  },
  true,
)

const arrayOfAll = aggregate(
  1,
  2,
  (call) => {
    const x = call.operands[0]!
    constantInteger(call, 1, 0n)
    const element = x.type.kind === 'null' ? string : x.type
    return {
      call: sql`list(${distinctOf(call)}${x.sql}${call.order})`,
      type: arrayOf(element),
      finish: call.distinct && call.order.text === '' ? (list) => sql`list_sort(${list}, 'ASC', 'NULLS FIRST')` : same,
    }
  },
  true,
)

/** Each element once and in order, null first. */
const distinctElements = (lists: Sql): Sql =>
  sql`list_transform([flatten(${lists})], lambda v: CASE WHEN list_count(v) < len(v) THEN list_prepend(NULL, list_sort(list_distinct(v))) ELSE list_sort(list_distinct(v)) END)[1]`

const arraysOfAll = aggregate(
  1,
  2,
  (call) => {
    const x = call.operands[0]!
    if (x.type.kind !== 'array') throw sqlProblem(x.place, 'ARRAY_CONCAT_AGG takes arrays')
    return {
      call: sql`list(${x.sql}${call.order})`,
      type: x.type,
      finish: call.distinct ? distinctElements : (lists) => sql`flatten(${lists})`,
    }
  },
  true,
)

export const aggregates: ReadonlyMap<string, Aggregate> = new Map<string, Aggregate>(
  Object.entries({
    COUNT: count,
    SUM: sum,
    AVG: average,
    MIN: extreme(sql`min`),
    MAX: extreme(sql`max`),
    LATEST: byTime(sql`arg_max_null`, false),
    EARLIEST: byTime(sql`arg_min_null`, false),
    LATEST_BY: byTime(sql`arg_max_null`, true),
    EARLIEST_BY: byTime(sql`arg_min_null`, true),
    ANY_VALUE: anyValue,
    APPROX_COUNT_DISTINCT: distinctCount,
    APPROX_COUNT_DISTINCT_BUILTIN: distinctCount,
    APPROX_COUNT_DISTINCT_DS_HLL: sketchedCount,
    APPROX_COUNT_DISTINCT_DS_THETA: sketchedCount,
    APPROX_QUANTILE: quantile,
    APPROX_QUANTILE_DS: quantile,
    APPROX_QUANTILE_FIXED_BUCKETS: { ...quantile, count: [5, 6] },
    DS_HLL: sketchOf,
    DS_THETA: sketchOf,
    DS_QUANTILES_SKETCH: quantilesOf,
    STRING_AGG: textOfAll,
    LISTAGG: textOfAll,
    ARRAY_AGG: arrayOfAll,
    ARRAY_CONCAT_AGG: arraysOfAll,
    BIT_AND: bits(sql`bit_and`),
    BIT_OR: bits(sql`bit_or`),
    BIT_XOR: bits(sql`bit_xor`),
    VAR_POP: spread(sql`var_pop`),
    VAR_SAMP: spread(sql`var_samp`, sql`0::DOUBLE`),
    VARIANCE: spread(sql`var_samp`, sql`0::DOUBLE`),
    STDDEV_POP: spread(sql`stddev_pop`),
    STDDEV_SAMP: spread(sql`stddev_samp`, sql`0::DOUBLE`),
    STDDEV: spread(sql`stddev_samp`, sql`0::DOUBLE`),
  }),
)
