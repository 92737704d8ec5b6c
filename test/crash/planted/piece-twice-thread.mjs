// A store's thread that begins one push that is cut from its first row again, once in its life: the crash tests must notice.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'

let isDone = false
await runStoreThread(parentPort, workerData, {
  wrapValidator: (validator) => ({
    validate: (run, ingest, from, budget) => {
      const begins = isDone || from.index === 0 ? from : { index: 0, at: 0 }
      isDone ||= from.index > 0
      return validator.validate(run, ingest, begins, budget)
    },
  }),
})
