import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A file read with blocking calls: a small read from the system's page cache takes two microseconds this way. */
export interface BlockingFile {
  size(): number
  /** Reads up to `bytes` bytes at `offset` into the start of `buffer`. Returns the number of bytes read: 0 at the end of the file. */
  read(buffer: Uint8Array, bytes: number, offset: number): number
  close(): void
}

export type OpenBlocking = (path: string) => BlockingFile

/** Opens a file on the local disk. */
export const openBlocking: OpenBlocking = (path) => {
  const descriptor = openSync(path, 'r')
  return {
    size: () => fstatSync(descriptor).size,
    read: (buffer, bytes, offset) => readSync(descriptor, buffer, 0, bytes, offset),
    close: () => closeSync(descriptor),
  }
}

/** Fills the first `bytes` bytes of `buffer`; returns false when the file ends earlier. */
export function readWhole(file: BlockingFile, buffer: Uint8Array, bytes: number, offset: number): boolean {
  let done = file.read(buffer, bytes, offset)
  while (done < bytes) {
    const read = file.read(buffer.subarray(done), bytes - done, offset + done)
    if (read === 0) return false
    done += read
  }
  return true
}
