import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { seriesStoreContract } from './series-store.ts'

seriesStoreContract(
  'the embedded store',
  () => ({
    load: async (worlds) =>
      worlds.map(({ batches }) => {
        const store = new EmbeddedStore({ chunkRows: 64 })
        for (const batch of batches) store.write(batch)
        return store
      }),
    close: async () => undefined,
  }),
  { seed: 1, worlds: 60, plans: 20, entities: 1000, seesReplaced: true, spansMs: [4, 60_000, 100 * 86_400_000] },
)
