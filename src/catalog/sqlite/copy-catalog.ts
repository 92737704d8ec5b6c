import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from '@photostructure/sqlite'
import { diskErrorOf } from './statements.ts'

/** Pages per step: all in one step, so that the copy is one snapshot and no writer makes it restart. */
const everyPage = -1

/**
 * Copies the catalog's file, which may be in use, to a new file, as a snapshot of one moment. SQLite copies it on its own thread, without blocking readers or
 * writers. The copy is one file, on disk when this resolves. A full or failing disk causes an Error with the code of the disk (ENOSPC, EIO).
 */
export async function copySqliteCatalog(from: string, to: string): Promise<void> {
  // The copy too is readable only by its owner.
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
    // In WAL mode, readers of the copy would leave files next to it.
    copy.exec('PRAGMA journal_mode = DELETE')
  } finally {
    copy.close()
  }
}
