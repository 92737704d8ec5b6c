// A store's thread that validates nothing as long as a file named `stall` stands beside the catalog.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'

const brake = join(dirname(workerData.catalogPath), 'stall')
const wrapJournal = (journal) => ({
  close: () => journal.close(),
  read: async (...place) => {
    while (existsSync(brake)) await setTimeout(5)
    return journal.read(...place)
  },
})
await runStoreThread(parentPort, workerData, { wrapJournal })
