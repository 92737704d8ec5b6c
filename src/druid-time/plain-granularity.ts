import type { TimeBuckets } from '../algebra/aggregation.ts'
import type { Granularity, ZonedGranularity } from '../model/granularity.ts'
import { msPerDay } from '../model/instant.ts'
import { bucketEnd, type NativeBuckets, type NativeGranularity, nativeBucketStart } from './native-granularity.ts'
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
  return { ...buckets, zone }
}

/** How time is cut by a plan's granularity; null where the store knows it. */
export function timeBuckets(granularity: Granularity | ZonedGranularity): TimeBuckets | null {
  return granularity.kind === 'zoned' ? new ZonedBuckets(zonedGranularity(granularity)) : null
}

class ZonedBuckets implements TimeBuckets {
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
}
