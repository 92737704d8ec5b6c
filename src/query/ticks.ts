import {
  type BucketGranularity,
  bucketStart,
  type Granularity,
  granularityNames,
  nextBucketStart,
  parseGranularity,
} from '../model/granularity.ts'
import type { Range } from '../model/plan.ts'
import { Problem } from '../model/problem.ts'
import type { Faults } from './faults.ts'

/** The granularity of a request, `all` by default. */
export function readGranularity(text: string | null | undefined, faults: Faults): Granularity {
  if (text == null) return granularityNames.all
  const granularity = parseGranularity(text)
  if (granularity === null) faults.add('granularity', `${JSON.stringify(text)} is none; allowed: ${allowedForms('')}`)
  return granularity ?? granularityNames.all
}

/** As `readGranularity`; a tick for each millisecond is none of those that snap takes. */
export function readTickGranularity(text: string | null | undefined, faults: Faults): Granularity {
  if (text?.toLowerCase() !== 'none') return readGranularity(text, faults)
  faults.add('granularity', `snap does not take "none"; allowed: ${allowedForms('none')}`)
  return granularityNames.all
}

function allowedForms(without: string): string {
  const names = Object.keys(granularityNames).filter((name) => name !== without)
  return `${names.join(', ')} (in any case), or a period longer than nothing and of at most 9,999 years, in ISO 8601 such as PT5M, P1D or P1M, or as 500ms, 30s, 5m, 1h, 1d or 1w`
}

/**
 * The starts of buckets within the range, in order; with `all` the one tick is the range's end. Where the range is open at its end,
 * ticks stop at `nowMs`. Throws Problem `too_many_buckets` when there are more than `bucketsMax`.
 */
export function ticksOf(granularity: Granularity, range: Range, nowMs: number, bucketsMax: number): Float64Array {
  const lastMs = range.toMs === Number.POSITIVE_INFINITY ? nowMs : range.toMs
  if (granularity.kind === 'all') return Float64Array.of(lastMs)
  const firstMs = firstTick(granularity, range.fromMs)
  const count = countTicks(granularity, firstMs, lastMs)
  if (count > bucketsMax) throw tooManyTicks(count, bucketsMax)
  const ticks = new Float64Array(count)
  if (granularity.kind === 'uniform') {
    // A million of them are made at once, in the thread that all requests go through.
    const { widthMs } = granularity
    for (let index = 0; index < count; index += 1) ticks[index] = firstMs + index * widthMs
    return ticks
  }
  for (let index = 0, tick = firstMs; index < count; index += 1, tick = nextBucketStart(granularity, tick)) {
    ticks[index] = tick
  }
  return ticks
}

function firstTick(granularity: BucketGranularity, fromMs: number): number {
  const start = bucketStart(granularity, fromMs)
  return start < fromMs ? nextBucketStart(granularity, start) : start
}

/** Buckets of a month and longer are few in all of time, so they can be walked. */
function countTicks(granularity: BucketGranularity, firstMs: number, lastMs: number): number {
  if (firstMs > lastMs) return 0
  if (granularity.kind === 'uniform') return Math.floor((lastMs - firstMs) / granularity.widthMs) + 1
  let count = 0
  for (let tick = firstMs; tick <= lastMs; tick = nextBucketStart(granularity, tick)) count += 1
  return count
}

function tooManyTicks(count: number, bucketsMax: number): Problem {
  return new Problem(
    'too_many_buckets',
    `The range has ${count} ticks at this granularity, and limits.buckets is ${bucketsMax}. ` +
      'Ask for a shorter range or a coarser granularity.',
  )
}
