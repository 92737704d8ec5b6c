// A query thread that notes each question in the file `asked` beside the sealed files, and dies of one while a file named `die` stands there.
import { appendFileSync, existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { runQueryThread } from '../../../dist/query-threads/worker-side/run-query-thread.js'

const fuse = join(workerData.storeDirectory, 'die')
parentPort.on('message', (messages) => {
  if (!messages.some(({ kind }) => kind === 'run')) return
  if (existsSync(fuse)) {
    unlinkSync(fuse)
    throw new Error('the thread was told to die')
  }
  appendFileSync(join(workerData.storeDirectory, 'asked'), '.')
})
runQueryThread(parentPort, workerData)
