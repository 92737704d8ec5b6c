// The start of a row's bucket, as a Druid expression.

import type { TimeBuckets } from '../../algebra/aggregation.ts'
import {
  type BucketGranularity,
  bucketStart,
  type Granularity,
  nextBucketStart,
  type ZonedGranularity,
} from '../../model/granularity.ts'
import { msPerDay } from '../../model/instant.ts'
import type { Range } from '../../model/plan.ts'
import { tooManyBuckets } from '../limits.ts'

/** A range of time, both ends included, with the expression for the buckets of its rows. */
export interface BucketRange {
  readonly fromMs: number
  readonly toMs: number
  readonly expression: string
  /** The ISO 8601 period of buckets that Druid supports natively, which is faster; null for others. */
  readonly period: string | null
}

const time = '"__time"'
/** With these periods, and only with these, Druid puts rows before 1970 into the bucket after theirs. */
const severalHours = /^PT(?!1H)\d+H$/
/** The most bucket starts in one expression, which finds a row's bucket by binary search. */
const startsAtOnce = 256

/**
 * Uniform and calendar buckets need one slice, or two for periods of several hours around 1970. Compound periods are enumerated, so `fromMs` and
 * `toMs` must be the bounds of the rows.
 */
export function bucketSlices(granularity: BucketGranularity, fromMs: number, toMs: number): BucketRange[] {
  switch (granularity.kind) {
    case 'uniform': {
      const period = periodOf(granularity)
      const counted = { fromMs, toMs, expression: uniform(granularity.widthMs, granularity.originMs), period: null }
      if (period === null) return [counted]
      const floored = { fromMs, toMs, expression: floor(period), period }
      if (!severalHours.test(period)) return [floored]
      const both = [
        { ...counted, toMs: Math.min(toMs, -1) },
        { ...floored, fromMs: Math.max(fromMs, 0) },
      ]
      return both.filter((slice) => slice.fromMs <= slice.toMs)
    }
    case 'months': {
      const period = `P${granularity.months}M`
      return [{ fromMs, toMs, expression: floor(period), period }]
    }
    case 'compound': {
      const starts: StartsFrom[] = []
      const first = bucketStart(granularity, fromMs)
      for (let start = first; start <= toMs; start = nextBucketStart(granularity, start)) {
        starts.push({ fromMs: start, expression: constant(start) })
      }
      return bucketRanges(starts, fromMs, toMs)
    }
    default:
      return granularity satisfies never
  }
}

/** The start of the bucket that contains an instant; null with `all`. `zoned` has the buckets of a granularity in the local time of a zone. */
export function bucketStarts(
  granularity: Granularity | ZonedGranularity,
  zoned: TimeBuckets | null,
): (ms: number) => number | null {
  if (granularity.kind === 'all') return () => null
  if (granularity.kind !== 'zoned') return (ms) => bucketStart(granularity, ms)
  if (zoned === null) throw new Error('buckets by the clocks of a zone are given')
  return (ms) => zoned.startOf(ms)
}

/** Consecutive buckets of equal length, covered by one part of an expression. */
interface Run {
  readonly fromMs: number
  readonly startMs: number
  readonly widthMs: number
  count: number
}

/**
 * Slices for buckets in the local time of a zone. A run of buckets of equal length, empty or not, costs as much as one bucket.
 * Throws Problem `too_many_buckets` when the range has more than `bucketsMax` runs.
 */
export function zonedRanges(buckets: TimeBuckets, { fromMs, toMs }: Range, bucketsMax: number): BucketRange[] {
  const runs: Run[] = []
  let count = 0
  for (let at = fromMs; at <= toMs; ) {
    if (++count > bucketsMax) throw tooManyBuckets(bucketsMax)
    const [startMs, endMs] = [buckets.startOf(at), buckets.endOf(at)]
    const run = runs.at(-1)
    const follows = run !== undefined && startMs === run.startMs + run.count * run.widthMs
    const widthMs = endMs - startMs
    const alike = startMs === at ? buckets.equalBuckets(at, toMs) : 1
    if (follows && startMs === at && widthMs === run.widthMs) run.count += alike
    else runs.push({ fromMs: at, startMs, widthMs, count: alike })
    at = startMs === at ? at + alike * widthMs : endMs
  }
  const starts = runs.map(({ fromMs, startMs, widthMs, count }) => {
    return { fromMs, expression: count === 1 ? constant(startMs) : uniform(widthMs, startMs) }
  })
  return bucketRanges(starts, fromMs, toMs)
}

interface StartsFrom {
  readonly fromMs: number
  /** The bucket expression for rows from `fromMs` on. */
  readonly expression: string
}

export const constant = (value: number): string => `${time} * 0 + ${value}`

/** Each row uses the expression of the last of `starts` that is not after it. `starts` is ascending, and its first is not after `fromMs`. */
export function bucketRanges(starts: readonly StartsFrom[], fromMs: number, toMs: number): BucketRange[] {
  const slices: BucketRange[] = []
  for (let at = 0; at < starts.length; at += startsAtOnce) {
    const part = starts.slice(at, at + startsAtOnce)
    const next = starts[at + startsAtOnce]
    const endMs = next === undefined ? toMs : next.fromMs - 1
    const startMs = Math.max(fromMs, part[0].fromMs)
    if (startMs <= endMs) slices.push({ fromMs: startMs, toMs: endMs, expression: choice(part), period: null })
  }
  return slices
}

function choice(starts: readonly StartsFrom[]): string {
  if (starts.length === 1) return starts[0].expression
  const middle = starts.length >>> 1
  return `if(${time} < ${starts[middle].fromMs}, ${choice(starts.slice(0, middle))}, ${choice(starts.slice(middle))})`
}

function floor(period: string): string {
  return `timestamp_floor(${time}, '${period}', null, 'UTC')`
}

/** Null when the width is not in whole seconds or the origin is not the one of Druid's periods. */
function periodOf({ widthMs, originMs }: { readonly widthMs: number; readonly originMs: number }): string | null {
  if (widthMs === 7 * msPerDay && originMs !== 0) return 'P1W'
  if (originMs !== 0) return null
  const units = [
    { ms: msPerDay, period: (count: number) => `P${count}D` },
    { ms: 3_600_000, period: (count: number) => `PT${count}H` },
    { ms: 60_000, period: (count: number) => `PT${count}M` },
    { ms: 1000, period: (count: number) => `PT${count}S` },
  ]
  const unit = units.find(({ ms }) => widthMs % ms === 0)
  return unit === undefined ? null : unit.period(widthMs / unit.ms)
}

/** Division of longs truncates towards zero, so the remainder is made positive first. */
function uniform(widthMs: number, originMs: number): string {
  if (widthMs === 1) return `${time} + 0`
  const offset = originMs === 0 ? time : `(${time} - ${originMs})`
  return `${time} - ((${offset} % ${widthMs} + ${widthMs}) % ${widthMs})`
}
