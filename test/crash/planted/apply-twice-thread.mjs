// A store's thread that takes the first entry of each read from the journal twice: the crash tests must notice.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'

await runStoreThread(parentPort, workerData, {
  wrapJournal: (journal) => ({
    read: async (...range) => {
      const entries = await journal.read(...range)
      return entries.slice(0, 1).concat(entries)
    },
    close: () => journal.close(),
  }),
})
