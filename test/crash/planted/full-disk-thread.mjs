// A store's thread on a disk that is full as long as a file named `disk-is-full` stands beside the catalog. Its catalog does not grow if it
// was started while `catalog-is-full` stands there; when that is gone, it ends, to be started with room.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { nodeDisk } from '../../../src/lib/node-disk.ts'
import { runStoreThread } from '../../../src/store-thread/worker-side/run-store-thread.ts'

const isThere = (name) => existsSync(join(dirname(workerData.catalogPath), name))

const requireSpace = () => {
  if (isThere('disk-is-full')) throw Object.assign(new Error('ENOSPC: planted'), { code: 'ENOSPC' })
}

const disk = {
  ...nodeDisk,
  open: async (path, options) => {
    if (options.create) requireSpace()
    const file = await nodeDisk.open(path, options)
    const write = async (buffers, offset) => {
      requireSpace()
      await file.write(buffers, offset)
    }
    return {
      write,
      size: () => file.size(),
      read: (buffer, offset) => file.read(buffer, offset),
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      close: () => file.close(),
    }
  },
}

const pollMs = 20
const catalogIsFull = isThere('catalog-is-full')
if (catalogIsFull) setInterval(() => isThere('catalog-is-full') || process.exit(1), pollMs)

await runStoreThread(parentPort, workerData, { disk, ...(catalogIsFull ? { catalogPagesMax: 1 } : {}) })
