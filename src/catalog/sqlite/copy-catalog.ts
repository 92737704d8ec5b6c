import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from '@photostructure/sqlite'
import { diskErrorOf } from './statements.ts'

/** Pages of a step: all of them in one, so that the copy is of one state and no writer makes it begin again. */
const everyPage = -1

/**
 * Copies the catalog's file, which may be in use, to a new one, as it is at one moment. SQLite makes the copy, on a thread of its own;
 * neither readers nor writers wait for it. The copy is one file, on disk when this resolves. A disk that is full or fails is an Error with
 * the code of the disk (ENOSPC, EIO).
 */
export async function copySqliteCatalog(from: string, to: string): Promise<void> {
  // The copy too is its owner's alone to read.
  closeSync(openSync(to, 'wx', 0o600))
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(source, to, { rate: everyPage })
  } catch (error) {
    throw diskErrorOf(error)
  } finally {
    source.close()
  }
  const copy = new DatabaseSync(to)
  try {
    // In the mode of the original, whoever reads the copy would leave files beside it.
    copy.exec('PRAGMA journal_mode = DELETE')
  } finally {
    copy.close()
  }
}
