// What the worker runs.
import { parentPort, workerData } from 'node:worker_threads'
import type { StoreThreadData } from './messages.ts'
import { runStoreThread } from './thread.ts'

await runStoreThread(parentPort!, workerData as StoreThreadData)
