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

/** A granularity in the form that the store's plans use; null where they have no such form. */
export function plainGranularity(granularity: NativeGranularity): Granularity | ZonedGranularity | null {
  // Uniform buckets do not depend on the calendar, so the zone does not matter.
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

/** The native buckets of a plan's zoned granularity. */
export function zonedGranularity({ zone: name, buckets }: ZonedGranularity): NativeBuckets {
  const zone = Zone.find(name)
  if (zone === null) throw new Error(`no zone is named ${name}`)
  if (buckets.kind !== 'walk') return { ...buckets, zone }
  return { kind: 'walk', period: periodOf(buckets.duration), originMs: buckets.originMs, zone }
}

/** A plan's buckets in Druid's form; null for `all`, the single bucket of all time. */
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

/** The buckets of a plan's granularity that follows a zone's clocks; null where the store computes the buckets itself. */
export function timeBuckets(granularity: ZonedGranularity): TimeBuckets
export function timeBuckets(granularity: Granularity | ZonedGranularity): TimeBuckets | null
export function timeBuckets(granularity: Granularity | ZonedGranularity): TimeBuckets | null {
  return granularity.kind === 'zoned' ? new ZonedBuckets(zonedGranularity(granularity)) : null
}

/**
 * Parses a granularity on the clocks of a zone, as Druid's period with a `timeZone`. `plain` is its form in UTC, used where the calendar does not
 * matter. If every offset in the range is a whole number of buckets, the buckets are the same as in UTC.
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
      // The first bucket may start before the range.
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

/** The buckets of a plan that follow a zone's clocks; null where the store computes the buckets itself. */
export function bucketsOfPlan(plan: Plan): TimeBuckets | null {
  return 'granularity' in plan ? timeBuckets(plan.granularity) : null
}

/** Buckets on the clocks of a zone. */
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

  /** Clocks set back over midnight show part of a day that has already ended; its bucket does not start again. */
  nextStart(startMs: number): number {
    let at = this.endOf(startMs)
    while (this.startOf(at) !== at) at = this.endOf(at)
    return at
  }

  /** Between two clock changes all buckets have the period's length, except perhaps the last one, which clocks set back may lengthen. */
  equalBuckets(startMs: number, untilMs: number): number {
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
