// Only the service's own user can read what it writes: it contains keys, secrets and rows. The umask has no effect.
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

export const privateFolderMode = 0o700
export const privateFileMode = 0o600
const othersMask = 0o077

/** Makes a folder and its missing parents; returns the topmost one that it made, or undefined if the folder existed. */
export function makePrivateFolder(directory: string): string | undefined {
  const firstMade = mkdirSync(directory, { recursive: true, mode: privateFolderMode })
  if (firstMade === undefined) return undefined
  const top = resolve(firstMade)
  for (let made = resolve(directory); ; made = dirname(made)) {
    chmodSync(made, privateFolderMode)
    if (made === top) return firstMade
  }
}

/** Makes an empty file for a library that writes files itself; keeps an existing one. */
export function makePrivateFile(path: string): void {
  try {
    // An existing file is never opened: closing it would drop the locks that this process has on it.
    const descriptor = openSync(path, 'wx', privateFileMode)
    fchmodSync(descriptor, privateFileMode)
    closeSync(descriptor)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

export interface Narrowed {
  /** Folders and files that others could access before. */
  readonly changed: readonly string[]
  /** Those of another user; they are unchanged. */
  readonly refused: readonly string[]
}

/**
 * Removes the permissions of other users from a folder and its contents. A file is checked only if its folder was open to others, since nobody gets past
 * a closed one. A folder is closed after its contents, so the next start completes the work after a kill.
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
    // A folder that cannot be listed belongs to another user, such as a disk's lost+found.
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
