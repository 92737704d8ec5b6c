import { keptStore } from './kept-store.ts'
import { browserZone, isZone } from './zoned-time.ts'

/** The time zone of pages that name their zone. */
export const shownZone = keptStore<string>('tidemark.zone', (kept) =>
  typeof kept === 'string' && isZone(kept) ? kept : browserZone(),
)
