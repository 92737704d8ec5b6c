// Whole files that are copied or written once, and durable afterwards. `Disk.syncDirectory` makes the names in a folder durable.
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { Disk, DiskFile } from './disk.ts'

const bufferBytes = 1024 * 1024

export interface FileMeasure {
  readonly bytes: number
  /** CRC-32 of the content. */
  readonly checksum: number
}

/** Errors of linking for which copying may still work: another disk, or one without links. */
const noLink = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'])

/** Gives a file that never changes a second name, or copies it if it cannot be linked. */
export async function linkOrCopy(disk: Disk, from: string, to: string): Promise<void> {
  try {
    await disk.link(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'string' && noLink.has(error.code)))
      throw error
    await copyDurably(disk, from, to)
  }
}

/** Copies a file, at most its first `bytesMax` bytes, to a new one. */
export function copyDurably(
  disk: Disk,
  from: string,
  to: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<FileMeasure> {
  return intoNewFile(disk, to, (target) => eachPart(from, bytesMax, (part, at) => target.write([part], at)))
}

/** Reads a file from end to end. */
export function measureFile(path: string): Promise<FileMeasure> {
  return eachPart(path, Number.POSITIVE_INFINITY, async () => undefined)
}

/** Writes a new file. */
export function writeDurably(disk: Disk, path: string, content: string): Promise<void> {
  return intoNewFile(disk, path, (file) => file.write([Buffer.from(content)], 0))
}

async function intoNewFile<T>(disk: Disk, path: string, write: (file: DiskFile) => Promise<T>): Promise<T> {
  const file = await disk.open(path, { create: true })
  try {
    const written = await write(file)
    await file.sync()
    return written
  } finally {
    await file.close()
  }
}

async function eachPart(
  path: string,
  bytesMax: number,
  take: (part: Uint8Array, at: number) => Promise<void>,
): Promise<FileMeasure> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(bufferBytes)
    let bytes = 0
    let checksum = 0
    while (bytes < bytesMax) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(bufferBytes, bytesMax - bytes), bytes)
      if (bytesRead === 0) break
      const part = buffer.subarray(0, bytesRead)
      checksum = crc32(part, checksum)
      await take(part, bytes)
      bytes += bytesRead
    }
    return { bytes, checksum }
  } finally {
    await file.close()
  }
}
