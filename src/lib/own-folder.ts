// A folder of this process alone: several processes of a cluster may be given the same data folder.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makePrivateFolder } from './private-files.ts'

/** The process's id, which another one may have had, and when it began. */
const named = /^process-(\d+)-(\d+)-/
const begunMs = Math.trunc(performance.timeOrigin)

/**
 * Makes an empty folder in the data folder, and removes the folders of processes that have died. It goes with this process. Resolves with
 * its whole path.
 */
export async function openOwnFolder(
  data: string,
  closers: { push(remove: () => Promise<void>): void },
): Promise<string> {
  makePrivateFolder(data)
  for (const name of await readdir(data)) {
    const [, id, since] = (named.exec(name) ?? []).map(Number)
    if (id === undefined) continue
    const isLeft = id === process.pid ? since !== begunMs : !isAlive(id)
    if (isLeft) await remove(join(data, name))
  }
  const own = await mkdtemp(resolve(data, `process-${process.pid}-${begunMs}-`))
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
