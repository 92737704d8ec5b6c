import { constants, type Dirent } from 'node:fs'
import { type FileHandle, link, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Disk, DiskFile } from './disk.ts'
import { makePrivateFolder, privateFileMode } from './private-files.ts'

const flagsOfNew = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL

/**
 * With this flag a write is as durable as a write followed by fdatasync, but takes one thread pool call instead of two, without a turn of the event loop
 * between them. On systems other than Linux it does not flush the drive's own cache, as fdatasync of Node.js does.
 */
const flagOfSyncedWrites = process.platform === 'linux' ? constants.O_DSYNC : 0

/** The service's own files are never links: one planted by somebody else would redirect its writes. */
const flagOfOwn = constants.O_NOFOLLOW

/** The disk of this machine. */
export const nodeDisk: Disk = {
  list: (directory) => namesIn(directory, (entry) => entry.isFile()),

  listFolders: (directory) => namesIn(directory, (entry) => entry.isDirectory()),

  async makeDirectory(directory) {
    const firstMade = makePrivateFolder(directory)
    if (firstMade === undefined) return
    // A new folder is durable after each folder above it, up to the parent of the first one made, is synced.
    const top = dirname(resolve(firstMade))
    for (let above = dirname(resolve(directory)); ; above = dirname(above)) {
      await nodeDisk.syncDirectory(above)
      if (above === top) return
    }
  },

  async open(path, { create, syncsWrites = false }) {
    const flags = (create ? flagsOfNew : constants.O_RDWR | flagOfOwn) | (syncsWrites ? flagOfSyncedWrites : 0)
    const handle = await open(path, flags, privateFileMode)
    if (create) await handle.chmod(privateFileMode)
    return new NodeFile(handle, { isNew: create, writesAreSynced: syncsWrites && flagOfSyncedWrites !== 0 })
  },

  link: (from, to) => link(from, to),

  remove: (path) => rm(path),

  removeFolder: (directory) => rm(directory, { recursive: true, force: true }),

  rename: (from, to) => rename(from, to),

  async syncDirectory(directory) {
    const handle = await open(directory, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

async function namesIn(directory: string, isWanted: (entry: Dirent) => boolean): Promise<string[]> {
  try {
    const found = await readdir(directory, { withFileTypes: true })
    return found
      .filter(isWanted)
      .map((entry) => entry.name)
      .sort()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

class NodeFile implements DiskFile {
  readonly #handle: FileHandle
  /** Whether data is durable when the write completes. */
  readonly #writesAreSynced: boolean
  /** Whether there is something to sync: a change of size, or data written by others before the file was opened here. */
  #hasUnsynced: boolean

  constructor(
    handle: FileHandle,
    { isNew, writesAreSynced }: { readonly isNew: boolean; readonly writesAreSynced: boolean },
  ) {
    this.#handle = handle
    this.#hasUnsynced = !isNew
    this.#writesAreSynced = writesAreSynced
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size
  }

  async read(buffer: Uint8Array, offset: number): Promise<number> {
    return (await this.#handle.read(buffer, 0, buffer.length, offset)).bytesRead
  }

  write(buffers: readonly Uint8Array[], offset: number): Promise<void> {
    return writeFully(this.#handle, buffers, offset)
  }

  truncate(size: number): Promise<void> {
    this.#hasUnsynced = true
    return this.#handle.truncate(size)
  }

  async sync(): Promise<void> {
    if (this.#writesAreSynced && !this.#hasUnsynced) return
    await this.#handle.datasync()
    this.#hasUnsynced = false
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

/** Writes all buffers at `offset`. Continues after a short write, so that its cause appears as an error. */
export async function writeFully(
  handle: Pick<FileHandle, 'writev'>,
  buffers: readonly Uint8Array[],
  offset: number,
): Promise<void> {
  let left = [...buffers]
  let at = offset
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left, at)
    at += bytesWritten
    const rest = after(left, bytesWritten)
    if (bytesWritten === 0 && rest.length > 0) throw new Error('the disk took none of the bytes it was given')
    left = rest
  }
}

/** The buffers without their first `bytes` bytes. */
function after(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes
  let first = 0
  for (; first < buffers.length; first++) {
    const length = buffers[first]!.length
    if (skip < length) break
    skip -= length
  }
  return buffers.slice(first).map((buffer, index) => (index === 0 ? buffer.subarray(skip) : buffer))
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
