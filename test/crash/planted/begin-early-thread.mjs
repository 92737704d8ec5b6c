// A store's thread that begins before its sealed position, as far as the journal still has that: the crash tests must notice.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../dist/store-thread/thread.js'

await runStoreThread(parentPort, workerData, {
  wrapJournal: (journal) => {
    let begun = false
    return {
      read: async (position, ...rest) => {
        const from = begun ? position : Math.max(0, position - 50)
        begun = true
        return journal.read(from, ...rest).catch(() => journal.read(position, ...rest))
      },
      close: () => journal.close(),
    }
  },
})
