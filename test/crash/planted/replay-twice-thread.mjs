// A store's thread that takes each replay from the journal twice, and ends at a step: the crash tests must notice.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'
import { killAtStep } from './kill-at-step.mjs'

await runStoreThread(parentPort, workerData, {
  reach: killAtStep(),
  wrapJournal: (journal) => ({
    read: async (...range) => {
      const entries = await journal.read(...range)
      return entries.flatMap((entry) => (entry.format === 'replay' ? [entry, entry] : [entry]))
    },
    close: () => journal.close(),
  }),
})
