import { type Cuts, cutsOf } from '../druid-time/cuts.ts'
import { granularityInZone, timeBuckets } from '../druid-time/plain-granularity.ts'
import { Zone } from '../druid-time/zone.ts'
import { fixedMs } from '../model/duration.ts'
import type { Entity } from '../model/entity.ts'
import {
  type Granularity,
  granularityForms,
  granularityNames,
  parseGranularity,
  type ZonedGranularity,
} from '../model/granularity.ts'
import { msPerDay } from '../model/instant.ts'
import type { Range } from '../model/plan.ts'
import { Problem } from '../model/problem.ts'
import type { Faults } from './faults.ts'

/** The zone of the request, else of the entity, else UTC. */
export function readZone(named: string | null | undefined, { reading }: Pick<Entity, 'reading'>, faults: Faults): Zone {
  if (named == null) return Zone.find(reading?.timeZone ?? 'UTC') ?? Zone.utc
  const zone = /^[A-Za-z]/.test(named) ? Zone.find(named) : null
  if (zone === null) faults.add('time_zone', `${JSON.stringify(named)} is not a time zone. ${zoneForm}`)
  return zone ?? Zone.utc
}

const zoneForm = 'Give a name of the IANA database, such as "Europe/Madrid" or "UTC"'

/** The zone whose local time defines the buckets, and the range. */
export interface CutRange {
  readonly zone: Zone
  readonly range: Range
}

/** The granularity of a request; `all` by default. */
export function readGranularity(
  text: string | null | undefined,
  { zone, range }: CutRange,
  faults: Faults,
): Granularity | ZonedGranularity {
  if (text == null) return granularityNames.all
  const granularity = parseGranularity(text)
  if (granularity !== null) return granularityInZone(text, granularity, zone, range)
  faults.add('granularity', `${JSON.stringify(text)} is not a granularity; allowed: ${granularityForms()}`)
  return granularityNames.all
}

/** Like `readGranularity`, but refuses `none`: snap does not support a tick for each millisecond. */
export function readTickGranularity(
  text: string | null | undefined,
  cut: CutRange,
  faults: Faults,
): Granularity | ZonedGranularity {
  if (text?.toLowerCase() !== 'none') return readGranularity(text, cut, faults)
  faults.add('granularity', `snap does not support "none"; allowed: ${granularityForms('none')}`)
  return granularityNames.all
}

/**
 * The starts of buckets within the range, in order; with `all`, the only tick is the end of the range. If the range has no end, ticks stop at `nowMs`. Throws
 * Problem `too_many_buckets` when there are more than `bucketsMax`.
 */
export function ticksOf(
  granularity: Granularity | ZonedGranularity,
  range: Range,
  nowMs: number,
  bucketsMax: number,
): Float64Array {
  const lastMs = range.toMs === Number.POSITIVE_INFINITY ? nowMs : range.toMs
  if (granularity.kind === 'all') return Float64Array.of(lastMs)
  // Walking millions of ticks would block the thread of all requests for seconds.
  if (granularity.kind === 'zoned' && (lastMs - range.fromMs) / longestMs(granularity) - 1 > bucketsMax) {
    throw tooManyTicks(`more than ${bucketsMax}`, bucketsMax)
  }
  const cuts = cutsOf(granularity, timeBuckets(granularity))
  const firstMs = firstTick(cuts, range.fromMs)
  // There are few buckets of a month or longer, so they can be counted by walking.
  if (granularity.kind !== 'uniform')
    return walkedTicks(cuts, { fromMs: firstMs, toMs: lastMs }, bucketsMax, granularity.kind !== 'zoned')
  const { widthMs } = granularity
  const count = firstMs > lastMs ? 0 : Math.floor((lastMs - firstMs) / widthMs) + 1
  if (count > bucketsMax) throw tooManyTicks(`${count}`, bucketsMax)
  // Filled in one pass, because a million ticks may be made in the thread of all requests.
  const ticks = new Float64Array(count)
  for (let index = 0; index < count; index += 1) ticks[index] = firstMs + index * widthMs
  return ticks
}

/** An upper bound of the length of a bucket: no clock change exceeds a day. */
function longestMs({ buckets }: ZonedGranularity): number {
  switch (buckets.kind) {
    case 'localTime':
      return 2 * buckets.widthMs
    case 'days':
      return (buckets.days + 1) * msPerDay
    case 'months':
      return (31 * buckets.months + 1) * msPerDay
    case 'walk':
      return fixedMs(buckets.duration) + (31 * (12 * buckets.duration.years + buckets.duration.months) + 1) * msPerDay
  }
}

function firstTick(cuts: Cuts, fromMs: number): number {
  let start = cuts.startOf(fromMs)
  while (start < fromMs) start = cuts.nextOf(start)
  return start
}

function walkedTicks(cuts: Cuts, { fromMs, toMs }: Range, bucketsMax: number, countsAll: boolean): Float64Array {
  const ticks: number[] = []
  let count = 0
  for (let tick = fromMs; tick <= toMs; tick = cuts.nextOf(tick)) {
    if (++count <= bucketsMax) ticks.push(tick)
    else if (!countsAll) throw tooManyTicks(`more than ${bucketsMax}`, bucketsMax)
  }
  if (count > bucketsMax) throw tooManyTicks(`${count}`, bucketsMax)
  return Float64Array.from(ticks)
}

function tooManyTicks(count: string, bucketsMax: number): Problem {
  return new Problem(
    'too_many_buckets',
    `The range has ${count} ticks at this granularity, and limits.buckets is ${bucketsMax}. ` +
      'Use a shorter range or a coarser granularity.',
  )
}
