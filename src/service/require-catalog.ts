import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../lib/disk.ts'

interface Folders {
  /** The catalog's file. */
  readonly catalog: string
  readonly journal: string
  readonly idempotency: string
  readonly store: string
}

/**
 * Throws an Error when there is no catalog in a data folder that holds other things of a service: a new one would know none of them, and files that
 * it does not know would be taken for what a crash left.
 */
export async function requireCatalog({ catalog, ...folders }: Folders, disk: Disk): Promise<void> {
  if (existsSync(catalog)) return
  const left: string[] = []
  for (const folder of [folders.journal, folders.idempotency]) {
    const [name] = await disk.list(folder)
    if (name !== undefined) left.push(join(folder, name))
  }
  for (const name of await disk.listFolders(folders.store)) left.push(join(folders.store, name))
  const [found] = left
  if (found === undefined) return
  throw new Error(
    `The catalog ${catalog} is missing, but its data is there (${found}${left.length > 1 ? `, and others` : ''}). It holds the definitions of ingests and entities, the subscribers and their keys, ` +
      'the items of metadata, rejected rows, and which files hold which rows: without it nothing of the data can be told, and nothing was changed. Put the file back, with catalog.sqlite-wal if that ' +
      'is there, from the same moment as the other files; or restore a whole backup ("tidemark restore"). To begin anew without the data, give the service an empty folder with --data.',
  )
}
