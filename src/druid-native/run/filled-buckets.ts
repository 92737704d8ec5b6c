// Determines the time buckets of a result: those that the segments (one per day) span, whether or not they contain rows.

import { type Interval, periodDays, periodMonths, periodTimeMs } from '../../druid-time/iso.ts'
import { bucketEnd, type NativeBuckets, nativeBucketStart, walkStarts } from '../../druid-time/native-granularity.ts'
import { msPerDay } from '../../model/instant.ts'
import { Problem } from '../../model/problem.ts'
import type { DayBounds } from './native-engine.ts'

/** The source tables with their days; null if rows are not stored by day. */
export interface SegmentedSource {
  readonly segments: readonly { readonly days: readonly DayBounds[] }[] | null
}

/** The parts of the intervals that contain days with rows, ascending, each from its first to its last row. */
export function spans(relation: SegmentedSource, intervals: readonly Interval[]): readonly DayBounds[] {
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

/** The bucket starts in ascending order. Throws Problem `too_many_buckets`. */
export function filledBuckets(
  relation: SegmentedSource,
  intervals: readonly Interval[],
  granularity: NativeBuckets,
  bucketsMax: number,
): readonly number[] {
  const starts = new Set<number>()
  const add = (startMs: number): void => {
    if (starts.add(startMs).size > bucketsMax) throw tooManyBuckets(bucketsMax)
  }
  for (const { minMs, maxMs } of spans(relation, intervals)) {
    // Estimates by arithmetic first, because walking to the limit takes time.
    if ((maxMs - minMs) / widthMaxMs(granularity) > bucketsMax + 1) throw tooManyBuckets(bucketsMax)
    if (granularity.kind === 'walk') {
      const walked = walkStarts(granularity, minMs, maxMs, bucketsMax)
      if (walked === null) throw tooManyBuckets(bucketsMax)
      for (const startMs of walked) add(startMs)
      continue
    }
    // Advances by instants rather than bucket starts: at clock changes, a start may lie in the previous bucket.
    for (let at = minMs; at <= maxMs; at = bucketEnd(granularity, at)) add(nativeBucketStart(granularity, at))
  }
  return [...starts].sort((a, b) => a - b)
}

/** The rows of each bucket, in order. `rows` are sorted by bucket, and each lies in a bucket that is filled. */
export function* topNBuckets<Row extends { readonly bucketMs: number }>(
  kept: SegmentedSource,
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

/** An upper bound for the width of a bucket: a zone's clock may be set back by up to a day. */
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

/** The timestamp of the single bucket of `all`: the first row of the first segment in reading order, which is descending if `isDescending`. */
export const stampOfAll = (relation: SegmentedSource, intervals: readonly Interval[], isDescending: boolean): number =>
  spans(relation, intervals).at(isDescending ? -1 : 0)?.minMs ?? intervals[0]?.startMs ?? 0

function tooManyBuckets(bucketsMax: number): Problem {
  return new Problem(
    'too_many_buckets',
    `the answer would have more than ${bucketsMax} buckets (limits.buckets): use shorter intervals or a coarser granularity`,
  )
}
