// Aggregates that treat the values of a group as a function of time, from the group's first item to its last. Druid's SQL does not have them.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { meanInRange, scaled, sumInRange } from '../../lib/sums-in-range.ts'
import { defaultShape } from '../../model/entity.ts'
import { as } from '../bind/conversions.ts'
import { type Bound, type EngineAggregate, engineAggregate } from '../bind/tree.ts'
import { double, long } from '../bind/types.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { type Aggregate, type AggregateCall, aggregate, givenTime, result } from './aggregate-signature.ts'
import { numeric } from './numbers.ts'
import { constantText } from './signature.ts'
import { withoutRepeats } from './text-limits.ts'

/** The items of a group as rows of date in milliseconds, position (the higher one of the same date is newer) and value. */
const itemsOf = ([x, ms, position = sql`0::BIGINT`]: readonly Sql[]): Sql => {
  const item = withoutRepeats(
    [x!, ms!],
    (value, date) =>
      sql`CASE WHEN ${value} IS NOT NULL AND ${date} IS NOT NULL THEN row(${date}, ${position}, ${value}) END`,
  )
  return sql`list(${item})`
}

/** Sorted by time; of items of the same date only the newest is kept. An ORDER BY within `list` would take 18 KB per group. */
const inOrder = (items: Sql): Sql =>
  bind(
    sql`list_sort(${items}, 'ASC', 'NULLS LAST')`,
    (all) => sql`list_filter(${all}, lambda e, i: e IS NOT NULL AND coalesce(${all}[i + 1][1] > e[1], TRUE))`,
  )

/** A result computed from the sorted items, which `use` receives as `s`. Other short names are in use inside. */
const ofItems = (items: Sql, use: (ordered: Sql) => Sql): Sql =>
  sql`list_transform([${inOrder(items)}], lambda s: ${use(sql`s`)})[1]`

/** The sum of `between` over each item and the next one; null for a single item. `next` is null after the last item. */
const summed = (items: Sql, between: (next: Sql) => Sql): Sql =>
  sql`list_sum(list_transform(${items}, lambda e, i: ${between(sql`${items}[i + 1]`)}))`

const unscaled = (value: Sql): Sql => value

interface ShapeOptions {
  readonly isStep: boolean
}

/** The integral, in value times milliseconds. */
const integral = (items: Sql, { isStep }: ShapeOptions, scale: (value: Sql) => Sql): Sql =>
  summed(items, (next) => {
    // The mean of a line is the mean of its ends.
    const mean = isStep ? scale(sql`e[3]`) : sql`(${scale(sql`e[3]`)} / 2 + ${scale(sql`${next}[3]`)} / 2)`
    return sql`(${next}[1] - e[1]) * ${mean}`
  })

const timeMean = engineAggregate<ShapeOptions>((operands, { options }) => ({
  call: itemsOf(operands),
  finish: (items) =>
    ofItems(items, (all) => {
      const lengthMs = sql`nullif(${all}[-1][1] - ${all}[1][1], 0)`
      const ofScaled = sql`(${integral(all, options, scaled)} / ${lengthMs})`
      return bind(sql`${integral(all, options, unscaled)} / ${lengthMs}`, (mean) => meanInRange(mean, ofScaled))
    }),
}))

const hourMs = sql.double(3_600_000)

const hourlyTotal = engineAggregate<ShapeOptions>((operands, { options }) => ({
  call: itemsOf(operands),
  finish: (items) =>
    ofItems(items, (all) => {
      const ofScaled = sql`(${integral(all, options, scaled)} / ${hourMs})`
      return bind(sql`${integral(all, options, unscaled)} / ${hourMs}`, (total) => sumInRange(total, ofScaled))
    }),
}))

interface ResetOptions {
  /** Whether a counter that fell has counted from 0 to its new value. */
  readonly fromZero: boolean
}

const counterRise = engineAggregate<ResetOptions>((operands, { operands: [x], options: { fromZero } }) => {
  const isLong = x!.type.kind === 'long'
  const rise = (items: Sql, scale: (value: Sql) => Sql): Sql =>
    summed(items, (next) => {
      const [from, to] = [sql`e[3]`, sql`${next}[3]`]
      // The difference of longs is computed from all their digits.
      const risen = isLong ? sql`CAST(${to}::HUGEINT - ${from} AS DOUBLE)` : sql`(${scale(to)} - ${scale(from)})`
      const fallen = fromZero ? sql`greatest(${scale(sql`CAST(${to} AS DOUBLE)`)}, 0)` : sql`0`
      return sql`CASE WHEN ${to} >= ${from} THEN ${risen} WHEN ${to} < ${from} THEN ${fallen} END`
    })
  return {
    call: itemsOf(operands),
    finish: (items) =>
      ofItems(items, (all) =>
        isLong ? rise(all, unscaled) : bind(rise(all, unscaled), (sum) => sumInRange(sum, rise(all, scaled))),
      ),
  }
})

/** An optional operand that is one of two words. */
function word(call: AggregateCall, one: string, other: string): string | null {
  const text = constantText(call, 2)
  if (text === null || text === one || text === other) return text
  throw sqlProblem(
    call.operands[2]!.place,
    `the third operand of ${call.name} must be '${one}' or '${other}', not ${quoted(text)}`,
  )
}

function operandsOf(call: AggregateCall, x: Bound): readonly Bound[] {
  return [x, as(givenTime(call), long), ...(call.pushed === null ? [] : [call.pushed.position])]
}

/** Unless the query names a shape, it is a line for doubles and a step for all other types. */
const ofShape = (fn: EngineAggregate<ShapeOptions>): Aggregate =>
  aggregate(2, 3, (call) => {
    const x = numeric(call.operands[0]!)
    const shape = word(call, 'line', 'step') ?? defaultShape(x.type.kind)
    return result(double, fn, operandsOf(call, as(x, double)), { isStep: shape === 'step' })
  })

const ofCounter = aggregate(2, 3, (call) => {
  const fromZero = word(call, 'zero', 'skip') !== 'skip'
  return result(double, counterRise, operandsOf(call, numeric(call.operands[0]!)), { fromZero })
})

export const overTime = {
  TIME_WEIGHTED_AVG: ofShape(timeMean),
  INTEGRAL: ofShape(hourlyTotal),
  COUNTER_RISE: ofCounter,
}

/** Queries to use instead on a cluster: Druid knows no order of rows within a group. */
export const clusterAlternatives: ReadonlyMap<string, string> = new Map([
  ['TIME_WEIGHTED_AVG', 'average with "weight": "time"'],
  ['INTEGRAL', 'aggregate with "aggregates": ["total"]'],
  ['COUNTER_RISE', 'aggregate with "aggregates": ["rise"]'],
])
