import type { TimeBuckets } from '../algebra/aggregation.ts'
import { type Granularity, granularityPeriod, type ZonedGranularity } from '../model/granularity.ts'
import { msPerDay } from '../model/instant.ts'
import type { Plan, Range } from '../model/plan.ts'
import { parsePeriod, periodOf, periodTimeMs } from './iso.ts'
import {
  bucketEnd,
  type NativeBuckets,
  type NativeGranularity,
  nativeBucketStart,
  periodGranularity,
} from './native-granularity.ts'
import { Zone } from './zone.ts'

const hourMs = 3_600_000

/** A granularity as plans of the store have them; null for others. */
export function plainGranularity(granularity: NativeGranularity): Granularity | ZonedGranularity | null {
  // No calendar comes into it, whatever the zone.
  if (granularity.kind === 'uniform')
    return { kind: 'uniform', widthMs: granularity.widthMs, originMs: granularity.originMs }
  if (granularity.kind === 'all') return { kind: 'all' }
  if (granularity.kind === 'walk') return null
  if (granularity.zone !== Zone.utc) {
    const { zone, ...buckets } = granularity
    return { kind: 'zoned', zone: zone.name, buckets }
  }
  switch (granularity.kind) {
    case 'localTime':
      return { kind: 'uniform', widthMs: granularity.widthMs, originMs: 0 }
    case 'days':
      return { kind: 'uniform', widthMs: granularity.days * msPerDay, originMs: granularity.originLocalMs }
    case 'months':
      return granularity.originLocalMs === 0 ? { kind: 'months', months: granularity.months } : null
  }
}

/** What a plan's buckets by the clocks of a zone are. */
export function zonedGranularity({ zone: name, buckets }: ZonedGranularity): NativeBuckets {
  const zone = Zone.find(name)
  if (zone === null) throw new Error(`no zone is named ${name}`)
  if (buckets.kind !== 'walk') return { ...buckets, zone }
  return { kind: 'walk', period: periodOf(buckets.duration), originMs: buckets.originMs, zone }
}

/** A plan's buckets as Druid's; null of the one bucket of all time. */
export function nativeBuckets(granularity: Granularity | ZonedGranularity): NativeBuckets | null {
  switch (granularity.kind) {
    case 'zoned':
      return zonedGranularity(granularity)
    case 'all':
      return null
    case 'uniform':
      return { ...granularity, zone: Zone.utc }
    case 'months':
      return { ...granularity, originLocalMs: 0, zone: Zone.utc }
    case 'compound':
      throw new Error('periods of several units are not planned')
  }
}

/** How time is cut by a plan's granularity; null where the store knows it. */
export function timeBuckets(granularity: ZonedGranularity): TimeBuckets
export function timeBuckets(granularity: Granularity | ZonedGranularity): TimeBuckets | null
export function timeBuckets(granularity: Granularity | ZonedGranularity): TimeBuckets | null {
  return granularity.kind === 'zoned' ? new ZonedBuckets(zonedGranularity(granularity)) : null
}

/**
 * The granularity of a text by the clocks of a zone, as Druid's period with a `timeZone` is; `plain` is the one in UTC, for what no calendar comes into.
 * Where all offsets in the range are whole buckets, it is the same in both.
 */
export function granularityInZone(
  text: string,
  plain: Granularity,
  zone: Zone,
  range: Range,
): Granularity | ZonedGranularity {
  const period = parsePeriod(granularityPeriod(text))
  if (zone === Zone.utc || period === null) return plain
  const granularity = periodGranularity(period, zone, null)
  if (granularity === null) return plain
  switch (granularity.kind) {
    case 'walk': {
      const { years, months, weeks, days } = period
      const duration = { years, months, weeks, days, ms: periodTimeMs(period) }
      return { kind: 'zoned', zone: zone.name, buckets: { kind: 'walk', duration, originMs: granularity.originMs } }
    }
    case 'localTime': {
      const { widthMs } = granularity
      // The first bucket may begin before the range.
      const isSame = zone.changes(range.fromMs - widthMs, range.toMs).every(({ offsetMs }) => offsetMs % widthMs === 0)
      if (isSame) return { kind: 'uniform', widthMs, originMs: 0 }
      break
    }
    case 'uniform': {
      const { widthMs, originMs } = granularity
      return { kind: 'uniform', widthMs, originMs: originMs - Math.floor(originMs / widthMs) * widthMs }
    }
  }
  return plainGranularity(granularity) ?? plain
}

/** How a plan's buckets are cut, where the store does not know it. */
export function bucketsOfPlan(plan: Plan): TimeBuckets | null {
  return 'granularity' in plan ? timeBuckets(plan.granularity) : null
}

/** By the clocks of a zone. */
export class ZonedBuckets implements TimeBuckets {
  readonly areOfHours: boolean
  readonly #granularity: NativeBuckets

  constructor(granularity: NativeBuckets) {
    this.#granularity = granularity
    const { zone } = granularity
    const isShort = granularity.kind === 'localTime' && granularity.widthMs % hourMs !== 0
    this.areOfHours = !isShort && zone.offset(Date.UTC(2026, 0, 1)) % hourMs === 0
  }

  startOf(ms: number): number {
    return nativeBucketStart(this.#granularity, ms)
  }

  endOf(ms: number): number {
    return bucketEnd(this.#granularity, ms)
  }

  /** Clocks that are set back over midnight show a day again that has ended: it does not begin again. */
  nextStart(startMs: number): number {
    let at = this.endOf(startMs)
    while (this.startOf(at) !== at) at = this.endOf(at)
    return at
  }

  /** Between two changes of the clocks all are as long as the period says, but for the last one: clocks that are put back may make it longer. */
  alike(startMs: number, untilMs: number): number {
    const granularity = this.#granularity
    if (granularity.kind === 'months' || granularity.kind === 'walk') return 1
    const widthMs = granularity.kind === 'days' ? granularity.days * msPerDay : granularity.widthMs
    if (this.startOf(startMs) !== startMs || this.endOf(startMs) !== startMs + widthMs) return 1
    const sameUntilMs = granularity.zone.sameOffsetUntil(startMs, untilMs)
    const last = Math.max(0, Math.floor((sameUntilMs - startMs) / widthMs) - 1)
    const lastMs = startMs + last * widthMs
    return this.endOf(lastMs) === lastMs + widthMs ? last + 1 : last
  }
}
