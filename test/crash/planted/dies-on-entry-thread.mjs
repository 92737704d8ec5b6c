// A store's thread that ends when it validates a row that says so; one that says more takes the whole process with it.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'
import { killAtStep } from './kill-at-step.mjs'

await runStoreThread(parentPort, workerData, {
  reach: killAtStep(),
  wrapValidator: (validator) => ({
    validate: (run, ingest, from, budget) => {
      const validated = validator.validate(run, ingest, from, budget)
      const texts = [...validated.rejected.map(({ row }) => row), ...(validated.batch?.columns ?? []).flatMap(textsOf)]
      if (texts.some((text) => text.includes('ends the process'))) process.kill(process.pid, 'SIGKILL')
      if (texts.some((text) => text.includes('ends the thread'))) process.exit(1)
      if (texts.some((text) => text.includes('throws'))) throw new Error('the validator was told to throw')
      return validated
    },
  }),
})

function textsOf({ type, codes, dictionary }) {
  return type === 'string' ? [...codes].filter((code) => code >= 0).map((code) => dictionary[code]) : []
}
