// Objects as files of a folder, for example on a mounted disk: each is written under a temporary name, fsynced, and linked to its own.
// Tested by `test/contract/object-store.test.ts`.
import { randomUUID } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { compareCodePoints } from '../../lib/compare-code-points.ts'
import type { Disk } from '../../lib/disk.ts'
import { codeOf, systemErrorText } from '../../lib/system-error.ts'
import { type ObjectStore, StoreRefused } from '../object-store.ts'

const unfinished = '.unfinished-'
/** The age at which a leftover of an interrupted upload is deleted. */
const leftoverAgeMs = 3_600_000
/** Errors that an operator has to fix first. */
const refusals = new Set<unknown>(['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'ELOOP'])

/** The folder is created if needed, but not its parent: a disk that is not mounted must not get a replica. */
export class FileStore implements ObjectStore {
  readonly #directory: string
  readonly #disk: Disk
  readonly #folders = new Set<string>()
  /** The object that was written last: when it is missing, so is the replica. */
  #written: string | null = null
  #isSwept = false

  constructor(directory: string, disk: Disk) {
    this.#directory = resolve(directory)
    this.#disk = disk
  }

  async putIfAbsent(name: string, bytes: Uint8Array): Promise<boolean> {
    const path = join(this.#directory, name)
    // Checked first, so that a replaced owner learns of it even when its last object was deleted.
    const isWritten = !(await isThere(path)) && (await this.#write(path, bytes))
    if (!isWritten) {
      // Its writer may have ended before the name was durable; an object that is reported as present must survive a power failure.
      await this.#syncFolders(dirname(path))
      return false
    }
    this.#written = name
    if (!this.#isSwept) await this.#sweep()
    return true
  }

  async get(name: string): Promise<Uint8Array | null> {
    const path = join(this.#directory, name)
    try {
      return await readFile(path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw refusalOf(path, error)
      await this.#requireMounted()
      return null
    }
  }

  async *list(prefix: string, after = ''): AsyncIterable<string> {
    await this.#requireMounted()
    const names: string[] = []
    const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
    for await (const { name, isLeftover } of this.#filesIn(folder)) if (!isLeftover) names.push(name)
    for (const name of names.sort(compareCodePoints)) {
      if (name.startsWith(prefix) && compareCodePoints(name, after) > 0) yield name
    }
  }

  async delete(name: string): Promise<void> {
    if (name === this.#written) this.#written = null
    const path = join(this.#directory, name)
    await rm(path, { force: true })
    await this.#disk.syncDirectory(dirname(path)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }

  close(): void {}

  async #write(path: string, bytes: Uint8Array): Promise<boolean> {
    await this.#requireMounted()
    return this.#inFolder(dirname(path), () => this.#put(path, bytes))
  }

  async #put(path: string, bytes: Uint8Array): Promise<boolean> {
    const folder = dirname(path)
    const temporary = join(folder, `${unfinished}${randomUUID()}`)
    const file = await this.#disk.open(temporary, { create: true })
    try {
      try {
        await file.write([bytes], 0)
        await file.sync()
      } finally {
        await file.close()
      }
      await this.#disk.link(temporary, path)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    } finally {
      await rm(temporary, { force: true })
    }
    await this.#disk.syncDirectory(folder)
    return true
  }

  /** Creates the folder and runs the work; repeats both when a known folder was deleted since. */
  async #inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
    const isKnown = this.#folders.has(folder)
    if (!isKnown) {
      await this.#disk.makeDirectory(folder)
      await this.#syncFolders(dirname(folder))
    }
    this.#folders.add(folder)
    try {
      return await work()
    } catch (error) {
      this.#folders.delete(folder)
      if (codeOf(error) !== 'ENOENT' || !isKnown) throw error
      await this.#requireMounted()
      return this.#inFolder(folder, work)
    }
  }

  /** Makes the names in a folder durable, and those of each folder above it within the replica. */
  async #syncFolders(folder: string): Promise<void> {
    for (let above = folder; above.startsWith(this.#directory); above = dirname(above)) {
      await this.#disk.syncDirectory(above)
      if (above === this.#directory) return
    }
  }

  async *#filesIn(folder: string): AsyncIterable<{ readonly name: string; readonly isLeftover: boolean }> {
    for (const entry of await entriesOf(join(this.#directory, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) yield* this.#filesIn(name)
      else yield { name, isLeftover: entry.name.startsWith(unfinished) }
    }
  }

  /** Deletes leftovers of uploads. Only writers do it, once, because a mere reader must not change anything. A failure is harmless. */
  async #sweep(): Promise<void> {
    this.#isSwept = true
    try {
      for await (const { name, isLeftover } of this.#filesIn(''))
        if (isLeftover) await removeOld(join(this.#directory, name))
    } catch {
      // The next process tries again.
    }
  }

  /** An unmounted disk must not be mistaken for an empty replica, or new objects would go to the disk below it. */
  async #requireMounted(): Promise<void> {
    const above = dirname(this.#directory)
    await stat(above).catch((cause: unknown) => {
      if (refusals.has(codeOf(cause))) throw refusalOf(above, cause)
      throw new StoreRefused(`the folder ${above} does not exist: is its disk mounted?`, { cause })
    })
    const written = this.#written
    if (written !== null && !(await isThere(join(this.#directory, written)))) {
      throw new Error(`the folder ${this.#directory} does not contain the files written to it: is its disk mounted?`)
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw refusalOf(path, error)
  }
}

function refusalOf(path: string, error: unknown): unknown {
  return refusals.has(codeOf(error))
    ? new StoreRefused(`${path} cannot be read: ${systemErrorText(error)}`, { cause: error })
    : error
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw refusalOf(directory, error)
  }
}

async function removeOld(path: string): Promise<void> {
  const { mtimeMs } = await stat(path)
  if (Date.now() - mtimeMs > leftoverAgeMs) await rm(path, { force: true })
}
