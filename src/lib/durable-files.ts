// Whole files that are copied or written once, and are on disk afterwards. A folder's names are made durable by `Disk.syncDirectory`.
import { copyFile, link, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

const bufferBytes = 1024 * 1024

export interface FileMeasure {
  readonly bytes: number
  /** CRC-32 of the content. */
  readonly checksum: number
}

/** What links are refused with where copying may still go: another disk, or one that has no links. */
const noLink = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'])

/** Gives a file that never changes a second name, or copies it where that cannot be. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'string' && noLink.has(error.code)))
      throw error
    await copyFile(from, to)
    await syncFile(to)
  }
}

/** Copies a file, its first `bytesMax` bytes at most, to a new one that only its owner may read. */
export async function copyDurably(from: string, to: string, bytesMax = Number.POSITIVE_INFINITY): Promise<FileMeasure> {
  const target = await open(to, 'wx', 0o600)
  try {
    const measure = await eachPart(from, bytesMax, async (part) => {
      await target.appendFile(part)
    })
    await target.sync()
    return measure
  } finally {
    await target.close()
  }
}

/** Reads a file from end to end. */
export function measureFile(path: string): Promise<FileMeasure> {
  return eachPart(path, Number.POSITIVE_INFINITY, async () => undefined)
}

/** Writes a new file. */
export async function writeDurably(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function eachPart(
  path: string,
  bytesMax: number,
  take: (part: Uint8Array) => Promise<void>,
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
      bytes += bytesRead
      await take(part)
    }
    return { bytes, checksum }
  } finally {
    await file.close()
  }
}
