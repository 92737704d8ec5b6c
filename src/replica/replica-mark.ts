// The file by which a data folder and its replica identify each other; docs/formats/replica.md describes the format.
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disk } from '../lib/disk.ts'
import { writeDurably } from '../lib/durable-files.ts'
import { codeOf } from '../lib/system-error.ts'

export const replicaMarkName = 'replica.json'

export interface ReplicaMark {
  /** The name of the replica. */
  readonly copy: string
  /** The token of the last claim by this folder, or of the owner that it was restored from. */
  readonly token: string
  /** The token of a claim that may have been made. */
  readonly next: string | null
  /** The address of the replica that was written or read, without slashes at its end. Null while the folder is being restored. */
  readonly url: string | null
}

const format = 1

/** Null if the folder has none. Throws an Error when it cannot be read. */
export async function readReplicaMark(path: string): Promise<ReplicaMark | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  try {
    const { format: found, copy, token, next, url } = JSON.parse(text)
    if (found !== format || typeof copy !== 'string' || typeof token !== 'string') throw new Error('not as written')
    return { copy, token, next: textOrNull(next), url: textOrNull(url) }
  } catch (cause) {
    const advice = 'Move it away: the service then accepts only an empty prefix.'
    throw new Error(`${path}, which names the replica of the folder, is damaged. ${advice}`, { cause })
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** An address in the form that marks have. */
export function markedUrl(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '')
}

export async function writeReplicaMark(disk: Disk, path: string, mark: ReplicaMark): Promise<void> {
  const written = `${path}.tmp`
  await rm(written, { force: true })
  await writeDurably(disk, written, `${JSON.stringify({ format, ...mark })}\n`)
  await disk.rename(written, path)
  await disk.syncDirectory(dirname(path))
}
