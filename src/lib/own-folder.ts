// A folder for this process alone: several processes of a cluster may share a data folder.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makePrivateFolder } from './private-files.ts'

/** The process id, which may have belonged to another process before, and the process's start time. */
const named = /^process-(\d+)-(\d+)-/
const begunMs = Math.trunc(performance.timeOrigin)

/**
 * Makes an empty folder in the data folder, and removes the folders of dead processes. It is removed when this process closes. Resolves with its absolute
 * path.
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

/** A process of another user counts as alive, too. */
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
