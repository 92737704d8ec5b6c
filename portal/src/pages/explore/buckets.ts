// The buckets of a range: which fit it, where they end on the zone's clocks, and which of them the range or now cuts.
import { addMonths } from '../../../../src/model/duration.ts'
import type { granularityNames } from '../../../../src/model/granularity.ts'
import { msIn, type RowTable } from '../../parts/rows-stream.ts'
import { instantAt, localMsOf, midnight } from '../../parts/zoned-time.ts'
import type { Span } from './view.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Granularity = keyof typeof granularityNames
const steps: readonly (readonly [name: Granularity, ms: number])[] = [
  ['second', 1000],
  ['minute', 60_000],
  ['five_minute', 300_000],
  ['ten_minute', 600_000],
  ['fifteen_minute', 900_000],
  ['thirty_minute', 1_800_000],
  ['hour', hourMs],
  ['six_hour', 6 * hourMs],
  ['day', dayMs],
  ['week', 7 * dayMs],
  ['month', 30 * dayMs],
  ['quarter', 91 * dayMs],
]

export const granularities: readonly string[] = steps.map(([name]) => name)

/** `five_minute` as one reads it behind "every": five minutes. */
export function stepText(granularity: string): string {
  const words = granularity.split('_')
  return words.length === 1 ? granularity : `${words.join(' ')}s`
}

/** The finest one of which not more buckets lie in the range. */
export function granularityFor(spanMs: number, buckets: number): string {
  return steps.find(([, ms]) => spanMs / ms <= buckets)?.[0] ?? 'year'
}

const monthsOf = new Map([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
])

/** Where a bucket ends on the zone's clocks; null where the granularity is none of these. */
export function bucketEndMs(startMs: number, granularity: string, zone: string): number | null {
  const months = monthsOf.get(granularity)
  if (months !== undefined) return instantAt(addMonths(localMsOf(startMs, zone), months), zone)
  const ms = steps.find(([name]) => name === granularity)?.[1]
  if (ms === undefined) return null
  return ms === dayMs || ms === 7 * dayMs ? midnight(startMs, zone, ms / dayMs) : startMs + ms
}

export interface Buckets {
  readonly fromSecond: number
  /** Where nothing more is known: the end of the range, or now. */
  readonly untilSecond: number
  /** Where the bucket of a second begins and ends, cut by the range and by now. */
  boundsOf(second: number): readonly [from: number, to: number]
  isPartial(second: number): boolean
}

/** Of an answer by buckets, which is in the order of their starts. */
export function bucketsOf(
  table: RowTable,
  time: string,
  { granularity, zone, span, nowMs }: { granularity: string; zone: string; span: Span; nowMs: number },
): Buckets {
  const [fromSecond, untilSecond] = [span.fromMs / 1000, Math.min(span.toMs, nowMs) / 1000]
  const first = msIn(table, time)(table.rows[0]) / 1000
  // The first one is drawn from where the range begins.
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
