// The buckets of a range: which granularity fits it, where buckets end on the zone's clock, and which are cut off by the range or by now.
import { addMonths } from '../../../../src/model/duration.ts'
import { granularityNames } from '../../../../src/model/granularity.ts'
import { msPerDay } from '../../../../src/model/instant.ts'
import { msIn, type RowTable } from '../../parts/rows-stream.ts'
import type { Span } from '../../parts/span.ts'
import { instantAt, localMsOf, midnight } from '../../parts/zoned-time.ts'

const steps = [
  'second',
  'minute',
  'five_minute',
  'ten_minute',
  'fifteen_minute',
  'thirty_minute',
  'hour',
  'six_hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
] as const

export const granularities: readonly string[] = steps

/** Undefined for any other granularity. */
function bucketsBy(granularity: string) {
  const name = steps.find((step) => step === granularity)
  return name && granularityNames[name]
}

/** A granularity as it reads after "every": `five_minute` becomes `five minutes`. */
export function stepText(granularity: string): string {
  const words = granularity.split('_')
  return words.length === 1 ? granularity : `${words.join(' ')}s`
}

/** The length of a bucket, with 30 days for a month; null for an unknown granularity. */
export function bucketMs(granularity: string): number | null {
  const buckets = bucketsBy(granularity)
  if (buckets === undefined) return null
  return buckets.kind === 'months' ? buckets.months * 30 * msPerDay : buckets.widthMs
}

/** The finest granularity with at most this number of buckets in the range. */
export function granularityFor(spanMs: number, buckets: number): string {
  return steps.find((step) => spanMs / bucketMs(step)! <= buckets) ?? 'year'
}

/** The end of a bucket on the zone's clock; null for an unknown granularity. */
export function bucketEndMs(startMs: number, granularity: string, zone: string): number | null {
  const buckets = bucketsBy(granularity)
  if (buckets === undefined) return null
  if (buckets.kind === 'months') return instantAt(addMonths(localMsOf(startMs, zone), buckets.months), zone)
  const { widthMs } = buckets
  return widthMs % msPerDay === 0 ? midnight(startMs, zone, widthMs / msPerDay) : startMs + widthMs
}

export interface Buckets {
  readonly fromSecond: number
  /** The end of the range, or now if that is earlier. */
  readonly untilSecond: number
  /** Start and end of the bucket of a second, limited by the range and by now. */
  boundsOf(second: number): readonly [from: number, to: number]
  isPartial(second: number): boolean
}

/** The buckets of a response, whose rows must be ordered by bucket start. */
export function bucketsOf(
  table: RowTable,
  time: string,
  { granularity, zone, span, nowMs }: { granularity: string; zone: string; span: Span; nowMs: number },
): Buckets {
  const [fromSecond, untilSecond] = [span.fromMs / 1000, Math.min(span.toMs, nowMs) / 1000]
  const first = msIn(table, time)(table.rows[0]) / 1000
  // The first bucket is drawn from the start of the range.
  const startOf = (second: number): number => (second === fromSecond && first < fromSecond ? first : second)
  const endOf = (second: number): number | null => {
    const ms = bucketEndMs(startOf(second) * 1000, granularity, zone)
    return ms === null ? null : ms / 1000
  }
  return {
    fromSecond,
    untilSecond,
    boundsOf: (second) => [Math.max(second, fromSecond), Math.min(endOf(second) ?? untilSecond, untilSecond)],
    isPartial: (second) => startOf(second) < fromSecond || (endOf(second) ?? untilSecond) > untilSecond,
  }
}
