import { loadSettings } from '../../src/config/load.ts'
import type { StoreSettings } from '../../src/store-thread/protocol.ts'
import type { Random } from '../support/random.ts'

/** Random settings that make much happen in a short life; `more` is drawn in the middle, so that a seed keeps its history. */
export function restlessSettings(random: Random, more: () => Partial<StoreSettings> = () => ({})): StoreSettings {
  const stepBytes = 100 + random.below(1000)
  return {
    ...loadSettings({ flags: {}, environment: {}, file: null }).store,
    stepBytes,
    // In one of three worlds, steps and seals end within entries.
    stepRows: stepBytes % 3 === 0 ? 5 + (stepBytes % 20) : 1000,
    headRows: 10 + random.below(40),
    headAgeMs: 2 ** 30,
    ...more(),
    dayRowsMin: 1 + random.below(20),
    fileRowsMax: 50 + random.below(500),
    pageCacheBytes: random.below(2) * 10_000,
    indexCacheBytes: random.below(2) * 10_000,
    retryDelayMs: 1,
  }
}
