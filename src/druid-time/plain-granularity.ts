import type { Granularity } from '../model/granularity.ts'
import { msPerDay } from '../model/instant.ts'
import type { NativeGranularity } from './native-granularity.ts'
import { Zone } from './zone.ts'

/** A granularity as the store has them: in UTC alone, and from where buckets begin by themselves; null for others. */
export function plainGranularity(granularity: NativeGranularity): Granularity | null {
  if (granularity.kind === 'all') return { kind: 'all' }
  if (granularity.zone !== Zone.utc) return null
  switch (granularity.kind) {
    case 'uniform':
      return { kind: 'uniform', widthMs: granularity.widthMs, originMs: granularity.originMs }
    case 'localTime':
      return { kind: 'uniform', widthMs: granularity.widthMs, originMs: 0 }
    case 'days':
      return { kind: 'uniform', widthMs: granularity.days * msPerDay, originMs: granularity.originLocalMs }
    case 'months':
      return granularity.originLocalMs === 0 ? { kind: 'months', months: granularity.months } : null
    case 'walk':
      return null
  }
}
