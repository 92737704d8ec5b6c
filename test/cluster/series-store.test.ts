import { seriesStoreContract } from '../contract/series-store.ts'
import { WorldsOnDruid } from './world-view.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

seriesStoreContract('Druid', () => new WorldsOnDruid(`t${Date.now().toString(36)}`), {
  seed,
  worlds: 24,
  plans: 12,
  entities: 3,
  seesReplaced: false,
  spansMs: [4, 60_000, 12 * 86_400_000],
})
