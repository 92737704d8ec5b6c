// What the service writes is its own user's alone to read: keys, secrets and rows lie in it. The umask has no say.
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

export const privateFolderMode = 0o700
export const privateFileMode = 0o600
const othersMask = 0o077

/** Makes a folder, and those above it that are not there, and says which was the first that it made; undefined when it was there. */
export function makePrivateFolder(directory: string): string | undefined {
  const firstMade = mkdirSync(directory, { recursive: true, mode: privateFolderMode })
  if (firstMade === undefined) return undefined
  const top = resolve(firstMade)
  for (let made = resolve(directory); ; made = dirname(made)) {
    chmodSync(made, privateFolderMode)
    if (made === top) return firstMade
  }
}

/** Makes an empty file for what writes files by its own means; one that is there stays. */
export function makePrivateFile(path: string): void {
  try {
    // Never opened when it is there: to close it again would drop the locks that this process has on it.
    const descriptor = openSync(path, 'wx', privateFileMode)
    fchmodSync(descriptor, privateFileMode)
    closeSync(descriptor)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

export interface Narrowed {
  /** Folders and files that others could get at, and cannot now. */
  readonly changed: readonly string[]
  /** Those of another user, which stay as they are. */
  readonly refused: readonly string[]
}

/**
 * Takes the rights of others away from a folder and what lies in it. A file is looked at only if its folder was open to others: nobody
 * gets past a closed one. A folder is closed after what is in it, so the next start makes good a kill in between.
 */
export async function narrowFolder(directory: string): Promise<Narrowed> {
  const changed: string[] = []
  const refused: string[] = []
  const narrow = async (path: string, mode: number): Promise<void> => {
    await chmod(path, mode).then(
      () => changed.push(path),
      () => refused.push(path),
    )
  }
  const visit = async (folder: string): Promise<void> => {
    const isOpen = await isOpenToOthers(folder)
    // What cannot be listed is another user's, as a disk's lost+found.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) await visit(path)
      else if (isOpen && entry.isFile() && (await isOpenToOthers(path))) await narrow(path, privateFileMode)
    }
    if (isOpen) await narrow(folder, privateFolderMode)
  }
  await visit(directory)
  return { changed, refused }
}

async function isOpenToOthers(path: string): Promise<boolean> {
  return ((await lstat(path)).mode & othersMask) !== 0
}
