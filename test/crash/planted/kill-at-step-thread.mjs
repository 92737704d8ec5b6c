// A store's thread in which the process ends at a step: see kill-at-step.mjs.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'
import { killAtStep } from './kill-at-step.mjs'

await runStoreThread(parentPort, workerData, { reach: killAtStep() })
