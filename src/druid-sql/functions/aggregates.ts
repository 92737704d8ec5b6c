// Aggregates of a group of rows, or of a window.

import { type Sql, sql } from '../../lib/sql-text.ts'
import { meanInRange, scaled, squaredMax, sumInRange } from '../../lib/sums-in-range.ts'
import { as, constantOf } from '../bind/conversions.ts'
import { doubleLiteral } from '../bind/engine-names.ts'
import { type Bound, type EngineAggregate, engineAggregate, type WrittenAggregate } from '../bind/tree.ts'
import { arrayOf, double, long, quantiles, type SqlType, sketch, string, typeName } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import {
  type Aggregate,
  type AggregateCall,
  aggregate,
  distinctOf,
  givenTime,
  plainAggregate,
  result,
} from './aggregate-signature.ts'
import { numeric, wrapped } from './numbers.ts'
import { overTime } from './over-time.ts'
import { constantInteger, neededText } from './signature.ts'
import { withoutRepeats } from './text-limits.ts'

export const countOfRows = engineAggregate(() => ({ call: sql`count(*)` }))
export const countOf = plainAggregate(sql`count`)

const count = aggregate(
  0,
  1,
  ({ operands, star, place }) => {
    if (operands.length > 0) return result(long, countOf, operands)
    if (!star) throw sqlProblem(place, 'COUNT accepts * or one operand')
    return result(long, countOfRows, [])
  },
  true,
)

/** Correct even if an intermediate sum exceeds the range of doubles. */
const ofDoubles = (name: Sql, x: Sql, distinct: Sql, inRange: typeof sumInRange): WrittenAggregate => ({
  call: sql`${name}(${distinct}${x})`,
  also: sql`${name}(${distinct}${scaled(x)})`,
  finish: inRange,
})

/** Sums of whole numbers wrap around beyond the range of a long, as in Java. */
export const sumOf = engineAggregate(([x], node) =>
  node.type.kind === 'long'
    ? { call: sql`sum(${distinctOf(node)}${x!})`, finish: wrapped }
    : ofDoubles(sql`sum`, x!, distinctOf(node), sumInRange),
)

export const meanOf = engineAggregate(([x], node) =>
  node.operands[0]!.type.kind === 'long'
    ? { call: sql`avg(${distinctOf(node)}${x!})` }
    : ofDoubles(sql`avg`, x!, distinctOf(node), meanInRange),
)

const ofNumber = (fn: EngineAggregate<null>, typeOf: (x: Bound) => SqlType): Aggregate =>
  aggregate(
    1,
    1,
    ({ operands }) => {
      const x = numeric(operands[0]!)
      return result(typeOf(x), fn, [x])
    },
    true,
  )

/** DISTINCT makes no difference to these. */
export const leastOf = engineAggregate(([x]) => ({ call: sql`min(${x!})` }))
export const greatestOf = engineAggregate(([x]) => ({ call: sql`max(${x!})` }))

function extreme(fn: EngineAggregate<null>): Aggregate {
  return aggregate(
    1,
    1,
    (call) => {
      const x = call.operands[0]!
      if (['array', 'sketch', 'quantiles', 'json', 'string'].includes(x.type.kind))
        throw sqlProblem(x.place, `${call.name} does not accept a value of type ${typeName(x.type)}`)
      return result(x.type.kind === 'null' ? string : x.type, fn, [x])
    },
    true,
  )
}

export interface EndOptions {
  /** Whether the time is an operand, not the rows' own. */
  readonly isGiven: boolean
}

/** The value of the newest or oldest row. The operands are a value, a time, and for rows of an entity their own time and position. */
const byTime = (name: Sql): EngineAggregate<EndOptions> =>
  engineAggregate(([x, time, ownTime, position], { options: { isGiven } }) => {
    if (position === undefined) return { call: sql`${name}(${x!}, ${time!})` }
    if (!isGiven) return { call: sql`${name}(${x!}, row(${time!}, ${position}))` }
    // Rows of the same given time are ordered as they were pushed; those without a time are left out.
    const order = withoutRepeats(
      [time!],
      (at) => sql`CASE WHEN ${at} IS NOT NULL THEN row(${at}, ${ownTime!}, ${position}) END`,
    )
    return { call: sql`${name}(${x!}, ${order})` }
  })

export const newestOf = byTime(sql`arg_max_null`)
export const oldestOf = byTime(sql`arg_min_null`)

/** LATEST and EARLIEST, by the rows' time or by a given one. Nulls count as values. */
const endOf = (fn: EngineAggregate<EndOptions>, isGiven: boolean): Aggregate =>
  aggregate(isGiven ? 2 : 1, isGiven ? 3 : 2, (call) => {
    const x = call.operands[0]!
    const time = isGiven ? givenTime(call) : call.time()
    const pushed = call.pushed === null ? [] : [call.pushed.time, call.pushed.position]
    return result(x.type, fn, [x, time, ...pushed], { isGiven })
  })

const any = plainAggregate(sql`any_value`)
const anyValue = aggregate(1, 2, ({ operands: [x] }) => result(x!.type, any, [x!]))

export interface DistinctOptions {
  /** Whether an empty text does not count as a value. */
  readonly skipsEmpty: boolean
}

export const distinctValues = engineAggregate<DistinctOptions>(([x], { operands: [value], options }) => {
  if (value!.type.kind === 'sketch')
    return { call: sql`list_distinct(flatten(list(${x!})))`, finish: (list) => sql`len(${list})` }
  const counted = options.skipsEmpty && value!.type.kind === 'string' ? sql`nullif(${x!}, '')` : x!
  return { call: sql`count(DISTINCT ${counted})` }
})

const distinctCount = (skipsEmpty: boolean): Aggregate =>
  aggregate(1, 3, ({ operands: [x] }) => result(long, distinctValues, [x!], { skipsEmpty }))

/** Counts as a sketch does, without empty texts. */
const sketchedCount = distinctCount(true)

/** `ofOne` is the result for a single value. */
function spread(name: Sql, ofOne: Sql | null = null): Aggregate {
  const fn = engineAggregate(([x]) => {
    const most = doubleLiteral(squaredMax)
    const small = withoutRepeats([x!], (v) => sql`CASE WHEN abs(${v}) <= ${most} THEN ${v} END`)
    const finished = (value: Sql): Sql => (ofOne === null ? value : sql`coalesce(${value}, ${ofOne})`)
    return {
      call: sql`${name}(${small})`,
      also: sql`max(abs(${x!}))`,
      finish: (value, largest) => sql`CASE WHEN ${largest} <= ${most} THEN ${finished(value)} END`,
    }
  })
  return aggregate(1, 1, ({ operands: [x] }) => result(double, fn, [numericAsDouble(x!)]))
}

const numericAsDouble = (x: Bound): Bound => as(numeric(x), double)

function bits(name: Sql): Aggregate {
  const fn = plainAggregate(name)
  return aggregate(1, 1, (call) => {
    const x = numeric(call.operands[0]!)
    if (x.type.kind !== 'long' && call.operands[0]!.type.kind !== 'null')
      throw sqlProblem(x.place, `${call.name} accepts only whole numbers`)
    return result(long, fn, [as(x, long)])
  })
}

/** An operand that is a share of the rows, from 0 to 1. */
function fraction(call: AggregateCall, index: number): number {
  const operand = call.operands[index]!
  const constant = constantOf(operand)
  const value = Number(constant)
  if (constant === undefined || constant === null || !(value >= 0 && value <= 1)) {
    throw sqlProblem(operand.place, `operand ${index + 1} of ${call.name} must be a number from 0 to 1`)
  }
  return value
}

const quantileOf = engineAggregate<{ readonly share: number }>(([x], { options: { share } }) => ({
  call: sql`quantile_disc(${x!}, ${sql.literal(String(share))}::DOUBLE)`,
}))

const quantile = aggregate(2, 4, (call) => {
  const share = fraction(call, 1)
  const x = call.operands[0]!
  if (x.type.kind === 'quantiles')
    throw sqlProblem(x.place, `${call.name} accepts numbers; DS_GET_QUANTILE accepts a sketch`)
  return result(double, quantileOf, [numericAsDouble(x)], { share })
})

const setOf = engineAggregate(([x], { operands: [value] }) =>
  value!.type.kind === 'sketch'
    ? { call: sql`list(${x!})`, finish: (lists) => sql`list_distinct(flatten(${lists}))` }
    : {
        call: sql`list(DISTINCT ${x!})`,
        finish: (list) => sql`list_filter(coalesce(${list}, []), lambda e: e <> '')`,
      },
)

/** All distinct values as text, in place of a sketch: exact, and limited by the engine's memory. An empty text does not count as a value. */
const sketchOf = aggregate(1, 3, ({ operands: [x] }) =>
  result(sketch, setOf, [x!.type.kind === 'sketch' ? x! : as(x!, string)]),
)

const sortedNumbers = engineAggregate(([x]) => ({
  call: sql`list(${x!})`,
  finish: (list) => sql`list_sort(list_filter(coalesce(${list}, []), lambda e: e IS NOT NULL))`,
}))

const quantilesOf = aggregate(1, 2, ({ operands: [x] }) => result(quantiles, sortedNumbers, [numericAsDouble(x!)]))

/** Distinct texts are sorted, as in Druid, unless the query requests another order. */
const joinedTexts = engineAggregate<{ readonly separator: string }>(([x], node, order) => {
  const text = sql.literal(node.options.separator)
  if (!node.distinct || node.orderBy.length > 0)
    return { call: sql`string_agg(${distinctOf(node)}${x!}, ${text}${order})` }
  const joined = (v: Sql): Sql => sql`CASE WHEN list_count(${v}) > 0 THEN array_to_string(list_sort(${v}), ${text}) END`
  return { call: sql`list(DISTINCT ${x!})`, finish: joined }
})

/** Joins texts with a separator, without nulls. Druid's limit on bytes is accepted but not applied: the engine's memory is the limit here. */
const textOfAll = aggregate(
  2,
  3,
  (call) => {
    const separator = neededText(call, 1)
    if (separator.includes('\0'))
      throw sqlProblem(call.place, `${call.name} does not accept a separator that contains NUL`)
    constantInteger(call, 2, 0n)
    return result(string, joinedTexts, [as(call.operands[0]!, string)], { separator })
  },
  true,
)

const listOf = engineAggregate(([x], node, order) => ({
  call: sql`list(${distinctOf(node)}${x!}${order})`,
  ...(node.distinct && node.orderBy.length === 0
    ? { finish: (list: Sql) => sql`list_sort(${list}, 'ASC', 'NULLS FIRST')` }
    : {}),
}))

const arrayOfAll = aggregate(
  1,
  2,
  (call) => {
    const x = call.operands[0]!
    constantInteger(call, 1, 0n)
    return result(arrayOf(x.type.kind === 'null' ? string : x.type), listOf, [x])
  },
  true,
)

/** Each element once and sorted, null first. */
const distinctElements = (lists: Sql): Sql =>
  sql`list_transform([flatten(${lists})], lambda v: CASE WHEN list_count(v) < len(v) THEN list_prepend(NULL, list_sort(list_distinct(v))) ELSE list_sort(list_distinct(v)) END)[1]`

const elementsOf = engineAggregate(([x], { distinct }, order) => ({
  call: sql`list(${x!}${order})`,
  finish: distinct ? distinctElements : (lists: Sql) => sql`flatten(${lists})`,
}))

const arraysOfAll = aggregate(
  1,
  2,
  (call) => {
    const x = call.operands[0]!
    if (x.type.kind !== 'array') throw sqlProblem(x.place, 'ARRAY_CONCAT_AGG accepts only arrays')
    return result(x.type, elementsOf, [x])
  },
  true,
)

export const aggregates: ReadonlyMap<string, Aggregate> = new Map<string, Aggregate>(
  Object.entries({
    COUNT: count,
    SUM: ofNumber(sumOf, ({ type }) => (type.kind === 'long' ? long : double)),
    AVG: ofNumber(meanOf, () => double),
    MIN: extreme(leastOf),
    MAX: extreme(greatestOf),
    LATEST: endOf(newestOf, false),
    EARLIEST: endOf(oldestOf, false),
    LATEST_BY: endOf(newestOf, true),
    EARLIEST_BY: endOf(oldestOf, true),
    ANY_VALUE: anyValue,
    APPROX_COUNT_DISTINCT: distinctCount(false),
    APPROX_COUNT_DISTINCT_BUILTIN: distinctCount(false),
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
    ...overTime,
  }),
)
