import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { isDiskFull } from '../../lib/disk.ts'
import { makePrivateFile, makePrivateFolder, privateFileMode } from '../../lib/private-files.ts'
import { isBusy } from './statements.ts'

export interface Ownership {
  release(): void
}

/**
 * Makes this process the one owner of a data folder, which is made if it is not there. The owner holds a lock of the operating system,
 * by way of an SQLite transaction that never ends: it goes with the process, however that dies. Throws an Error when the folder has another owner.
 */
export function takeOwnership(directory: string): Ownership {
  makePrivateFolder(directory)
  // The process id has a file of its own: to open and close the locked one would drop the lock.
  const processIdPath = join(directory, 'owner.pid')
  const lockPath = join(directory, 'owner.lock')
  makePrivateFile(lockPath)
  const database = new DatabaseSync(lockPath)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    // Nothing is ever written to it, so nothing is to be rolled back from a file, for which a full disk has no room.
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw isBusy(error) ? taken(directory, processIdPath, error) : error
  }
  writeProcessId(processIdPath)
  return {
    release: () => {
      rmSync(processIdPath, { force: true })
      database.close()
    },
  }
}

/** It only names the owner to another one: a full disk may leave it out. */
function writeProcessId(path: string): void {
  try {
    // What was left there goes, a link that somebody planted too: what it leads to is none of the service's.
    rmSync(path, { force: true })
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: privateFileMode })
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

function taken(directory: string, processIdPath: string, cause: unknown): Error {
  const owner = processIdOf(processIdPath)
  return new Error(
    `The folder "${directory}" is in use by another Tidemark process${owner === null ? '' : ` (process ${owner})`}. ` +
      'Stop that one first, or give this one a folder of its own with --data.',
    { cause },
  )
}

function processIdOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
