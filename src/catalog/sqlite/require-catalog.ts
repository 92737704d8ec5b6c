import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Disk, isDiskFull } from '../../lib/disk.ts'
import { messageOf } from '../../lib/message-of.ts'
import { checkSqliteLog, holdsTables } from './check-files.ts'
import { diskErrorOf } from './statements.ts'

interface Folders {
  /** The catalog's file. */
  readonly catalog: string
  readonly journal: string
  readonly idempotency: string
  readonly store: string
}

type ListingDisk = Pick<Disk, 'list' | 'listFolders'>

const whatItHolds =
  'It holds the definitions of ingests and entities, the subscribers and their keys, metadata items, rejected rows, and the list of files: without it the data cannot be read. Nothing was changed.'
const whatToDo =
  'Put the file back, with catalog.sqlite-wal if that is there, from the same moment as the other files; or restore a whole backup ("tidemark restore").'

/**
 * Throws an Error when the catalog of a data folder cannot be read or has lost changes, or when it is missing or empty although the folder has other data of
 * a service. A new catalog would not know that data, and unknown files would be treated as leftovers of a crash. Tables are not checked.
 */
export async function requireCatalog({ catalog, ...folders }: Folders, disk: ListingDisk): Promise<void> {
  const isThere = existsSync(catalog)
  if (isThere) {
    const fault = checkSqliteLog(`${catalog}-wal`)
    if (fault !== null)
      throw new Error(
        `${fault}. ${whatToDo} To continue without the changes in it, move that one file away; then check whether revoked keys are valid again.`,
      )
    if (isMade(catalog)) return
  }
  const left = await dataIn(folders, disk)
  const [found] = left
  if (found === undefined) return
  throw new Error(
    `The catalog ${catalog} is ${isThere ? 'empty' : 'missing'}, but its data is there (${found}${left.length > 1 ? `, and others` : ''}). ${whatItHolds} ${whatToDo} ` +
      'To start without the data, give the service an empty folder with --data.',
  )
}

function isMade(catalog: string): boolean {
  try {
    return holdsTables(catalog)
  } catch (error) {
    // Opening the catalog reports this with a better message.
    if (isDiskFull(diskErrorOf(error))) return true
    const reason = messageOf(error)
    throw new Error(`The catalog ${catalog} cannot be read (${reason}): it is damaged. ${whatItHolds} ${whatToDo}`, {
      cause: error,
    })
  }
}

/** Throws an Error when the folder has no data of a service, because it is then not the intended folder. */
export async function requireDataFolder(
  data: string,
  { catalog, ...folders }: Folders,
  disk: ListingDisk,
): Promise<void> {
  if (existsSync(catalog) || (await dataIn(folders, disk)).length > 0) return
  throw new Error(`"${data}" is not a data folder: it has no catalog.sqlite. Give another one with --data.`)
}

/** Data of a service in the folder other than the catalog. */
async function dataIn(
  { journal, idempotency, store }: Omit<Folders, 'catalog'>,
  disk: ListingDisk,
): Promise<readonly string[]> {
  const left: string[] = []
  for (const folder of [journal, idempotency]) {
    const [name] = await disk.list(folder)
    if (name !== undefined) left.push(join(folder, name))
  }
  for (const name of await disk.listFolders(store)) left.push(join(store, name))
  return left
}
