// A folder of this process alone: several processes of a cluster may be given the same data folder.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Closer } from '../open-storage.ts'

const named = /^process-(\d+)$/

/** Makes an empty folder in the data folder, and removes those of processes that have died. It goes with this process. Resolves with its whole path. */
export async function openOwnFolder(data: string, closers: Closer[]): Promise<string> {
  const own = resolve(data, `process-${process.pid}`)
  await mkdir(data, { recursive: true })
  for (const name of await readdir(data)) {
    const id = named.exec(name)?.[1]
    if (id !== undefined && (Number(id) === process.pid || !isAlive(Number(id)))) await remove(join(data, name))
  }
  await mkdir(own)
  closers.push(() => remove(own))
  return own
}

/** Another user's process is alive, too. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}
