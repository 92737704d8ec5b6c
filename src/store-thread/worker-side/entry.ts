// The entry point of the worker.
import { parentPort, workerData } from 'node:worker_threads'
import type { StoreThreadData } from '../protocol.ts'
import { runStoreThread } from './run-store-thread.ts'

await runStoreThread(parentPort!, workerData as StoreThreadData)
