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
 * Makes this process the only owner of a data folder, which is created if missing. The owner holds an operating system lock through an SQLite transaction that
 * never ends, so the lock is released however the process ends. Throws an Error when the folder has another owner.
 */
export function takeOwnership(directory: string): Ownership {
  makePrivateFolder(directory)
  // The process id is in a separate file: opening and closing the locked file would release the lock.
  const processIdPath = join(directory, 'owner.pid')
  const lockPath = join(directory, 'owner.lock')
  makePrivateFile(lockPath)
  const database = new DatabaseSync(lockPath)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    // Nothing is ever written to the database, so it needs no rollback journal on disk, for which a full disk has no space.
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

/** The file only names the owner to other processes; it may be missing on a full disk. */
function writeProcessId(path: string): void {
  try {
    // Removes an old file, or a link that somebody planted, without touching the target of the link.
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
      'Stop that process first, or give this one its own folder with --data.',
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
