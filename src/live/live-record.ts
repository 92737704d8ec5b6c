// The file that lets readers go on after a restart: docs/formats/live.md is the format. Without it, or where it cannot be read, ids are unknown.
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disk } from '../lib/disk.ts'
import { writeDurably } from '../lib/durable-files.ts'
import type { LiveEpoch } from './live-ids.ts'

/** Where the pipeline stood at a time. */
export interface LiveMark {
  readonly position: number
  readonly timeMs: number
}

export interface LiveRecord {
  /** Oldest first. */
  readonly epochs: readonly LiveEpoch[]
  /** Of entities: the last position at which something was stored, of what is not in the journal any more. */
  readonly entities: readonly (readonly [entityId: number, position: number])[]
  /** While there were readers, oldest first: the journal is kept from one of these on. */
  readonly marks: readonly LiveMark[]
}

const format = 1
export const emptyLiveRecord: LiveRecord = { epochs: [], entities: [], marks: [] }

export async function readLiveRecord(path: string): Promise<LiveRecord> {
  const text = await readFile(path, 'utf8').catch(() => '{}')
  try {
    const { format: found, epochs, entities, marks } = JSON.parse(text)
    return found === format ? { epochs, entities, marks } : emptyLiveRecord
  } catch {
    return emptyLiveRecord
  }
}

export async function writeLiveRecord(disk: Disk, path: string, record: LiveRecord): Promise<void> {
  const written = `${path}.tmp`
  await rm(written, { force: true })
  await writeDurably(disk, written, `${JSON.stringify({ format, ...record })}\n`)
  await disk.rename(written, path)
  await disk.syncDirectory(dirname(path))
}
