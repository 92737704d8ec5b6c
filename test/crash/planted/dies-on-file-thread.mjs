// A store's thread that dies as soon as a file named `die` stands beside the catalog.
import { existsSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'

const fuse = join(dirname(workerData.catalogPath), 'die')
setInterval(() => {
  if (!existsSync(fuse)) return
  unlinkSync(fuse)
  throw new Error('the thread was told to die')
}, 5).unref()
await runStoreThread(parentPort, workerData)
