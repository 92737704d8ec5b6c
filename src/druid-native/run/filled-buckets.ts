// Which buckets of time an answer has: those that the segments span, one segment a day, whether or not a row is in them.

import { type Interval, periodDays, periodMonths, periodTimeMs } from '../../druid-time/iso.ts'
import { bucketEnd, type NativeBuckets, nativeBucketStart, walkStarts } from '../../druid-time/native-granularity.ts'
import { msPerDay } from '../../model/instant.ts'
import { Problem } from '../../model/problem.ts'
import type { DayBounds } from './native-engine.ts'

/** The tables that rows come from, each with its days; null where rows are not kept by day. */
export interface Kept {
  readonly segments: readonly { readonly days: readonly DayBounds[] }[] | null
}

/** The parts of the intervals that segments reach into, from first to last, each from its first row to its last. */
export function spans(relation: Kept, intervals: readonly Interval[]): readonly DayBounds[] {
  const found: DayBounds[] = []
  for (const { startMs, endMs } of intervals) {
    const days =
      relation.segments === null
        ? [{ minMs: startMs, maxMs: endMs - 1 }]
        : relation.segments.flatMap(({ days }) => days)
    for (const { minMs, maxMs } of days) {
      if (maxMs < startMs || minMs >= endMs) continue
      found.push({ minMs: Math.max(minMs, startMs), maxMs: Math.min(maxMs, endMs - 1) })
    }
  }
  return found.sort((a, b) => a.minMs - b.minMs)
}

/** The starts of the buckets in order. Throws `too_many_buckets`. */
export function filledBuckets(
  relation: Kept,
  intervals: readonly Interval[],
  granularity: NativeBuckets,
  bucketsMax: number,
): readonly number[] {
  const starts = new Set<number>()
  const add = (startMs: number): void => {
    if (starts.add(startMs).size > bucketsMax) throw tooManyBuckets(bucketsMax)
  }
  for (const { minMs, maxMs } of spans(relation, intervals)) {
    // By arithmetic first: a walk to the bound takes its time.
    if ((maxMs - minMs) / widthMaxMs(granularity) > bucketsMax + 1) throw tooManyBuckets(bucketsMax)
    if (granularity.kind === 'walk') {
      const walked = walkStarts(granularity, minMs, maxMs, bucketsMax)
      if (walked === null) throw tooManyBuckets(bucketsMax)
      for (const startMs of walked) add(startMs)
      continue
    }
    // By instants and not by starts: where clocks change, a start may lie in the bucket before.
    for (let at = minMs; at <= maxMs; at = bucketEnd(granularity, at)) add(nativeBucketStart(granularity, at))
  }
  return [...starts].sort((a, b) => a - b)
}

/** The rows of each bucket, in order. They come by bucket, and each of them lies in one that is filled. */
export function* topNBuckets<Row extends { readonly bucketMs: number }>(
  kept: Kept,
  { intervals, buckets }: { readonly intervals: readonly Interval[]; readonly buckets: NativeBuckets | null },
  rows: readonly Row[],
  bucketsMax: number,
): Generator<{ readonly startMs: number; readonly found: readonly Row[] }> {
  if (buckets === null) {
    const startMs = spans(kept, intervals)[0]?.minMs
    if (startMs !== undefined) yield { startMs, found: rows }
    return
  }
  let next = 0
  for (const startMs of filledBuckets(kept, intervals, buckets, bucketsMax)) {
    const from = next
    while (next < rows.length && rows[next]!.bucketMs <= startMs) next++
    yield { startMs, found: rows.slice(from, next) }
  }
}

/** No bucket is longer: a zone's clock may be put back by a day. */
function widthMaxMs(granularity: NativeBuckets): number {
  switch (granularity.kind) {
    case 'days':
      return (granularity.days + 1) * msPerDay
    case 'months':
      return (granularity.months * 31 + 1) * msPerDay
    case 'walk':
      return (
        (periodMonths(granularity.period) * 31 + periodDays(granularity.period) + 1) * msPerDay +
        periodTimeMs(granularity.period)
      )
    default:
      return granularity.widthMs
  }
}

/** The one bucket of all time is stamped by the segments, which are read in the order that is asked for: the first of them says when. */
export const stampOfAll = (relation: Kept, intervals: readonly Interval[], isDescending: boolean): number =>
  spans(relation, intervals).at(isDescending ? -1 : 0)?.minMs ?? intervals[0]?.startMs ?? 0

function tooManyBuckets(bucketsMax: number): Problem {
  return new Problem(
    'too_many_buckets',
    `the answer would have more than ${bucketsMax} buckets (limits.buckets): ask for a shorter time or a coarser granularity`,
  )
}
