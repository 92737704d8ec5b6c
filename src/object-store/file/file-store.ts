// Objects as files of a folder, on a mounted disk say: each is written under another name, fsynced, and linked to its own.
// Tested by `test/contract/object-store.test.ts`.
import { randomUUID } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compareCodePoints } from '../../lib/compare-code-points.ts'
import type { Disk } from '../../lib/disk.ts'
import { codeOf } from '../../lib/system-error.ts'
import type { ObjectStore } from '../object-store.ts'

const unfinished = '.unfinished-'
/** What an upload left that was ended in the middle is as old as this when it goes. */
const leftMs = 3_600_000

/** The folder is made if need be, but nothing above it: a disk that is not mounted is no place for a copy. */
export class FileStore implements ObjectStore {
  readonly #directory: string
  readonly #disk: Disk
  readonly #folders = new Set<string>()

  constructor(directory: string, disk: Disk) {
    this.#directory = directory
    this.#disk = disk
  }

  async putIfAbsent(name: string, bytes: Uint8Array): Promise<boolean> {
    const path = join(this.#directory, name)
    const folder = dirname(path)
    await this.#makeFolder(folder)
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

  async get(name: string): Promise<Uint8Array | null> {
    try {
      return await readFile(join(this.#directory, name))
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await this.#requireMounted()
      return null
    }
  }

  async *list(prefix: string, after = ''): AsyncIterable<string> {
    await this.#requireMounted()
    const names: string[] = []
    await this.#collect('', names)
    for (const name of names.sort(compareCodePoints)) {
      if (name.startsWith(prefix) && compareCodePoints(name, after) > 0) yield name
    }
  }

  async delete(name: string): Promise<void> {
    const path = join(this.#directory, name)
    await rm(path, { force: true })
    await this.#disk.syncDirectory(dirname(path)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }

  close(): void {}

  async #collect(folder: string, names: string[]): Promise<void> {
    for (const entry of await entriesOf(join(this.#directory, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) await this.#collect(name, names)
      else if (!entry.name.startsWith(unfinished)) names.push(name)
      else await removeLeft(join(this.#directory, name))
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return
    await this.#requireMounted()
    await this.#disk.makeDirectory(folder)
    this.#folders.add(folder)
  }

  /** An empty answer of a disk that is away would be taken for an empty copy. */
  async #requireMounted(): Promise<void> {
    const above = dirname(this.#directory)
    await stat(above).catch((cause: unknown) => {
      throw new Error(`the folder ${above} is not there: is its disk mounted?`, { cause })
    })
  }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function removeLeft(path: string): Promise<void> {
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return
  const { mtimeMs } = await file.stat().finally(() => file.close())
  if (Date.now() - mtimeMs > leftMs) await rm(path, { force: true })
}
