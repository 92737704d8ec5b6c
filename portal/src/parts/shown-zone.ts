import { keptStore } from './kept-store.ts'
import { browserZone, isZone } from './zoned-time.ts'

/** Whose clocks pages show where they name the zone. */
export const shownZone = keptStore<string>('tidemark.zone', (kept) =>
  typeof kept === 'string' && isZone(kept) ? kept : browserZone(),
)
