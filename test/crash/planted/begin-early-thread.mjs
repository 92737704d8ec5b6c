// A store's thread that begins with entries from before its sealed position, as far as the journal still has them: the crash tests must notice.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'

/** Entries that are validated already, told as if they stood at `position`: the pipeline passes over what it sees to be before it. */
async function sealedEntries(journal, position) {
  const entries = await journal.read(Math.max(0, position - 50), position, 1 << 20).catch(() => [])
  return entries.filter((entry) => entry.position + entry.rows <= position).map((entry) => ({ ...entry, position }))
}

await runStoreThread(parentPort, workerData, {
  wrapJournal: (journal) => {
    let begun = false
    return {
      read: async (position, ...rest) => {
        const early = begun ? [] : await sealedEntries(journal, position)
        // Their bodies are good until the next read.
        const kept = early.map((entry) => ({ ...entry, body: Buffer.from(entry.body) }))
        const entries = await journal.read(position, ...rest)
        if (entries.length > 0) begun = true
        return entries.length > 0 ? [...kept, ...entries] : entries
      },
      close: () => journal.close(),
    }
  },
})
