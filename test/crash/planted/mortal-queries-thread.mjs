// A store's thread whose query threads can be told to die.
import { parentPort, workerData } from 'node:worker_threads'
import { runStoreThread } from '../../../dist/store-thread/worker-side/run-store-thread.js'

const queryThreadUrl = new URL('dies-on-ask-query-thread.mjs', import.meta.url)
await runStoreThread(parentPort, workerData, { queryThreadUrl })
