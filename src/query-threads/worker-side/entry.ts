// What a query thread runs.
import { parentPort, workerData } from 'node:worker_threads'
import type { QueryThreadData } from '../protocol.ts'
import { runQueryThread } from './run-query-thread.ts'

runQueryThread(parentPort!, workerData as QueryThreadData)
